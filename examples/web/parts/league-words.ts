import type { LeagueSummary } from '../api.ts'
import { text } from '../lang/lang.ts'

/** What counts in a league, in words. */
export function howCounted({
  scoring,
  from,
  season,
}: Pick<LeagueSummary, 'scoring' | 'from' | 'season'>): string {
  const { counts, ofSeason } = text.leagues
  const what = scoring === 'predictions' && from === 'start' && season !== null ? 'season' : from
  const words = scoring === 'points' ? counts[`points_${from}`] : counts[`predictions_${what}`]
  return season === null ? words : ofSeason(words, season)
}
