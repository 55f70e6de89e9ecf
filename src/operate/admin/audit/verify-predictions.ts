/** Compares what predictions have booked with the ledger, whose entries no one can change. */
import { and, gte, inArray, lt, notExists, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import type { Finding } from './audit-fan.ts'
import { inRange, type Range } from './stored-fans.ts'

/** One statement for each kind of finding, and so one snapshot: a prediction and its entries are written together. */
export async function findWrongPredictions(reader: Reader, range: Range): Promise<Finding[]> {
  const { predictions, pointsEntries: entries } = reader.tables
  const ofPredictions = inArray(entries.reason, ['prediction', 'prediction_void'])
  // A ref is the match, a colon, and more; a slug has no colon, and `;` is the next character.
  const ofMatch = and(
    gte(entries.ref, sql`${predictions.matchId} || ':'`),
    lt(entries.ref, sql`${predictions.matchId} || ';'`),
  )
  const isOwn: SQL = sql`${entries.userId} = ${predictions.userId}`
  const sum = sql<number>`cast(coalesce((${reader
    .select({ sum: sql`sum(${entries.delta})` })
    .from(entries)
    .where(and(isOwn, ofPredictions, ofMatch))}), 0) as bigint)`
  const wrong = await reader
    .select({
      userId: predictions.userId,
      matchId: predictions.matchId,
      booked: predictions.booked,
      sum: sum.mapWith(Number),
    })
    .from(predictions)
    .where(and(inRange(predictions.userId, range), sql`${predictions.booked} <> ${sum}`))
  const stray = await reader
    .select({ userId: entries.userId, ref: entries.ref, seq: entries.seq })
    .from(entries)
    .where(
      and(
        inRange(entries.userId, range),
        ofPredictions,
        notExists(reader.select({ one: sql`1` }).from(predictions).where(and(isOwn, ofMatch))),
      ),
    )
  return [
    ...wrong.map(({ userId, matchId, booked, sum }) => {
      return { userId, what: `predictions.booked of ${matchId}`, expected: sum, actual: booked }
    }),
    ...stray.map(({ userId, ref, seq }) => {
      return { userId, what: 'predictions.row', seq, expected: ref.slice(0, ref.indexOf(':')), actual: null }
    }),
  ]
}
