/** All fans in ranges of ids. */
import { and } from 'drizzle-orm'
import { EVERYONE, inRange, type Range, type Span } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { eachPage } from '../../../db/keyset.ts'

/** Maximum of fans in memory. */
const RANGE_FANS = 500

export type Ranges = AsyncGenerator<{ range: Range; userIds: string[] }>

/** Divides all ids of a span into ranges of at most 500 fans, so that rows without a user are in a range too. */
export async function* readRanges(reader: Reader, span: Span = EVERYONE): Ranges {
  const { users } = reader.tables
  const pages = eachPage(
    { id: users.id },
    after =>
      reader
        .select({ id: users.id })
        .from(users)
        .where(and(inRange(users.id, span), after)),
    { size: RANGE_FANS },
  )
  let { after } = span
  for await (const rows of pages) {
    const upTo: string | null = rows.at(-1)?.id ?? null
    yield { range: { after, upTo }, userIds: rows.map(({ id }) => id) }
    after = upTo
  }
  yield { range: { after, upTo: span.upTo }, userIds: [] }
}
