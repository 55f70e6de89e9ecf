/** Who is in a segment: one fan by values in memory, and all by one condition in SQL. */
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { daysBetween, type FactValue, factNamed, meetsCondition } from '../../../club/segments/facts.ts'
import { findSegment, parseWhen, type SegmentCondition } from '../../../club/segments/segment-kind.ts'
import { csvLine } from '../../../core/csv.ts'
import { conditionSql, expressionOf, isFan } from './fact-sql.ts'

/** What is known of a fan, by the names of facts. */
export async function readFacts(
  reader: Reader,
  userId: string,
  names: string[],
): Promise<Record<string, FactValue>> {
  const facts: Record<string, FactValue> = {}
  for (const name of new Set(names)) {
    const fact = factNamed(name)
    if (fact) facts[name] = await readFact(reader, userId, fact)
  }
  return facts
}

async function readFact(reader: Reader, userId: string, fact: Parameters<typeof expressionOf>[1]) {
  const { users, fanMemberships } = reader.tables
  const of = expressionOf(reader, fact)
  const isOwn = eq(users.id, userId)
  if (of.type === 'set') {
    const { kindId, startsAt, endsAt } = fanMemberships
    const rows = await reader
      .select({ kindId, startsAt, endsAt })
      .from(fanMemberships)
      .where(eq(fanMemberships.userId, userId))
    const now = reader.now()
    const active = rows.filter(row => row.startsAt <= now && now < row.endsAt)
    return [...new Set(active.map(row => row.kindId))]
  }
  if (of.type === 'text') {
    const [row] = await reader
      .select({ value: sql<string | null>`${of.text}` })
      .from(users)
      .where(isOwn)
    return row?.value ?? null
  }
  if (of.type === 'number') {
    const [row] = await reader
      .select({ value: of.number.mapWith(Number) })
      .from(users)
      .where(isOwn)
    return row?.value ?? 0
  }
  if (of.type === 'boolean') {
    const [row] = await reader
      .select({ value: of.is.mapWith(Boolean) })
      .from(users)
      .where(isOwn)
    return row?.value ?? false
  }
  const time = sql`${of.time}`.mapWith(of.like)
  const [row] = await reader.select({ value: time }).from(users).where(isOwn)
  return row?.value instanceof Date ? daysBetween(row.value, reader.now()) : null
}

/** Whether the fan is in the segment now: false for one that is switched off. */
export async function isInSegment(reader: Reader, userId: string, segmentId: string): Promise<boolean> {
  const segment = await findSegment(reader, segmentId)
  return segment?.active === true && meetsAll(reader, userId, parseWhen(segment.definition))
}

/** Whether a fan meets all conditions, by values in memory. */
export async function meetsAll(reader: Reader, userId: string, when: SegmentCondition[]): Promise<boolean> {
  const facts = await readFacts(
    reader,
    userId,
    when.map(({ fact }) => fact),
  )
  return when.every(condition => meetsCondition(condition, facts[condition.fact] ?? null))
}

/** SQL: fans who meet all conditions, neither erased nor merged. */
export const isMember = (reader: Reader, when: SegmentCondition[]): SQL | undefined =>
  and(isFan(reader), ...when.map(condition => conditionSql(reader, condition)))

/** Fans of a segment by id, in pages. */
export async function listMembers(
  reader: Reader,
  when: SegmentCondition[],
  { after, size }: { after: string; size: number },
) {
  const { users } = reader.tables
  const { id, provider, subject, handle } = users
  return reader
    .select({ userId: id, provider, subject, handle })
    .from(users)
    .where(and(isMember(reader, when), gt(id, after)))
    .orderBy(asc(id))
    .limit(size)
}

const PAGE = 1_000

/** All fans of a segment, page by page. */
export async function* memberPages(reader: Reader, when: SegmentCondition[], size = PAGE) {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const fans: Awaited<ReturnType<typeof listMembers>> = await listMembers(reader, when, { after, size })
    yield fans
    after = fans.length < size ? undefined : fans.at(-1)?.userId
  }
}

/** The fans of a segment as a file for spreadsheets, in pieces of a page. */
export async function* segmentCsv(
  reader: Reader,
  when: SegmentCondition[],
  size?: number,
): AsyncGenerator<string> {
  yield csvLine(['userId', 'provider', 'subject', 'handle'])
  for await (const fans of memberPages(reader, when, size))
    yield fans
      .map(({ userId, provider, subject, handle }) => csvLine([userId, provider, subject, handle]))
      .join('')
}
