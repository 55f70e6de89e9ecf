/** The demonstration cup, with a joker and points by the crowd: its quarter-finals are played, and fans predict its semi-finals. */
import type { MatchEntry } from '../../src/club/matches/match-kind.ts'
import type { ScorePrediction } from '../../src/play/predictions/schema.ts'
import type { Scores } from '../../src/play/predictions/score.ts'
import type { Calendar } from './calendar.ts'
import { venueOf } from './demo-matches.ts'
import { seasonOf } from './demo-seasons.ts'
import { inLanguages } from './texts/texts.ts'

export const cup = {
  id: 'coastal-cup',
  name: inLanguages('Coastal Cup'),
  deadline: 'round',
  points: { exact: 30, difference: 15, outcome: 10 },
  joker: 2,
  crowd: true,
} as const

interface CupMatch {
  home: string
  away: string
  /** In days from the seed: far enough from it that the crowd has not predicted it. */
  day: number
}

interface PlayedMatch extends CupMatch {
  result: Scores
  /** What the first of the fans has predicted, who shows the demonstration: one prediction of each kind. */
  shown: ScorePrediction
}

const score = (homeScore: number, awayScore: number) => ({ homeScore, awayScore })

const QUARTER_FINALS: PlayedMatch[] = [
  { home: 'harbour-city', away: 'castellane-sporting', day: -4, result: score(2, 1), shown: score(3, 2) },
  {
    home: 'kitakaze-united',
    away: 'porto-sereno',
    day: -4,
    result: score(0, 1),
    shown: { ...score(0, 2), joker: true },
  },
  { home: 'ashbourne-rovers', away: 'vila-do-sol', day: -3, result: score(3, 0), shown: score(3, 0) },
  { home: 'bellavista-cf', away: 'drakenfels-sv', day: -3, result: score(1, 2), shown: score(1, 1) },
]
const SEMI_FINALS: CupMatch[] = [
  { home: 'harbour-city', away: 'drakenfels-sv', day: 3 },
  { home: 'porto-sereno', away: 'ashbourne-rovers', day: 4 },
]

const entryOf = (calendar: Calendar, round: string, { home, away, day }: CupMatch): MatchEntry => ({
  id: `cup-2026-${home}-${away}`,
  competition: cup.id,
  season: seasonOf(calendar),
  round: inLanguages(round),
  homeTeamId: home,
  awayTeamId: away,
  kickoffAt: calendar.eveningIn(day).toISOString(),
  venue: venueOf(home),
})

/** The matches of its rounds as they are before kick-off, by kick-off. */
export const cupOf = (calendar: Calendar) => ({
  played: QUARTER_FINALS.map(({ result, shown, ...match }) => ({
    match: entryOf(calendar, 'Quarter-final', match),
    result,
    shown,
  })),
  open: SEMI_FINALS.map(match => entryOf(calendar, 'Semi-final', match)),
})
