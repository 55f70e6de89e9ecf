/**
 * Boxes and tallies of votes. A vote updates its box on the condition that the question is open, and then the tally of its option
 * in this box. With several boxes, votes of a question rarely wait for each other on PostgreSQL.
 */
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Deferred, Transaction } from '../../../db/index.ts'
import { prepared, preparedLast } from '../../../db/prepared.ts'
import { hasOneWriter } from '../../../db/row-lock.ts'
import type { QuestionRow } from './questions.ts'

export const BOXES = 16

/** On SQLite all are in one box: results are the sums of fewer rows. */
export const boxOf = (tx: Pick<Transaction, 'tables'>, userId: string): number =>
  hasOneWriter(tx) ? 0 : spreadBoxOf(userId)

export const spreadBoxOf = (userId: string): number => Bun.hash.xxHash32(userId) % BOXES

/** Creates the boxes, or gives them the times of the question. Votes that are being counted end first. */
export async function writeBoxes(
  tx: Transaction,
  { id: questionId, opensAt, closesAt }: Pick<QuestionRow, 'id' | 'opensAt' | 'closesAt'>,
): Promise<void> {
  const boxes = Array.from({ length: BOXES }, (_, box) => ({ questionId, box, opensAt, closesAt, votes: 0 }))
  await insertRows(tx, tx.tables.questionBoxes, boxes, { set: ['opensAt', 'closesAt'] })
}

interface Counting {
  questionId: string
  box: number
  now: Date
  /** 1 for the first vote of a fan, 0 for a change. */
  by: number
}

/** Counts a vote. Returns no row if the question is not open. The box stays locked. */
export const countIn = prepared((tx: Transaction, { questionId, box, now, by }: Counting) => {
  const { questionBoxes: boxes } = tx.tables
  return tx
    .update(boxes)
    .set({ votes: sql`${boxes.votes} + ${by}` })
    .where(
      and(
        eq(boxes.questionId, questionId),
        eq(boxes.box, box),
        lte(boxes.opensAt, now),
        gt(boxes.closesAt, now),
      ),
    )
    .returning({ box: boxes.box })
})

interface OfTally {
  questionId: string
  box: number
  optionId: string
}

/**
 * Adds `by` to the votes for an option. The box is locked. It is written at the end of the unit of work, on PostgreSQL together
 * with COMMIT, so that votes of a box wait for each other only then.
 */
export function changeTally(tx: Transaction, { by, ...of }: OfTally & { by: 1 | -1 }): void {
  const changes = tx.deferred(changesOfTallies)
  const key = JSON.stringify([of.questionId, of.box, of.optionId])
  const change = changes.getOrInsertComputed(key, () => ({ ...of, by: 0 }))
  change.by += by
}

const changesOfTallies: Deferred<Map<string, OfTally & { by: number }>> = {
  order: 6,
  start: () => new Map(),
  write: async (tx, changes) =>
    // One order for all writers prevents deadlocks.
    [...changes]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, change]) => change)
      .flatMap(({ by, ...of }) =>
        by === 0 ? [] : [by > 0 ? addToTally(tx, { ...of, by }) : takeFromTally(tx, { ...of, by })],
      ),
}

const addToTally = preparedLast((tx, { by, ...of }: OfTally & { by: number }) => {
  const { questionTallies: tallies } = tx.tables
  return tx
    .insert(tallies)
    .values({ ...of, votes: by })
    .onConflictDoUpdate({
      target: [tallies.questionId, tallies.box, tallies.optionId],
      set: { votes: sql`${tallies.votes} + excluded.votes` },
    })
})

const takeFromTally = preparedLast((tx, { questionId, box, optionId, by }: OfTally & { by: number }) => {
  const { questionTallies: tallies } = tx.tables
  return tx
    .update(tallies)
    .set({ votes: sql`${tallies.votes} + ${by}` })
    .where(and(eq(tallies.questionId, questionId), eq(tallies.box, box), eq(tallies.optionId, optionId)))
})

/** Takes a vote out of its box, whether the question is open or not. */
export async function uncount(tx: Transaction, { questionId, box, optionId }: OfTally): Promise<void> {
  const { questionBoxes: boxes } = tx.tables
  await tx
    .update(boxes)
    .set({ votes: sql`${boxes.votes} - 1` })
    .where(and(eq(boxes.questionId, questionId), eq(boxes.box, box)))
  changeTally(tx, { questionId, box, optionId, by: -1 })
}
