/**
 * How many fans chose each outcome of a match, in competitions that give points by it. The database counts when predictions of the
 * match have closed, in one statement that waits for those who predict. Fans are told then, and nobody can predict the match afterwards.
 */
import { and, eq, inArray, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { selectClosed } from '../../club/matches/matches.ts'
import { lockMatch } from '../../club/matches/revise.ts'
import { matchesTag } from '../../platform/cache/tags.ts'

export const findSplit = preparedRow((reader: Reader, matchId: string) => {
  const { predictionSplits: splits } = reader.tables
  const { home, draw, away } = splits
  return reader.select({ home, draw, away }).from(splits).where(eq(splits.matchId, matchId))
})

/** Query for the closed matches without a split. One whose settlement began without a split never gets one. */
function selectDue(reader: Reader, now: Date, matchId?: string) {
  const { predictions, predictionSplits: splits } = reader.tables
  const closed = selectClosed(reader, now).as('closed')
  const isSettled = reader
    .select({ one: sql`1` })
    .from(predictions)
    .where(and(eq(predictions.matchId, closed.id), isNotNull(predictions.settledBy)))
  return reader
    .select({ id: closed.id, kickoffAt: closed.kickoffAt })
    .from(closed)
    .leftJoin(splits, eq(splits.matchId, closed.id))
    .where(
      and(
        isNull(splits.matchId),
        notExists(isSettled),
        matchId === undefined ? undefined : eq(closed.id, matchId),
      ),
    )
}

const listDue = prepared((reader: Reader, now: Date, matchId?: string) => selectDue(reader, now, matchId))

/** Writes the splits that are due. Any number of processes may run this at the same time. */
export async function freezeDueSplits({ read, write }: Pick<Database, 'read' | 'write'>, matchId?: string) {
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
  if ((await listDue(tx, tx.clock(), matchId)).length === 0) return
  await lockMatch(tx, matchId)
  const [match] = await listDue(tx, tx.clock(), matchId)
  if (!match) return
  await insertSplit(tx, { matchId, kickoffAt: match.kickoffAt, now: tx.clock() })
  tx.invalidate(matchesTag)
}

const insertSplit = prepared(
  (tx: Transaction, { matchId, kickoffAt, now }: { matchId: string; kickoffAt: Date; now: Date }) => {
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
            kickoffAt: sql<Date>`${kickoffAt}`.as('kickoff_at'),
            frozenAt: sql<Date>`${now}`.as('frozen_at'),
            home: countIf(sql`${homeScore} > ${awayScore}`, 'home'),
            draw: countIf(sql`${homeScore} = ${awayScore}`, 'draw'),
            away: countIf(sql`${homeScore} < ${awayScore}`, 'away'),
          })
          .from(predictions)
          .where(and(eq(predictions.matchId, matchId), lt(changedAt, kickoffAt))),
      )
      .onConflictDoNothing()
  },
)
