/**
 * How many fans chose each outcome of a match, in competitions that give points by it. The database counts when predictions of the
 * match have closed, in one statement that waits for those who predict. Fans are told then, and nobody can predict the match afterwards.
 */
import { and, type Column, eq, exists, inArray, isNotNull, isNull, lt, not, sql } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { findDeadline, selectCrowded } from '../../club/matches/matches.ts'
import { lockMatch } from '../../club/matches/revise.ts'
import { matchesTag } from '../../platform/cache/tags.ts'

export const findSplit = preparedRow((reader: Reader, matchId: string) => {
  const { predictionSplits: splits } = reader.tables
  const { home, draw, away } = splits
  return reader.select({ home, draw, away }).from(splits).where(eq(splits.matchId, matchId))
})

/** Whether a result has settled a prediction of the match. */
function isSettled(reader: Reader, matchId: Column) {
  const { predictions } = reader.tables
  return exists(
    reader
      .select({ one: sql`1` })
      .from(predictions)
      .where(and(eq(predictions.matchId, matchId), isNotNull(predictions.settledBy))),
  )
}

/** The closed matches without a split. One whose settlement began without a split never gets one. */
const listDue = prepared((reader: Reader, now: Date, matchId?: string) => {
  const { predictionSplits: splits } = reader.tables
  const closed = selectCrowded(reader, now, { closed: true }).as('closed')
  return reader
    .select({ id: closed.id })
    .from(closed)
    .leftJoin(splits, eq(splits.matchId, closed.id))
    .where(
      and(
        isNull(splits.matchId),
        not(isSettled(reader, closed.id)),
        matchId === undefined ? undefined : eq(closed.id, matchId),
      ),
    )
})

/**
 * The matches with a split that fans can predict again: a report closed them before the planned deadline, and another one has
 * corrected it. A match that was closed by the clock stays closed if its kick-off is moved.
 */
const listReopened = prepared((reader: Reader, now: Date, matchId?: string) => {
  const { predictionSplits: splits } = reader.tables
  const open = selectCrowded(reader, now, { closed: false }).as('open')
  return reader
    .select({ id: open.id })
    .from(open)
    .innerJoin(splits, eq(splits.matchId, open.id))
    .where(
      and(
        lt(splits.frozenAt, splits.kickoffAt),
        not(isSettled(reader, open.id)),
        matchId === undefined ? undefined : eq(open.id, matchId),
      ),
    )
})

/** Writes the splits that are due, and deletes those that were written too early. Any number of processes may run this at the same time. */
export async function freezeDueSplits({ read, write }: Pick<Database, 'read' | 'write'>, matchId?: string) {
  for (const { id } of await listReopened(read, read.now(), matchId)) await write(tx => deleteSplit(tx, id))
  for (const { id } of await listDue(read, read.now(), matchId)) await write(tx => freezeSplit(tx, id))
}

/** Those of the matches that have a split, which is written now where it is due. */
export async function freezeSplits(tx: Transaction, matchIds: string[]): Promise<Set<string>> {
  if (matchIds.length === 0) return new Set()
  for (const matchId of matchIds.toSorted()) await freezeSplit(tx, matchId)
  const { matchId } = tx.tables.predictionSplits
  const rows = await tx.select({ matchId }).from(tx.tables.predictionSplits).where(inArray(matchId, matchIds))
  return new Set(rows.map(row => row.matchId))
}

async function freezeSplit(tx: Transaction, matchId: string): Promise<void> {
  const isDue = async () => (await listDue(tx, tx.clock(), matchId)).length > 0
  if (!(await isDue())) return
  await lockMatch(tx, matchId)
  if (!(await isDue())) return
  const deadline = await findDeadline(tx, matchId)
  if (!deadline) return
  await insertSplit(tx, { matchId, deadline, now: tx.clock() })
  tx.invalidate(matchesTag)
}

async function deleteSplit(tx: Transaction, matchId: string): Promise<void> {
  await lockMatch(tx, matchId)
  if ((await listReopened(tx, tx.clock(), matchId)).length === 0) return
  const { predictionSplits: splits } = tx.tables
  await tx.delete(splits).where(eq(splits.matchId, matchId))
  tx.invalidate(matchesTag)
}

const insertSplit = prepared(
  (tx: Transaction, { matchId, deadline, now }: { matchId: string; deadline: Date; now: Date }) => {
    const { predictions, predictionSplits: splits } = tx.tables
    const { homeScore, awayScore, changedAt } = predictions
    const countIf = (condition: ReturnType<typeof sql>, name: string) =>
      sql<number>`count(case when ${condition} then 1 end)`.as(name)
    return tx
      .insert(splits)
      .select(
        tx
          .select({
            matchId: sql<string>`${matchId}`.as('match_id'),
            kickoffAt: sql<Date>`${deadline}`.as('kickoff_at'),
            frozenAt: sql<Date>`${now}`.as('frozen_at'),
            home: countIf(sql`${homeScore} > ${awayScore}`, 'home'),
            draw: countIf(sql`${homeScore} = ${awayScore}`, 'draw'),
            away: countIf(sql`${homeScore} < ${awayScore}`, 'away'),
          })
          .from(predictions)
          .where(and(eq(predictions.matchId, matchId), lt(changedAt, deadline))),
      )
      .onConflictDoNothing()
  },
)
