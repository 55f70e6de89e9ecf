/** Enrolment of fans in the leaderboards. */
import { hash } from 'node:crypto'
import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { insertNewRows } from '../../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { rowsByKeys } from '../../../db/keys.ts'
import { eachPage } from '../../../db/keyset.ts'
import { prepared } from '../../../db/prepared.ts'
import { type FanScore, listBoards, readScores, writeManyScores, writeScores } from './rank-index/entries.ts'
import type { BoardScore } from './rank-index/rank-index.ts'

export interface EnrolOptions {
  /** Also enrols a fan who has left. */
  again?: boolean
}

/**
 * Enrols a fan, at most once, with what they have earned before. The caller has locked the fan's points account, so that
 * no points are earned at the same time. True if this call enrolled them.
 */
export async function enrol(
  tx: Transaction,
  userId: string,
  earned: BoardScore[],
  { again = false }: EnrolOptions = {},
): Promise<boolean> {
  const enrolment = enrolmentAt(tx.now(), userId)
  const [row] = await (again ? upsertEnrolment(tx, enrolment) : insertEnrolment(tx, enrolment))
  if (row) await writeScores(tx, userId, [], earned)
  return row !== undefined
}

/** As `enrol` for many fans. */
export async function enrolMany(tx: Transaction, userIds: string[], earned: FanScore[]): Promise<void> {
  const rows = userIds.map(userId => enrolmentAt(tx.now(), userId))
  const enrolled = await insertNewRows(tx, tx.tables.leaderboardEntries, rows)
  const isEnrolled = new Set(enrolled.map(({ userId }) => userId))
  const scores = earned.filter(({ userId }) => isEnrolled.has(userId))
  await writeManyScores(tx, [], scores)
}

const enrolmentAt = (enrolledAt: Date, userId: string) => {
  return { userId, enrolledAt, hash: hashEnrolment({ userId, enrolledAt }) }
}

export type EnrolmentRow = Tables['leaderboardEntries']['$inferSelect']
type NewEnrolment = Tables['leaderboardEntries']['$inferInsert']

const insertEnrolment = prepared((tx: Transaction, enrolment: NewEnrolment) =>
  tx
    .insert(tx.tables.leaderboardEntries)
    .values(enrolment)
    .onConflictDoNothing()
    .returning({ userId: tx.tables.leaderboardEntries.userId }),
)

/** Returns no row if the fan is already enrolled. */
const upsertEnrolment = prepared((tx: Transaction, enrolment: NewEnrolment) => {
  const { leaderboardEntries } = tx.tables
  const { enrolledAt, hash } = enrolment
  return tx
    .insert(leaderboardEntries)
    .values(enrolment)
    .onConflictDoUpdate({
      target: leaderboardEntries.userId,
      set: { enrolledAt, hash, leftAt: null },
      setWhere: isNotNull(leaderboardEntries.leftAt),
    })
    .returning({ userId: leaderboardEntries.userId })
})

/** Removes a fan from all boards, past ones included. The caller has locked the fan's points account. */
export async function unenrol(tx: Transaction, userId: string): Promise<void> {
  const [left] = await updateLeft(tx, { userId, leftAt: tx.now() })
  if (left) await writeScores(tx, userId, await readScores(tx, userId, await listBoards(tx)), [])
}

const updateLeft = prepared((tx: Transaction, { userId, leftAt }: { userId: string; leftAt: Date }) => {
  const { leaderboardEntries } = tx.tables
  return tx
    .update(leaderboardEntries)
    .set({ leftAt })
    .where(and(eq(leaderboardEntries.userId, userId), isNull(leaderboardEntries.leftAt)))
    .returning({ userId: leaderboardEntries.userId })
})

/** When the fan was enrolled; null when they were not, or have left. */
export async function findEnrolment(reader: Reader, userId: string): Promise<Date | null> {
  const [entry] = await selectEnrolment(reader, userId)
  return entry?.enrolledAt ?? null
}

/** The time of enrolment of each fan, without fans who are not enrolled or have left. */
export async function listEnrolments(reader: Reader, userIds: string[]): Promise<Map<string, Date>> {
  const rows = await selectEnrolments(
    reader,
    userIds.map(userId => ({ userId })),
  )
  const enrolled = rows.filter(({ leftAt }) => leftAt === null)
  return new Map(enrolled.map(({ userId, enrolledAt }) => [userId, enrolledAt]))
}

/** The ids of all fans who take part, in pages. */
export async function* eachEnrolled(reader: Reader, size: number): AsyncGenerator<string[]> {
  const { leaderboardEntries } = reader.tables
  const { userId, leftAt } = leaderboardEntries
  const pages = eachPage(
    { userId },
    after => reader.select({ userId, leftAt }).from(leaderboardEntries).where(after),
    { size },
  )
  for await (const rows of pages) yield rows.flatMap(row => (row.leftAt ? [] : row.userId))
}

const selectEnrolments = rowsByKeys('leaderboardEntries', ['userId'])

/** Query for the enrolment of a fan who has not left. */
export function enrolmentOf(reader: Reader, userId: string) {
  const { leaderboardEntries } = reader.tables
  return reader
    .select({ enrolledAt: leaderboardEntries.enrolledAt })
    .from(leaderboardEntries)
    .where(and(eq(leaderboardEntries.userId, userId), isNull(leaderboardEntries.leftAt)))
}

const selectEnrolment = prepared(enrolmentOf)

/** SQL: whether the fan takes part, as a look-up: for `exists`, PostgreSQL may read all enrolments. */
export const takesPartNow = (
  { tables: { leaderboardEntries: entries } }: Pick<Reader, 'tables'>,
  userId: SQL,
) =>
  sql`coalesce((select ${entries.leftAt} is null from ${entries} where ${entries.userId} = ${userId}), false)`

/** SHA-256, in lower-case hex, over the JSON array `["enrolment", userId, enrolledAt]`; `enrolledAt` as in the ledger. */
export function hashEnrolment({ userId, enrolledAt }: { userId: string; enrolledAt: Date }): string {
  return hash('sha256', JSON.stringify(['enrolment', userId, enrolledAt.toISOString()]), 'hex')
}
