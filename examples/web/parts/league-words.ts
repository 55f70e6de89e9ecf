import type { LeagueSummary } from '../api.ts'
import { countryName, text } from '../lang/lang.ts'

/** The name of a league; of an automatic one the team, or the country in the language of the page. */
export const nameOfLeague = ({ automatic, name }: Pick<LeagueSummary, 'automatic' | 'name'>): string =>
  name === null ? text.leagues.unnamed : automatic === 'country' ? countryName(name) : name

/** What counts in a league, in words. */
export function howCounted({
  automatic,
  scoring,
  from,
  season,
}: Pick<LeagueSummary, 'automatic' | 'scoring' | 'from' | 'season'>): string {
  if (automatic) return text.leagues.automaticKinds[automatic]
  const { counts, ofSeason } = text.leagues
  const what = scoring === 'predictions' && from === 'start' && season !== null ? 'season' : from
  const words = scoring === 'points' ? counts[`points_${from}`] : counts[`predictions_${what}`]
  return season === null ? words : ofSeason(words, season)
}
