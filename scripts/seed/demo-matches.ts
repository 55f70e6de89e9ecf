/** The demonstration season: every team plays every other one at home and away. The first rounds are played. */
import { columnsOfTexts } from '../../src/club/catalogue/texts.ts'
import type { TextByLanguage } from '../../src/core/texts.ts'
import { teams } from './demo-catalogue.ts'
import { inLanguages } from './texts/texts.ts'

const FIRST_ROUND = Date.parse('2026-08-15T18:30:00.000Z')
const ROUND_MS = 21 * 86_400_000
const PLAYED = 5
/** Goals of the played matches, in their order. */
const RESULTS = ['2:1', '0:0', '1:3', '4:0', '1:1', '0:2', '3:2', '1:0', '2:2', '0:1']

const ids = teams.map(([id]) => id)
const venues = new Map(teams.map(([id, , , city]) => [id as string, venueOf(city)]))

function venueOf(city: string): TextByLanguage {
  const { pt, ar } = inLanguages(city)
  return { en: `${city} Stadium`, pt: `Estádio de ${pt}`, ar: `ملعب ${ar}` }
}

const roundOf = (number: number): TextByLanguage => ({
  en: `Round ${number}`,
  pt: `${number}.ª jornada`,
  ar: `الجولة ${number}`,
})

/** The circle method: the first team stays, and the others move by one position each round. */
function pairsOf(round: number): [string, string][] {
  const [first = '', ...others] = ids
  const turned = others.map((_, n) => others[(n + round) % others.length] ?? '')
  const circle = [first, ...turned]
  return circle.slice(0, circle.length / 2).map((home, n) => [home, circle[circle.length - 1 - n] ?? ''])
}

function matchOf(round: number, [home, away]: [string, string], nth: number) {
  const isPlayed = round < PLAYED
  const goals = (RESULTS[nth % RESULTS.length] ?? '').split(':').map(Number)
  return columnsOfTexts({
    id: `league-2026-${home}-${away}`,
    competition: inLanguages('Coastal League'),
    season: '2026/27',
    round: roundOf(round + 1),
    homeTeamId: home,
    awayTeamId: away,
    kickoffAt: new Date(FIRST_ROUND + round * ROUND_MS),
    venue: venues.get(home) ?? null,
    status: isPlayed ? 'finished' : 'scheduled',
    homeScore: isPlayed ? (goals[0] ?? null) : null,
    awayScore: isPlayed ? (goals[1] ?? null) : null,
    revision: isPlayed ? 2 : 1,
    active: true,
  })
}

const rounds = ids.length - 1

export const matches = Array.from({ length: 2 * rounds }, (_, round) =>
  pairsOf(round % rounds).map(([home, away], n) =>
    matchOf(round, round < rounds ? [home, away] : [away, home], round * (ids.length / 2) + n),
  ),
).flat()
