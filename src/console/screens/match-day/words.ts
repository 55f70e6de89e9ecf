/** The words of matches. */

import type { Data } from '../../api.ts'
import type { Tone } from '../../parts/badge.tsx'

export type ListedMatch = Data<'listConsoleMatches'>['matches'][number]
export type MatchDetail = Data<'readConsoleMatch'>
type Status = ListedMatch['status']

export const STATUSES: { value: Status; title: string }[] = [
  { value: 'scheduled', title: 'Scheduled' },
  { value: 'live', title: 'Live' },
  { value: 'finished', title: 'Finished' },
  { value: 'postponed', title: 'Postponed' },
  { value: 'cancelled', title: 'Cancelled' },
]

const TONES: Record<Status, Tone> = {
  scheduled: 'neutral',
  live: 'accent',
  finished: 'good',
  postponed: 'warn',
  cancelled: 'bad',
}

export const statusOf = (status: Status) => ({
  tone: TONES[status],
  title: STATUSES.find(({ value }) => value === status)?.title ?? status,
})

export const nameOf = ({ home, away }: Pick<ListedMatch, 'home' | 'away'>) => `${home.name} – ${away.name}`

export const scoreOf = ({ homeScore, awayScore }: Pick<ListedMatch, 'homeScore' | 'awayScore'>) =>
  homeScore === null || awayScore === null ? null : `${homeScore} : ${awayScore}`
