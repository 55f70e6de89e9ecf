/**
 * Seams: where the archived past of a fan ends, and what its rows add to figures that follow from all entries and events. Archived are only
 * events of other systems that happened long ago, with the entries of the rules that they earned.
 */
import { eq } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { rowsOfListed, toList } from '../../../db/listed.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { BoardScore } from '../leaderboard/rank-index/rank-index.ts'
import type { Lot } from './lots.ts'

export type Seam = Tables['archiveSeams']['$inferSelect']

export interface SeamState {
  /** What remains of the archived entries on each board. */
  scores: BoardScore[]
  /** Earned points by UTC day: midnight in milliseconds, and points. */
  lots: [day: number, points: number][]
  /** What was taken back of them, by the day on which it was earned. */
  taken: [day: number, points: number][]
  /** Grants of rules with a limit: all of them, and those whose use was not returned. */
  uses: { ruleId: string; window: string; ever: number; held: number }[]
  /** Points that count against budgets. */
  budgets: { ruleId: string; points: number }[]
}

export const EMPTY_STATE: SeamState = { scores: [], lots: [], taken: [], uses: [], budgets: [] }

/** The state of a column `state`; empty without one. @throws SyntaxError */
export function parseState(text: string | null | undefined): SeamState {
  if (text === null || text === undefined) return EMPTY_STATE
  // Guarantee of the cast: the members are checked below.
  const state = { taken: [], ...JSON.parse(text) } as SeamState
  const { scores, lots, taken, uses, budgets } = state
  const isState =
    [scores, lots, taken, uses, budgets].every(Array.isArray) &&
    scores.every(({ board, points }) => typeof board === 'string' && Number.isInteger(points)) &&
    [...lots, ...taken].every(lot => Array.isArray(lot) && lot.every(Number.isInteger)) &&
    uses.every(({ window, held }) => typeof window === 'string' && Number.isInteger(held)) &&
    budgets.every(({ points }) => Number.isInteger(points))
  if (!isState) throw new SyntaxError('no state of a seam')
  return state
}

/** As `parseState`, for checks; null for a state that cannot be read. */
export function readState(text: string | null | undefined): SeamState | null {
  try {
    return parseState(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** The seams of fans with an archived past, by user id. */
export async function readSeamsOf(reader: Reader, range: Range): Promise<Map<string, Seam>> {
  const { archiveSeams } = reader.tables
  const seams = await reader.select().from(archiveSeams).where(inRange(archiveSeams.userId, range))
  return new Map(seams.map(seam => [seam.userId, seam]))
}

/** The seams of these fans, by user id. */
export async function readSeams(reader: Reader, userIds: string[]): Promise<Map<string, Seam>> {
  const rows = userIds.length === 0 ? [] : await selectSeams(reader, toList(userIds))
  return new Map(rows.map(seam => [seam.userId, seam]))
}

const selectSeams = prepared((reader: Reader, userIds: string) => {
  const { archiveSeams } = reader.tables
  const found = rowsOfListed(reader, archiveSeams, userIds, id => eq(archiveSeams.userId, id))
  return reader.with(found).select().from(found)
})

export const findSeam = preparedRow((reader: Reader, userId: string) => {
  const { archiveSeams } = reader.tables
  return reader.select().from(archiveSeams).where(eq(archiveSeams.userId, userId))
})

/** What archived entries of these fans have earned, by UTC day. */
export async function readArchivedLots(reader: Reader, userIds: string[]): Promise<Map<string, Lot[]>> {
  const seams = await readSeams(reader, userIds)
  return new Map([...seams].map(([userId, { state }]) => [userId, lotsIn(parseState(state))]))
}

/** What remains of the archived points of these fans that were earned on the UTC day of `since` or later. */
export async function readArchivedSince(reader: Reader, userIds: string[], since: Date): Promise<number> {
  const first = since.getTime() - (since.getTime() % DAY_MS)
  const sumSince = (lots: SeamState['lots']) =>
    lots.reduce((sum, [day, points]) => (day >= first ? sum + points : sum), 0)
  const seams = await readSeams(reader, userIds)
  return [...seams.values()].reduce((sum, { state }) => {
    const { lots, taken } = parseState(state)
    return sum + sumSince(lots) - sumSince(taken)
  }, 0)
}

const DAY_MS = 86_400_000

const lotsIn = ({ lots }: SeamState): Lot[] => lots.map(([day, points]) => ({ points, at: new Date(day) }))

/** Points of the global board that are archived, and when the last of them were earned. */
export function archivedPoints(state: string | null | undefined): { points: number; reachedAt: Date | null } {
  const all = parseState(state).scores.find(({ board }) => board === 'all')
  return all ? { points: all.points, reachedAt: new Date(all.reachedAt) } : { points: 0, reachedAt: null }
}

/** For the erasure of a fan: the files of the archive keep the fan's lines, which nobody can decrypt then. */
export const deleteArchiveKey = prepared((tx: Transaction, userId: string) => {
  const { archiveSeams } = tx.tables
  return tx.update(archiveSeams).set({ key: null }).where(eq(archiveSeams.userId, userId))
})

export async function saveSeam(tx: Transaction, seam: Seam): Promise<void> {
  const { userId: _, ...columns } = seam
  await insertRows(tx, tx.tables.archiveSeams, [seam], { set: Object.keys(columns) })
}

/** From here on, triggers refuse to delete entries of the fan. */
export async function sealAgain(tx: Transaction, userId: string): Promise<void> {
  const { archiveSeams } = tx.tables
  await tx.update(archiveSeams).set({ sealed: true }).where(eq(archiveSeams.userId, userId))
}
