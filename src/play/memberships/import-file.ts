/** Imports a file of memberships: checks every line, then writes what is due. Repeated after an interruption, it continues. */
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { rollBack } from '../../../db/roll-back.ts'
import { rowsTogether, writeInBatches } from '../../../db/write-in-batches.ts'
import {
  type FanNaming,
  type FanReference,
  type ResolvedFan,
  resolveFans,
} from '../../identity/users/fan-reference.ts'
import type { FaultyLine, ImportHooks, RowFile } from '../../platform/files/row-file.ts'
import { chunksOf } from '../../platform/files/rows.ts'
import type { MembershipRow } from './periods.ts'
import { type MembershipLine, readMembershipLines } from './read-file.ts'
import {
  differencesOf,
  type MembershipWriting,
  readMemberships,
  type StatedMembership,
  writeMemberships,
} from './write-memberships.ts'

/** Memberships of a dry run's unit of work, and of one without other processes. */
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

export interface ChangedMembership {
  line: number
  ref: string
  members: ReturnType<typeof differencesOf>
}

export interface MembershipsHooks extends ImportHooks {
  /** A line that is left out, or that staff should look at. */
  onNote(line: FaultyLine): void | Promise<void>
  /** What a line changes. */
  onChanged(changed: ChangedMembership): void | Promise<void>
}

/** `ambiguous`: several fans may be meant. `ofAnotherFan`: the ref was written for another one. Neither is written. */
type LineResult = Exclude<MembershipWriting, 'of_another_fan'> | 'unmatched' | 'ambiguous' | 'ofAnotherFan'

type Written = Required<Pick<MembershipLine, 'membership'>> & MembershipLine

export async function importMembershipsFile(
  db: Database,
  file: RowFile,
  { naming, dryRun, skipInvalid, exclusive, elapsed, ...reading }: MembershipsImport,
  { onChecked, onFaulty, onNote, onChanged, onWritten }: MembershipsHooks,
) {
  const read = { ...reading, provider: naming.provider }
  const kinds = new Set(await listKinds(db.read))
  const counts = {
    created: 0,
    changed: 0,
    unchanged: 0,
    repeated: 0,
    unmatched: 0,
    ambiguous: 0,
    ofAnotherFan: 0,
    overlapping: 0,
  }
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
    } else if (!line.membership) counts.repeated++
    unreadable ||= line.fatal === true
    await onChecked(lines)
  }
  const refused = unreadable || (invalid > 0 && !skipInvalid)
  if (refused) return { lines, ...counts, invalid, refused, unreadable }
  const total = lines - invalid - counts.repeated

  async function* valid(): AsyncGenerator<Written> {
    for await (const line of readMembershipLines(file, read)) {
      const { membership } = line
      if (membership && isKnown(line)) yield { ...line, membership }
    }
  }

  async function report({ notes, changes, outcomes, overlapping }: ChunkResult) {
    for (const outcome of outcomes) counts[outcome]++
    counts.overlapping += overlapping
    for (const { line, message } of notes) await onNote({ line, faults: [{ field: '', message }] })
    for (const change of changes) await onChanged(change)
  }

  if (dryRun) {
    let done = 0
    for await (const chunk of chunksOf(valid(), CHUNK)) {
      await report(await rollBack(db, tx => writeChunk(tx, chunk, naming)))
      done += chunk.length
      await onWritten(done, total)
    }
    return { lines, ...counts, invalid, refused, unreadable }
  }
  const results: ChunkResult[] = []
  await writeInBatches(
    db,
    chunksOf(valid(), exclusive ? CHUNK : rowsTogether(db)),
    async (tx, chunk) => {
      const result = await writeChunk(tx, chunk, naming)
      tx.afterCommit(() => void results.push(result))
    },
    {
      ...(exclusive ? { exclusive } : {}),
      ahead: CHUNK / rowsTogether(db),
      countOf: chunk => chunk.length,
      elapsed,
      async onBatch({ done }) {
        for (const result of results.splice(0)) await report(result)
        await onWritten(done, total)
      },
    },
  )
  return { lines, ...counts, invalid, refused, unreadable }
}

async function listKinds(reader: Reader): Promise<string[]> {
  const { memberships } = reader.tables
  return (await reader.select({ id: memberships.id }).from(memberships)).map(({ id }) => id)
}

interface ChunkResult {
  notes: { line: number; message: string }[]
  changes: ChangedMembership[]
  outcomes: LineResult[]
  /** Lines of a fan who has another membership of the kind at the same time. They are written. */
  overlapping: number
}

/** Lines that name no known fan are not written: a later run finds the fan. */
async function writeChunk(tx: Transaction, chunk: Written[], naming: FanNaming): Promise<ChunkResult> {
  const named = chunk.flatMap(({ membership }) => membership.fan ?? [])
  const resolved = await resolveFans(tx, named, naming)
  const result: ChunkResult = { notes: [], changes: [], outcomes: [], overlapping: 0 }
  const found: { line: number; overlaps: number | undefined; stated: StatedMembership }[] = []
  for (const { line, membership } of chunk) {
    const { fan, unclear, overlaps, ...terms } = membership
    const one = fan ? resolved.shift() : undefined
    if (one && 'userId' in one && unclear === undefined)
      found.push({ line, overlaps, stated: { ...terms, userId: one.userId } })
    else {
      const isAmbiguous = unclear !== undefined || (one && 'missing' in one && one.missing === 'ambiguous')
      result.outcomes.push(isAmbiguous ? 'ambiguous' : 'unmatched')
      result.notes.push({ line, message: unclear ?? whyMissing(fan, one, naming) })
    }
  }
  const stored = await readMemberships(tx, [...new Set(found.map(({ stated }) => stated.userId))])
  const before = new Map(stored.map(row => [row.ref, row]))
  const written = await writeMemberships(
    tx,
    found.map(({ stated }) => stated),
  )
  const changed = new Set(
    found.flatMap(({ stated }, index) => (written[index] === 'changed' ? stated.ref : [])),
  )
  const kept = stored.filter(({ ref }) => !changed.has(ref))
  for (const [index, { line, overlaps, stated }] of found.entries()) {
    const outcome = written[index]
    const old = before.get(stated.ref)
    if (outcome === 'of_another_fan') {
      result.outcomes.push('ofAnotherFan')
      result.notes.push({
        line,
        message: 'is a membership of another fan: end it, and give the new one another ref',
      })
      continue
    }
    result.outcomes.push(outcome ?? 'unchanged')
    if (outcome === 'changed' && old)
      result.changes.push({ line, ref: stated.ref, members: differencesOf(old, stated) })
    if (outcome !== 'created' && outcome !== 'changed') continue
    const other = overlaps ?? findOverlapping(stated, kept)
    if (other === undefined) continue
    result.overlapping++
    const name = typeof other === 'number' ? `line ${other}` : other.ref
    result.notes.push({ line, message: `overlaps ${name}, of the same fan and kind; both are kept` })
  }
  return result
}

const findOverlapping = ({ userId, kindId, startsAt, endsAt }: StatedMembership, stored: MembershipRow[]) =>
  stored.find(
    other =>
      other.userId === userId &&
      other.kindId === kindId &&
      other.startsAt < endsAt &&
      startsAt < other.endsAt &&
      other.startsAt < other.endsAt,
  )

function whyMissing(
  fan: FanReference | null,
  resolved: ResolvedFan | undefined,
  { fanEmails }: FanNaming,
): string {
  if (!fan) return 'names no fan: it has neither a subject nor an e-mail'
  const missing = resolved && 'missing' in resolved ? resolved.missing : 'unknown'
  if (missing === 'erased') return 'is of a fan who was erased'
  if (!('email' in fan)) return 'has an unknown provider'
  if (!fanEmails) return 'has only an e-mail, and FANS_BY_EMAIL is off: state the subject of the fan'
  return missing === 'ambiguous'
    ? 'has an e-mail that more than one fan has verified: state the subject of the fan'
    : 'has an e-mail that no fan has verified'
}
