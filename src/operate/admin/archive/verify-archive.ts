/**
 * Compares the files of the archive with the seams, in both directions: the hash of each file, and of each fan the chain from the first entry to
 * the seam, balances, lifetime points, events and their ids, and what they add to scores, limits and budgets. Lines of erased fans cannot be read,
 * and are counted.
 */
import { and, count, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm'
import type { Database, Reader } from '../../../../db/index.ts'
import { eachPage } from '../../../../db/keyset.ts'
import { differs, type Finding } from '../../../core/finding.ts'
import { checkLines, compareKept, type End } from '../../../economy/archive/check-lines.ts'
import {
  ArchiveFault,
  type ArchiveFile,
  type Envelope,
  filesOf,
  listArchiveFiles,
  readArchiveFile,
} from '../../../economy/archive/files.ts'
import { decryptLines, readLines } from '../../../economy/archive/lines.ts'
import { archiveKeyOf } from '../../../economy/events/archived.ts'
import type { EventRow } from '../../../economy/events/event.ts'
import type { ChainedEntry } from '../../../economy/ledgers/chain.ts'
import { readSeams, type Seam } from '../../../economy/points/seams.ts'
import { readRuleHistory } from '../../../economy/rules/rule-history.ts'

export interface ArchiveReport {
  files: number
  /** Fans whose lines were compared. */
  fans: number
  entries: number
  events: number
  /** Fans whose lines nobody can read, since they were erased. */
  erased: number
  findings: number
}

/** Fans whose rows are in memory. */
const PAGE_FANS = 100

export async function verifyArchive(
  db: Pick<Database, 'read' | 'snapshot'>,
  folder: string,
  onFinding: (finding: Finding) => void,
): Promise<ArchiveReport> {
  const report = { files: 0, entries: 0, events: 0, findings: 0 }
  const say = (findings: Finding[]) => {
    report.findings += findings.length
    for (const finding of findings) onFinding(finding)
  }
  const history = await readRuleHistory(db.read)
  /** What the file before has said of each fan with several files. */
  const ends = new Map<string, End & { covered: number; ids: number }>()
  /** The files that have lines of each fan. */
  const seen = new Map<string, string[]>()
  const files = await listArchiveFiles(db.read)
  const unread = new Set<string>()
  const erased = new Set<string>()
  for (const file of files) {
    report.files++
    const envelopes = open(folder, file, findings => {
      unread.add(file.id)
      say(findings)
    })
    for (let from = 0; from < envelopes.length; from += PAGE_FANS) {
      const page = envelopes.slice(from, from + PAGE_FANS)
      const userIds = page.map(({ userId }) => userId)
      const { seams, kept, keptEvents, ids } = await db.snapshot(read => readStored(read, userIds))
      for (const { userId, data } of page) {
        const seam = seams.get(userId)
        // Also without a seam: a run that is active may seal the fan later.
        seen.getOrInsertComputed(userId, () => []).push(file.id)
        // Lines that an interrupted run has left, or of a fan who was restored.
        if (!seam || !filesOf(seam).includes(file.id)) continue
        if (seam.key === null) {
          erased.add(userId)
          continue
        }
        const text = decryptLines(data, { file: file.id, userId, key: seam.key })
        if (text === null) {
          say(differs(userId, `archive ${file.id}: lines`, 'readable', 'changed'))
          continue
        }
        const lines = readLines(text)
        const checked = { file: file.id, text, seam, before: ends.get(userId), history }
        const { findings, end } = checkLines(lines, checked)
        const isLast = filesOf(seam).at(-1) === file.id
        const covered = lengthOf(lines.events) + (ends.get(userId)?.covered ?? 0)
        const told = lines.events.length + (ends.get(userId)?.ids ?? 0)
        const stored = ids.get(userId) ?? new Set()
        say(compareIds(userId, lines.events, stored))
        if (isLast) say(differs(userId, 'archived_events', told, stored.size))
        say([...findings, ...compareKept(seam, lines, kept.get(userId) ?? [], isLast)])
        const all = covered + lengthOf(keptEvents.get(userId) ?? [])
        if (isLast) say(differs(userId, 'events.sequence of archived and kept events', seam.sequence, all))
        ends.set(userId, { ...end, covered, ids: told })
        report.entries += lines.entries.length
        report.events += lines.events.length
      }
    }
  }
  const later = (await listArchiveFiles(db.read)).filter(({ id }) => files.every(file => file.id !== id))
  for (const { id } of later) unread.add(id)
  await checkSeams(db, { seen, unread }, say)
  say(await findIdsWithoutSeam(db.read))
  return { ...report, fans: ends.size, erased: erased.size }
}

/** What the database has of these fans, at one time. */
async function readStored(read: Reader, userIds: string[]) {
  const seams = await readSeams(read, userIds)
  const kept = await readKept(read, [...seams.values()])
  const keptEvents = await readKeptSequences(read, [...seams.values()])
  const { archivedEvents } = read.tables
  const rows = await read.select().from(archivedEvents).where(inArray(archivedEvents.userId, userIds))
  const ids = new Map(
    [...Map.groupBy(rows, ({ userId }) => userId)].map(
      ([userId, found]) => [userId, new Set(found.map(({ key }) => key))] as const,
    ),
  )
  return { seams, kept, keptEvents, ids }
}

/** Each event of a file must have its id in the database. */
const compareIds = (userId: string, events: EventRow[], stored: ReadonlySet<string>): Finding[] =>
  events.flatMap(event =>
    stored.has(archiveKeyOf(event))
      ? []
      : differs(userId, `archived_events of ${event.eventId}`, archiveKeyOf(event), null),
  )

interface Walked {
  seen: ReadonlyMap<string, string[]>
  /** Files that could not be read, which has been said, or that were written meanwhile. */
  unread: ReadonlySet<string>
}

/** Each file of a seam must have lines of the fan, and only erased fans have no key. */
async function checkSeams(
  { read }: Pick<Database, 'read'>,
  { seen, unread }: Walked,
  say: (findings: Finding[]) => void,
): Promise<void> {
  const { archiveSeams: seams, users } = read.tables
  const { userId, files } = seams
  const columns = {
    userId,
    files,
    hasKey: sql<number>`case when ${seams.key} is null then 0 else 1 end`,
    isErased: sql<number>`case when ${users.erasedAt} is null then 0 else 1 end`,
  }
  const pages = eachPage(
    { userId },
    after => read.select(columns).from(seams).innerJoin(users, eq(users.id, userId)).where(after),
    { size: PAGE_FANS },
  )
  for await (const page of pages)
    for (const { userId, files, hasKey, isErased } of page) {
      const found = new Set(seen.get(userId))
      for (const id of filesOf({ files }))
        if (!found.has(id) && !unread.has(id))
          say(differs(userId, `archive ${id}: lines of the fan`, 'present', null))
      const [expected, actual] = [isErased === 1 ? null : 'a key', hasKey === 1 ? 'a key' : null]
      say(differs(userId, 'archive_seams.key', expected, actual))
    }
}

/** Fans without a seam, or who were erased, have no ids of archived events. */
async function findIdsWithoutSeam(read: Reader): Promise<Finding[]> {
  const { archivedEvents, archiveSeams } = read.tables
  const { userId } = archivedEvents
  const rows = await read
    .select({ userId, ids: count() })
    .from(archivedEvents)
    .leftJoin(archiveSeams, eq(archiveSeams.userId, userId))
    .where(isNull(archiveSeams.key))
    .groupBy(userId)
  return rows.flatMap(({ userId, ids }) => differs(userId, 'archived_events', 0, ids))
}

function open(folder: string, file: ArchiveFile, say: (findings: Finding[]) => void): Envelope[] {
  try {
    return readArchiveFile(folder, file)
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error
    say(differs(null, `archive ${file.id}`, 'as written', error.state ?? error.message))
    return []
  }
}

/** Entries before the seams that are still in the database, by fan. */
async function readKept(reader: Reader, seams: Seam[]): Promise<Map<string, ChainedEntry[]>> {
  const { pointsEntries: entries } = reader.tables
  if (seams.length === 0) return new Map()
  const rows = await reader
    .select()
    .from(entries)
    .where(or(...seams.map(({ userId, seq }) => and(eq(entries.userId, userId), lte(entries.seq, seq)))))
  return Map.groupBy(rows, ({ userId }) => userId)
}

/** The sequences that events have, with those of the events that are folded into them. */
const lengthOf = (events: { entryCount: number | null }[]) =>
  events.reduce((sum, { entryCount }) => sum + 1 + (entryCount ?? 0), 0)

/** Events before the seams that are still in the database, by fan. */
async function readKeptSequences(reader: Reader, seams: Seam[]) {
  const { events } = reader.tables
  if (seams.length === 0) return new Map<string | null, { entryCount: number | null }[]>()
  const rows = await reader
    .select({ userId: events.userId, entryCount: events.entryCount })
    .from(events)
    .where(
      or(
        ...seams.map(({ userId, sequence }) =>
          and(eq(events.userId, userId), lte(events.sequence, sequence)),
        ),
      ),
    )
  return Map.groupBy(rows, ({ userId }) => userId)
}
