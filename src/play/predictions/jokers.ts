/**
 * Jokers, which double the points of a prediction: one of a round and so many of a season for each fan. A void prediction uses none. If
 * its match takes place after all, it has its joker again, unless the fan has used the joker elsewhere.
 */
import { and, asc, eq, inArray, isNotNull, ne, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { readJokers } from '../../club/competitions/competition-kind.ts'
import { lockAllToCount } from '../../identity/users/locks.ts'

type PredictionRow = Tables['predictions']['$inferSelect']

export const hasJoker = ({ jokerRound }: Pick<PredictionRow, 'jokerRound'>): boolean => jokerRound !== null

/** The condition for predictions that use a joker. */
const usesJoker = ({ tables: { predictions } }: Pick<Reader, 'tables'>) =>
  and(isNotNull(predictions.jokerRound), ne(predictions.state, 'void'))

/** Of the predictions of a group. */
export const countJokers = (reader: Reader) =>
  sql`sum(case when ${usesJoker(reader)} then 1 else 0 end)`.mapWith(Number)

interface JokerOf {
  userId: string
  matchId: string
  competition: string | null
  season: string
  round: string
  most: number
}

/** Exact after `lockToCount`. The unique index also refuses a second joker of the round. */
export function hasJokerLeft(
  tx: Transaction,
  { userId, matchId, competition, season, round, most }: JokerOf,
) {
  const { predictions } = tx.tables
  const jokers = (condition?: SQL) =>
    tx
      .select({ jokers: sql`count(*)` })
      .from(predictions)
      .where(
        and(
          eq(predictions.userId, userId),
          sql`${predictions.competition} = ${competition}`,
          eq(predictions.jokerSeason, season),
          usesJoker(tx),
          ne(predictions.matchId, matchId),
          condition,
        ),
      )
  return and(sql`(${jokers()}) < ${most}`, sql`(${jokers(eq(predictions.jokerRound, round))}) = 0`)
}

/**
 * Those of the predictions whose jokers their fans cannot have in addition to those that they use elsewhere. `userId`: the fan who gets all
 * of them. Exact after `lockAllToCount`.
 */
export async function findExcessJokers(
  tx: Transaction,
  rows: PredictionRow[],
  userId?: string,
): Promise<PredictionRow[]> {
  const wanted = rows.filter(hasJoker)
  if (wanted.length === 0) return []
  const { predictions } = tx.tables
  const ownerOf = (row: PredictionRow) => userId ?? row.userId
  const isOwn = inArray(predictions.userId, [...new Set(wanted.map(ownerOf))])
  const inUse = await tx
    .select()
    .from(predictions)
    .where(and(isOwn, usesJoker(tx)))
    .orderBy(asc(predictions.userId), asc(predictions.matchId))
  const limits = await readJokers(tx, [...new Set(wanted.flatMap(({ competition }) => competition ?? []))])
  const used = Map.groupBy(inUse, row => seasonOf(row, row.userId))
  const excess: PredictionRow[] = []
  for (const row of wanted.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())) {
    const own = used.getOrInsertComputed(seasonOf(row, ownerOf(row)), () => [])
    const most = limits.get(row.competition ?? '') ?? Number.POSITIVE_INFINITY
    if (own.length >= most || own.some(({ jokerRound }) => jokerRound === row.jokerRound)) excess.push(row)
    else own.push(row)
  }
  return excess
}

const seasonOf = ({ competition, jokerSeason }: PredictionRow, userId: string) =>
  JSON.stringify([userId, competition, jokerSeason])

const isReturning = (row: PredictionRow) => row.state === 'void' && hasJoker(row)

/** To be called before the predictions are locked, as a fan who predicts does. */
export const lockReturningJokers = (tx: Transaction, rows: PredictionRow[]): Promise<void> =>
  lockAllToCount(
    tx,
    rows.filter(isReturning).map(({ userId }) => userId),
  )

/** The predictions of a match that are void and get another state, without the jokers that their fans have used elsewhere. */
export async function returnJokers(tx: Transaction, rows: PredictionRow[]): Promise<PredictionRow[]> {
  const excess = new Set(await findExcessJokers(tx, rows.filter(isReturning)))
  const none = { jokerSeason: null, jokerRound: null }
  const { predictions } = tx.tables
  for (const [matchId, lost] of Map.groupBy(excess, row => row.matchId)) {
    const isLost = inArray(
      predictions.userId,
      lost.map(({ userId }) => userId),
    )
    await tx
      .update(predictions)
      .set(none)
      .where(and(eq(predictions.matchId, matchId), isLost))
  }
  return rows.map(row => (excess.has(row) ? { ...row, ...none } : row))
}
