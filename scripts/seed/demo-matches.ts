/**
 * The demonstration season: every team plays every other one at home and away. Of the current round, one match was
 * yesterday, one is live, one is later today, and one is tomorrow.
 */
import { columnsOfTexts } from '../../src/club/catalogue/texts.ts'
import type { MatchRow } from '../../src/club/matches/matches.ts'
import type { TextByLanguage } from '../../src/core/texts.ts'
import { type Calendar, DAY_MS, MINUTE_MS } from './calendar.ts'
import { teams } from './demo-catalogue.ts'
import { seasonOf } from './demo-seasons.ts'
import { inLanguages } from './texts/texts.ts'

const ROUND_DAYS = 14
/** The rounds before the current one are played. Its first match is that of the derby. */
const CURRENT = 11
/** Goals of the played matches, in their order. */
const RESULTS = ['2:1', '0:0', '1:3', '4:0', '1:1', '0:2', '3:2', '1:0', '2:2', '0:1']

const ids = teams.map(([id]) => id)
const cities = new Map<string, string>(teams.map(([id, , , city]) => [id, city]))

/** Where a team plays at home. */
export function venueOf(teamId: string): TextByLanguage {
  const city = cities.get(teamId) ?? ''
  const { pt, ar } = inLanguages(city)
  return { en: `${city} Stadium`, pt: `Estádio de ${pt}`, 'pt-BR': `Estádio de ${pt}`, ar: `ملعب ${ar}` }
}

const roundOf = (number: number): TextByLanguage => ({
  en: `Round ${number}`,
  pt: `${number}.ª jornada`,
  'pt-BR': `Rodada ${number}`,
  ar: `الجولة ${number}`,
})

/** The circle method: the first team stays, and the others move by one position each round. */
function pairsOf(round: number): [string, string][] {
  const [first = '', ...others] = ids
  const turned = others.map((_, n) => others[(n + round) % others.length] ?? '')
  const circle = [first, ...turned]
  return circle.slice(0, circle.length / 2).map((home, n) => [home, circle[circle.length - 1 - n] ?? ''])
}

type Progress = Pick<MatchRow, 'status' | 'homeScore' | 'awayScore' | 'revision'>

const SCHEDULED: Progress = { status: 'scheduled', homeScore: null, awayScore: null, revision: 1 }

function finished(nth: number): Progress {
  const [homeScore = 0, awayScore = 0] = (RESULTS[nth % RESULTS.length] ?? '').split(':').map(Number)
  return { status: 'finished', homeScore, awayScore, revision: 2 }
}

const roundTo = (minutes: number, at: Date) => new Date(at.getTime() - (at.getTime() % (minutes * MINUTE_MS)))

/** Of the current round, by the number of the match. */
const CURRENT_MATCHES: ((calendar: Calendar) => { kickoffAt: Date; progress: Progress })[] = [
  ({ inDays }) => ({
    kickoffAt: roundTo(5, inDays((-50 * MINUTE_MS) / DAY_MS)),
    progress: { status: 'live', homeScore: 1, awayScore: 0, revision: 2 },
  }),
  ({ eveningIn }) => ({ kickoffAt: eveningIn(-1), progress: finished(0) }),
  ({ inDays }) => ({ kickoffAt: roundTo(15, inDays((165 * MINUTE_MS) / DAY_MS)), progress: SCHEDULED }),
  ({ eveningIn }) => ({ kickoffAt: eveningIn(1), progress: SCHEDULED }),
]

function stateOf(calendar: Calendar, round: number, nth: number) {
  const current = round === CURRENT ? CURRENT_MATCHES[nth]?.(calendar) : undefined
  if (current) return current
  const kickoffAt = calendar.eveningIn((round - CURRENT) * ROUND_DAYS)
  return { kickoffAt, progress: round < CURRENT ? finished(round * MATCHES_OF_ROUND + nth) : SCHEDULED }
}

function matchOf(calendar: Calendar, round: number, [home, away]: [string, string], nth: number) {
  const { kickoffAt, progress } = stateOf(calendar, round, nth)
  return columnsOfTexts({
    id: matchIdOf(home, away),
    competition: inLanguages('Coastal League'),
    season: seasonOf(calendar),
    round: roundOf(round + 1),
    homeTeamId: home,
    awayTeamId: away,
    kickoffAt,
    venue: venueOf(home),
    ...progress,
    active: true,
  })
}

const matchIdOf = (home: string, away: string) => `league-2026-${home}-${away}`

const half = ids.length - 1
const MATCHES_OF_ROUND = ids.length / 2

const rounds = Array.from({ length: 2 * half }, (_, round) =>
  pairsOf(round % half).map(([home, away]): [string, string] => (round < half ? [home, away] : [away, home])),
)

export const matchIds = rounds.flat().map(([home, away]) => matchIdOf(home, away))

/** The match that is live. */
export const DERBY = matchIdOf('harbour-city', 'ashbourne-rovers')
export const sponsored = [{ id: DERBY, sponsorId: 'tideline-ferries' }]

export const matchesOf = (calendar: Calendar) =>
  rounds.flatMap((pairs, round) => pairs.map((pair, nth) => matchOf(calendar, round, pair, nth)))
