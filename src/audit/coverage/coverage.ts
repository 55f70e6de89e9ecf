/**
 * Which fans a run of a verification reads: all, a part of them, or those with changes since everything was verified. The record
 * of earlier runs tells it.
 */
import { and, type Column, eq, gte, inArray, isNotNull, sql } from 'drizzle-orm'
import { CLOCKS_DIFFER_MS, EVERYONE, idAt, inRange, type Span } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import { type Ranges, readRanges } from './ranges.ts'

/** Fans with changes that are read at once: they are not neighbours in any index. */
const CHANGED_FANS = 100

export const COMMANDS = ['verify-ledger', 'verify-quests'] as const
type Command = (typeof COMMANDS)[number]

/** Part 3 of 7. */
export interface Part {
  part: number
  of: number
}

export interface Coverage {
  command: Command
  kind: 'full' | 'part' | 'changes'
  startedAt: Date
  /** For the progress. */
  countFans(): Promise<number>
  ranges: Ranges
  /** Whether the run also checks what does not belong to single fans. Of a run in parts, only the last part does. */
  isGeneral: boolean
  part?: Part & { bounds: string[] }
  /** Of the kind `changes`. */
  since?: Date
}

/** Parts of a run in `verification_coverage.parts`. `bounds`: the last id of each part but the last, so that no fan changes parts. */
export interface Parts {
  bounds: string[]
  /** The starts of the parts that are verified, by their numbers. */
  startedAt: Record<string, string>
}

/** Reads nothing yet: a damaged database is verified too. */
export const coverAll = (reader: Reader, command: Command): Coverage => ({
  command,
  kind: 'full',
  startedAt: reader.now(),
  ...coverSpan(reader, EVERYONE),
  isGeneral: true,
})

const coverSpan = (reader: Reader, span: Span) => ({
  countFans: () => countRows(reader, reader.tables.users, inRange(reader.tables.users.id, span)),
  ranges: readRanges(reader, span),
})

/** All fans, unless `part` is given, or `sinceLast` and everything was verified before. */
export async function planCoverage(
  reader: Reader,
  command: Command,
  { sinceLast = false, part }: { sinceLast?: boolean | undefined; part?: Part | undefined },
): Promise<Coverage> {
  const full = coverAll(reader, command)
  if (!sinceLast && !part) return full
  const { verificationCoverage: coverage } = reader.tables
  const [stored] = await reader.select().from(coverage).where(eq(coverage.command, command))
  if (part) {
    const known = partsOf(stored?.parts)?.bounds
    const bounds = known?.length === part.of - 1 ? known : await readBounds(reader, part.of)
    const span: Span = { after: bounds[part.part - 2] ?? null, upTo: bounds[part.part - 1] ?? null }
    const isGeneral = part.part === part.of
    return { ...full, kind: 'part', ...coverSpan(reader, span), isGeneral, part: { ...part, bounds } }
  }
  const since = stored?.verifiedAt
  // A clock was ahead: what has changed since then looks older.
  if (!since || since > full.startedAt) return full
  const { pastChangedAt } = stored
  if (pastChangedAt && pastChangedAt.getTime() >= since.getTime() - CLOCKS_DIFFER_MS) return full
  const ids = await readChanged(reader, since)
  const countFans = async () => ids.size
  return { ...full, kind: 'changes', countFans, ranges: rangesOf(reader, ids), isGeneral: false, since }
}

export const partsOf = (text: string | null | undefined) =>
  // Guarantee of the cast: only `recordCoverage` writes the column.
  text ? (JSON.parse(text) as Parts) : undefined

/** The parts of a run that are not verified yet: none once all are. */
export async function listMissingParts(reader: Reader, { command, part }: Coverage): Promise<number[]> {
  const { verificationCoverage: coverage } = reader.tables
  const [stored] = await reader.select().from(coverage).where(eq(coverage.command, command))
  const parts = partsOf(stored?.parts)
  if (!part || !parts) return []
  return Array.from({ length: part.of }, (_, n) => n + 1).filter(nth => parts.startedAt[nth] === undefined)
}

async function readBounds(reader: Reader, of: number): Promise<string[]> {
  const { users } = reader.tables
  const numbered = reader
    .select({ id: users.id, part: sql<number>`ntile(${of}) over (order by ${users.id})`.as('part') })
    .from(users)
    .as('numbered')
  const rows = await reader
    .select({ last: sql<string>`max(${numbered.id})` })
    .from(numbered)
    .groupBy(numbered.part)
    .orderBy(numbered.part)
  // With fewer fans than parts, the further parts have no fans.
  return Array.from({ length: of - 1 }, (_, n) => (rows[n] ?? rows.at(-1))?.last ?? '')
}

/** Fans with new entries or events, or whose record has changed. Times differ between processes, and a commit follows later. */
async function readChanged(reader: Reader, since: Date): Promise<Set<string>> {
  const { users, pointsEntries: entries, events } = reader.tables
  const from = new Date(since.getTime() - CLOCKS_DIFFER_MS)
  // For the plain column, SQLite reads the whole index by fan instead of the new rows.
  const distinct = (column: Column) => reader.selectDistinct({ id: sql<string>`${column} || ''` })
  const rows = await Promise.all([
    distinct(entries.userId)
      .from(entries)
      .where(gte(entries.id, idAt(since, -1))),
    distinct(events.userId)
      .from(events)
      // The condition of the index `events_recorded`.
      .where(and(isNotNull(events.data), gte(events.recordedAt, from), isNotNull(events.userId))),
    reader.select({ id: users.id }).from(users).where(gte(users.updatedAt, from)),
  ])
  return new Set(rows.flat().map(row => row.id))
}

/** With the fans who remained of merges: the records of a person are checked together. */
async function* rangesOf(reader: Reader, ids: Set<string>): Ranges {
  const { users } = reader.tables
  const left = [...ids].toSorted()
  while (left.length > 0) {
    const among = left.splice(0, CHANGED_FANS)
    const known = await reader
      .select({ id: users.id, into: users.mergedIntoId })
      .from(users)
      .where(inArray(users.id, among))
    for (const { into } of known)
      if (into !== null && !ids.has(into)) {
        ids.add(into)
        left.push(into)
      }
    yield { range: { among }, userIds: known.map(({ id }) => id) }
  }
}
