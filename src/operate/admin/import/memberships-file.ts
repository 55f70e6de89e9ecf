/** Imports a file of memberships: checks every line, then writes what is due. Repeated after an interruption, it continues. */
import { inArray } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../../../db/index.ts'
import { rollBack } from '../../../../db/roll-back.ts'
import { writeInBatches } from '../../../../db/write-in-batches.ts'
import {
  type FanNaming,
  type FanReference,
  type ResolvedFan,
  resolveFans,
} from '../../../identity/users/fan-reference.ts'
import type { FaultyLine, RowFile } from '../../../platform/files/row-file.ts'
import { chunksOf } from '../../../platform/files/rows.ts'
import {
  differencesOf,
  type StatedMembership,
  writeMemberships,
} from '../../../play/memberships/write-memberships.ts'
import type { ImportHooks } from './fans-file.ts'
import { type MembershipLine, readMembershipLines } from './read-memberships.ts'

/** Memberships of a look-up, and of a unit of work. */
const CHUNK = 200

interface MembershipsImport extends Omit<Parameters<typeof readMembershipLines>[1], 'provider'> {
  naming: FanNaming
  dryRun?: boolean | undefined
  /** Import the valid lines of a file with invalid ones. */
  skipInvalid?: boolean | undefined
  /** No other process writes: no pauses. */
  exclusive?: boolean | undefined
  /** A monotonic clock, in milliseconds. */
  elapsed: () => number
}

export interface MembershipsHooks extends ImportHooks {
  /** A line without a known fan, or what a line would change. */
  onNote(line: FaultyLine): void | Promise<void>
}

type Written = Required<Pick<MembershipLine, 'membership'>> & MembershipLine

export async function importMembershipsFile(
  db: Database,
  file: RowFile,
  { naming, dryRun, skipInvalid, exclusive, elapsed, ...reading }: MembershipsImport,
  { onChecked, onFaulty, onNote, onWritten }: MembershipsHooks,
) {
  const read = { ...reading, provider: naming.provider }
  const kinds = new Set(await listKinds(db.read))
  const counts = { created: 0, changed: 0, unchanged: 0, unmatched: 0 }
  let [lines, invalid, unreadable] = [0, 0, false]
  const isKnown = ({ membership }: MembershipLine) => membership !== undefined && kinds.has(membership.kindId)
  for await (const line of readMembershipLines(file, read)) {
    lines++
    const unknown = line.membership && !isKnown(line)
    const faults = unknown
      ? [{ field: 'kind', message: 'is not a kind of membership of the catalogue' }]
      : line.faults
    if (faults.length > 0) {
      invalid++
      await onFaulty({ ...line, faults })
    }
    unreadable ||= line.fatal === true
    await onChecked(lines)
  }
  const refused = unreadable || (invalid > 0 && !skipInvalid)
  if (refused) return { lines, ...counts, invalid, refused, unreadable }

  async function* valid(): AsyncGenerator<Written> {
    for await (const line of readMembershipLines(file, read)) {
      const { membership } = line
      if (membership && isKnown(line)) yield { ...line, membership }
    }
  }

  async function report(notes: { line: number; message: string }[], outcomes: (keyof typeof counts)[]) {
    for (const outcome of outcomes) counts[outcome]++
    for (const { line, message } of notes) await onNote({ line, faults: [{ field: '', message }] })
  }

  if (dryRun) {
    for await (const chunk of chunksOf(valid(), CHUNK)) {
      const { notes, outcomes } = await rollBack(db, tx => writeChunk(tx, chunk, naming))
      await report(notes, outcomes)
      await onWritten(counts.created + counts.changed + counts.unchanged + counts.unmatched, lines - invalid)
    }
    return { lines, ...counts, invalid, refused, unreadable }
  }
  await writeInBatches(
    db,
    chunksOf(valid(), CHUNK),
    async (tx, chunk) => {
      const { notes, outcomes } = await writeChunk(tx, chunk, naming)
      tx.afterCommit(() => void report(notes, outcomes))
    },
    {
      ...(exclusive ? { exclusive } : {}),
      countOf: chunk => chunk.length,
      elapsed,
      onBatch: ({ done }) => onWritten(done, lines - invalid),
    },
  )
  return { lines, ...counts, invalid, refused, unreadable }
}

async function listKinds(reader: Reader): Promise<string[]> {
  const { memberships } = reader.tables
  return (await reader.select({ id: memberships.id }).from(memberships)).map(({ id }) => id)
}

type LineResult = 'created' | 'changed' | 'unchanged' | 'unmatched'

/** Lines that name no known fan are not written: a later run finds the fan. */
async function writeChunk(tx: Transaction, chunk: Written[], naming: FanNaming) {
  const named = chunk.flatMap(({ membership }) => membership.fan ?? [])
  const resolved = await resolveFans(tx, named, naming)
  const notes: { line: number; message: string }[] = []
  const found: { line: number; stated: StatedMembership }[] = []
  for (const { line, membership } of chunk) {
    const { fan, unclear, ...terms } = membership
    const one = fan ? resolved.shift() : undefined
    if (one && 'userId' in one && !unclear) found.push({ line, stated: { ...terms, userId: one.userId } })
    else notes.push({ line, message: unclear ?? whyMissing(fan, one) })
  }
  const { fanMemberships: rows } = tx.tables
  const refs = found.map(({ stated }) => stated.ref)
  const stored = await tx.select().from(rows).where(inArray(rows.ref, refs))
  const before = new Map(stored.map(row => [row.ref, row]))
  const written = await writeMemberships(
    tx,
    found.map(({ stated }) => stated),
  )
  const outcomes = written.map((outcome, index): LineResult => {
    const { line, stated } = found[index] ?? { line: 0, stated: undefined }
    const old = before.get(stated?.ref ?? '')
    if (outcome === 'of_another_fan') {
      notes.push({
        line,
        message: 'is a membership of another fan: end it, and give the new one another ref',
      })
      return 'unmatched'
    }
    if (outcome === 'changed' && stated && old) {
      const changes = differencesOf(old, stated).map(({ member, from, to }) => `${member} ${from} -> ${to}`)
      notes.push({ line, message: `changes ${changes.join(', ')}` })
    }
    return outcome
  })
  const unmatched = Array.from({ length: chunk.length - found.length }, (): LineResult => 'unmatched')
  return { notes, outcomes: [...outcomes, ...unmatched] }
}

function whyMissing(fan: FanReference | null, resolved: ResolvedFan | undefined): string {
  if (!fan) return 'names no fan: it has neither a subject nor an e-mail'
  if (resolved && 'missing' in resolved && resolved.missing === 'erased') return 'is of a fan who was erased'
  return 'email' in fan
    ? 'has an e-mail that no fan, or more than one, has verified'
    : 'has an unknown provider'
}
