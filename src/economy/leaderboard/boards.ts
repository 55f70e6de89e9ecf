/**
 * The boards. Of all points: the global one, and one per ISO week and per month, in UTC, whose ids are how ISO 8601 writes the
 * period. Of the points of predictions: one for all matches, and one per season. Of the fans of one team and of one country:
 * copies of their scores on the global board, which a task keeps (`groups.ts`), and which no entry names.
 */
import { LRUCache } from 'lru-cache'
import { windowAt } from '../../core/windows.ts'

export type Period = 'all' | 'week' | 'month'

export interface Board {
  kind: 'points' | 'predictions'
  period: Period
  /** Season of the matches. Null: of any, and on the boards of all points. */
  season: string | null
  /** `all`, a week like `2026-W47` or a month like `2026-11`; `predictions`, or a season's like `predictions:2026/27`. */
  id: string
  /** First instant of the period, and the first after it; null for `all`. */
  startsAt: Date | null
  endsAt: Date | null
}

const DAY_MS = 86_400_000
const POINTS = { kind: 'points', season: null } as const
const ALWAYS = { period: 'all', startsAt: null, endsAt: null } as const
const ALL: Board = { ...POINTS, ...ALWAYS, id: 'all' }

/** By period and day: every booking needs the boards of its time. */
const known = new LRUCache<string, Board>({ max: 4_096 })

/** The board of a period that an instant belongs to. */
export function boardAt(period: Period, at: Date): Board {
  if (period === 'all') return ALL
  const name = `${period} ${Math.floor(at.getTime() / DAY_MS)}`
  const found = known.get(name)
  if (found) return found
  const { key: id, ...bounds } = windowAt(period, at, 'UTC')
  const board = { ...POINTS, period, id, ...bounds }
  known.set(name, board)
  return board
}

/**
 * Whether a fan who enrolled at an instant takes part in a board: periods that had ended by then are excluded. Only times
 * decide, not the order of writes, so that scores can be recomputed.
 */
export const takesPart = (enrolledAt: Date, { endsAt }: Board) => endsAt === null || enrolledAt < endsAt

/** Longer than any unit of work: after it, no write that began in the period is still running. */
const SETTLED_MS = 60_000

/** Whether a board no longer changes: its period is over, and a minute more. */
export const isFinal = ({ endsAt }: Board, at: Date) =>
  endsAt !== null && at.getTime() >= endsAt.getTime() + SETTLED_MS

/** The boards of all points on which what is earned at an instant counts. */
export const boardsAt = (at: Date): Board[] => [ALL, boardAt('month', at), boardAt('week', at)]

/** When the first of these boards starts, or `now` if all of them have no start or a later one. */
export const earliestStart = (boards: Board[], now: Date) =>
  new Date(Math.min(now.getTime(), ...boards.flatMap(({ startsAt }) => startsAt?.getTime() ?? [])))

/** The board of predictions of a season, or of all matches. It has no end: a result can be corrected at any time. */
export function predictionBoard(season: string | null): Board {
  const id = season === null ? 'predictions' : `predictions:${season}`
  return { ...ALWAYS, kind: 'predictions', season, id }
}

/** The board of an id like `2026-W47` or `2026-11`; null when there is no such week or month. */
export function parseBoard(period: Period, id: string): Board | null {
  const [, year = '', number = ''] = /^(\d{4})-W?(\d{2})$/.exec(id) ?? []
  // 4 January is in the first ISO week of its year.
  const at =
    period === 'week'
      ? new Date(Date.UTC(Number(year), 0, 4 + (Number(number) - 1) * 7))
      : new Date(Date.UTC(Number(year), Number(number) - 1))
  if (year === '' || Number.isNaN(at.getTime())) return null
  const board = boardAt(period, at)
  // A 13th month, or the 53rd week of a year with 52, would be the first of the next year: its id differs.
  const ends = board.endsAt?.getUTCFullYear() ?? 0
  return board.id === id && ends <= 9999 ? board : null
}

/** The board of an id, of any kind. Null when there is none. */
export function boardNamed(id: string): Board | null {
  const [kind, season] = id.split(/:(.*)/s)
  if (kind === 'predictions') return predictionBoard(season ?? null)
  return id === ALL.id ? ALL : (parseBoard('week', id) ?? parseBoard('month', id))
}

/** What groups a fan: both are in the profile. */
export interface Grouped {
  favoriteTeamId: string | null
  country: string | null
}

export const GROUPS = ['team', 'country'] as const
export type Group = (typeof GROUPS)[number]

/** The boards of the groups of a fan. */
export const groupBoardsOf = ({ favoriteTeamId, country }: Grouped): string[] => [
  ...(favoriteTeamId === null ? [] : [`team:${favoriteTeamId}`]),
  ...(country === null ? [] : [`country:${country}`]),
]

/** The group of a board, and its id. Undefined for other boards. */
export function groupNamed(board: string): { group: Group; id: string } | undefined {
  const [name, id] = board.split(/:(.*)/s)
  const group = GROUPS.find(group => group === name)
  return group && id ? { group, id } : undefined
}
