/** Entries by their place in the ledgers of fans: for the events that have them, and for checks. */
import { and, between, eq, or } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { eachPage } from '../../../db/keyset.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { ChainedEntry } from '../ledgers/chain.ts'

/** Entries of a fan that follow each other. */
export interface EntrySpan {
  userId: string
  /** `seq` of the first and of the last one. */
  first: number
  last: number
}

/** Spans of one statement. */
const PER_STATEMENT = 100

const nameOf = (userId: string, seq: number) => `${userId} ${seq}`

/** A function that returns the entries of one of these spans, in order. */
export async function readEntrySpans(reader: Reader, spans: EntrySpan[]) {
  const { pointsEntries } = reader.tables
  const { userId, seq } = pointsEntries
  const entries = new Map<string, ChainedEntry>()
  for (let from = 0; from < spans.length; from += PER_STATEMENT) {
    const wanted = spans.slice(from, from + PER_STATEMENT)
    const found = await reader
      .select()
      .from(pointsEntries)
      .where(or(...wanted.map(span => and(eq(userId, span.userId), between(seq, span.first, span.last)))))
    for (const entry of found) entries.set(nameOf(entry.userId, entry.seq), entry)
  }
  return ({ userId, first, last }: EntrySpan) =>
    Array.from({ length: last - first + 1 }, (_, n) => entries.get(nameOf(userId, first + n))).filter(
      entry => entry !== undefined,
    )
}

/** The place of an entry. */
export const findPlace = preparedRow((reader: Reader, id: string) => {
  const { pointsEntries } = reader.tables
  return reader
    .select({ userId: pointsEntries.userId, seq: pointsEntries.seq })
    .from(pointsEntries)
    .where(eq(pointsEntries.id, id))
})

/** Entries of a page that checks read. */
const PAGE_ENTRIES = 2_000

/** Entries of a range by fan and `seq`, page by page. */
export function readEntriesOf(reader: Reader, range: Range): AsyncGenerator<ChainedEntry[]> {
  const { pointsEntries: entries } = reader.tables
  const { userId, seq } = entries
  return eachPage(
    { userId, seq },
    after =>
      reader
        .select()
        .from(entries)
        .where(and(inRange(userId, range), after)),
    { size: PAGE_ENTRIES },
  )
}
