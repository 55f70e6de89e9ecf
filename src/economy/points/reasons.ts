/** Why points are booked, and what each reason means for lifetime points and for the boards. */
import { type Board, boardAt, boardNamed, boardsAt, isFinal, predictionBoard } from '../leaderboard/boards.ts'

/** Reasons of entries. Reason and `ref` identify a cause, which is booked once. */
export const POINTS_REASONS = [
  'onboarding',
  'activity',
  'adjustment',
  'pack_purchase',
  'pack_refund',
  'order_payment',
  'order_refund',
  'opening_balance',
  'rule',
  'rule_void',
  'quest',
  'set',
  'prediction',
  'prediction_void',
  'expired',
  'merge',
  'merge_spent',
  'merge_returned',
  'merged',
] as const
export type PointsReason = (typeof POINTS_REASONS)[number]

/** Reasons whose points can be taken back, by an entry whose reason is the same with `_void`. */
export const GRANT_REASONS = ['rule', 'prediction'] as const satisfies PointsReason[]
export type GrantReason = (typeof GRANT_REASONS)[number]
export type VoidReason = `${GrantReason}_void`

export const isGrantReason = (reason: string): reason is GrantReason =>
  GRANT_REASONS.some(granted => granted === reason)

/** The reason of what an entry takes back; undefined if it takes nothing back. */
export const grantReasonOf = (reason: string): GrantReason | undefined =>
  GRANT_REASONS.find(granted => reason === voidReasonOf(granted))

// Guarantee of the cast: a template of the same text.
export const voidReasonOf = <Reason extends GrantReason>(reason: Reason) =>
  `${reason}_void` as `${Reason}_void`

/**
 * The `ref` of entries of predictions: `MATCH:REVISION:SEASON`, without a season if the match has none. An import can change
 * the season of a match, but the scores of a season follow from the entries alone.
 */
export const predictionRefOf = (settled: { matchId: string; revision: number; season: string | null }) =>
  [settled.matchId, settled.revision, ...(settled.season === null ? [] : [settled.season])].join(':')

/** A slug has no colon. */
const seasonOf = (ref: string): string | null => /^[^:]*:[^:]*:(.+)$/s.exec(ref)?.[1] ?? null

/** Refunded points were earned before: they do not count for ranks. */
export const REFUND_REASONS: PointsReason[] = ['pack_refund', 'order_refund', 'merge_returned']

/** Entries that count on boards which their refs name, whatever their time. */
export const REASONS_WITH_BOARDS: PointsReason[] = ['prediction', 'merge']

/**
 * The `ref` of what a merge carries over: `FROM:SEQ`, and `:BOARDS` with the other boards than the global one on which the points
 * count, separated by commas and percent-encoded. `SEQ`: up to which entry of the merged fan.
 */
export const mergeRefOf = ({ fromId, seq, boards }: { fromId: string; seq: number; boards: string }) =>
  [fromId, seq, ...(boards === '' ? [] : [boards])].join(':')

/** Up to which entry of the merged fan the ref carries over; null for another fan. An id has no colon. */
export function seqOfMergeRef(ref: string, fromId: string): number | null {
  const [id, seq] = ref.split(':')
  return id === fromId ? Number(seq) : null
}

function boardsOfMergeRef(ref: string): Board[] {
  const names = ref.split(':')[2]?.split(',').map(decodeURIComponent) ?? []
  return [boardAt('all', new Date(0)), ...names.flatMap(name => boardNamed(name) ?? [])]
}

/** Points earned in another system: they count on the global board and in no week or month. */
const OPENING_REASONS: PointsReason[] = ['opening_balance']

/** What a change adds to lifetime points. Negative for points that are taken back. */
export function earnedBy({ delta, reason }: { delta: number; reason: PointsReason }): number {
  if (grantReasonOf(reason)) return delta
  return REFUND_REASONS.includes(reason) ? 0 : Math.max(delta, 0)
}

/** What determines the boards of an entry. */
export interface Booked {
  reason: PointsReason
  ref: string
  at: Date
}

/** The boards on which the points of an entry count. */
export function boardsFor({ reason, ref, at }: Booked): Board[] {
  if (reason === 'merge') return boardsOfMergeRef(ref)
  const boards = boardsAt(at)
  if (OPENING_REASONS.includes(reason)) return boards.filter(({ period }) => period === 'all')
  if (reason !== 'prediction') return boards
  const season = seasonOf(ref)
  return [...boards, predictionBoard(null), ...(season === null ? [] : [predictionBoard(season)])]
}

/** Earned points, and what was taken back of them later. */
export interface Earning extends Booked {
  points: number
  /** Null while nothing was taken back. */
  taken: { points: number; at: Date } | null
}

/** What counts of an earning on each board: points that were taken back do not, unless the board was final by then. */
export function remainingOf({ points, taken, ...booked }: Earning): { board: Board; points: number }[] {
  return boardsFor(booked)
    .map(board => ({ board, points: taken && !isFinal(board, taken.at) ? points - taken.points : points }))
    .filter(remaining => remaining.points > 0)
}
