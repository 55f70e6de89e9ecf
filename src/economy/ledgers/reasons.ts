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
  'code',
  'prediction',
  'prediction_void',
  'question',
  'question_void',
  'expired',
  'merge',
  'merge_void',
  'merge_spent',
  'merge_returned',
  'merge_reclaimed',
  'merged',
] as const
export type PointsReason = (typeof POINTS_REASONS)[number]

/** Reasons whose points can be taken back, by an entry whose reason is the same with `_void`. */
export const GRANT_REASONS = ['rule', 'prediction', 'question', 'merge'] as const satisfies PointsReason[]
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

/** The `ref` of entries of votes: `QUESTION:REVISION`. */
export const questionRefOf = (settled: { questionId: string; revision: number }) =>
  `${settled.questionId}:${settled.revision}`

/** A slug has no colon. */
const seasonOf = (ref: string): string | null => /^[^:]*:[^:]*:(.+)$/s.exec(ref)?.[1] ?? null

/** Refunded points were earned before: they do not count for ranks. */
export const REFUND_REASONS: PointsReason[] = [
  'pack_refund',
  'order_refund',
  'merge_returned',
  'merge_reclaimed',
]

/** Entries that count on boards which their refs name, whatever their time. */
export const REASONS_WITH_BOARDS: PointsReason[] = ['prediction', 'merge']

/** Reasons of entries with which a merge carries points over. */
export const CARRYING_REASONS = ['merge', 'merge_spent', 'merge_returned'] as const satisfies PointsReason[]

interface MergeRef {
  fromId: string
  /** The last entry of the merged fan that is carried over. */
  seq: number
  /** Other boards than the global one on which the points count, separated by commas and percent-encoded. */
  boards: string
  /** The entry of a grant of the merged fan, which is carried over alone, so that it can be taken back. */
  grantSeq?: number
}

/**
 * The `ref` of a merge entry: `FROM:SEQ` or `FROM:SEQ:BOARDS`; for a single grant `FROM:GRANT:BOARDS:SEQ`.
 */
export const mergeRefOf = ({ fromId, seq, boards, grantSeq }: MergeRef) =>
  grantSeq === undefined
    ? [fromId, seq, ...(boards === '' ? [] : [boards])].join(':')
    : [fromId, grantSeq, boards, seq].join(':')

/** Up to which entry of the merged fan the ref carries over; null for another fan. An id has no colon. */
export function seqOfMergeRef(ref: string, fromId: string): number | null {
  const [id, seq, , last] = ref.split(':')
  return id === fromId ? Number(last ?? seq) : null
}

/** What an entry carries over: what the merged fan had left after an entry, of which each merge books several. Null for other entries. */
export function carriedBy({ reason, ref }: { reason: string; ref: string }) {
  if (!CARRYING_REASONS.some(carrying => carrying === reason)) return null
  const [fromId = ''] = ref.split(':')
  return { fromId, seq: seqOfMergeRef(ref, fromId) ?? 0 }
}

/** The entry of the merged fan's grant that the ref carries over; null for another ref. */
export function grantSeqOfMergeRef(ref: string): { fromId: string; seq: number } | null {
  const [fromId = '', seq, , last] = ref.split(':')
  return last === undefined ? null : { fromId, seq: Number(seq) }
}

function boardsOfMergeRef(ref: string): Board[] {
  const names = ref.split(':')[2]?.split(',').filter(Boolean).map(decodeURIComponent) ?? []
  return [boardAt('all', new Date(0)), ...names.flatMap(name => boardNamed(name) ?? [])]
}

/** Points earned in another system: they count on the global board and in no week or month. */
export const OPENING_REASONS: PointsReason[] = ['opening_balance']

/** What a change adds to lifetime points. Negative for points that are taken back. */
export function earnedBy({ delta, reason }: { delta: number; reason: PointsReason }): number {
  if (grantReasonOf(reason)) return delta
  return REFUND_REASONS.includes(reason) ? 0 : Math.max(delta, 0)
}

/** What an entry is booked for. */
export interface Cause {
  userId: string
  reason: string
  ref: string
}

/** The entry of a grant. */
export interface Grant extends Cause {
  reason: GrantReason
}

export interface TakenBack {
  /** Points that were taken: at most the balance. */
  points: number
  /** Points of the grant that the fan has already spent. */
  uncollected: number
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

/**
 * The points of an earning that count on each board: points that were taken back do not count, unless the
 * board was final by then.
 */
export function remainingOf({ points, taken, ...booked }: Earning): { board: Board; points: number }[] {
  return boardsFor(booked)
    .map(board => ({ board, points: taken && !isFinal(board, taken.at) ? points - taken.points : points }))
    .filter(remaining => remaining.points > 0)
}
