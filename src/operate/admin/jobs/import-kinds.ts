/** Imports as jobs: a file that was uploaded is tried first, then written. Repeated after a crash, an import continues. */
import { writeInBatches } from '../../../../db/write-in-batches.ts'
import { decodeText } from '../../../core/decode-text.ts'
import { shorten } from '../../../core/faults.ts'
import { DomainError } from '../../../core/problems.ts'
import { fanEmailsOf } from '../../../identity/users/emails.ts'
import {
  countLines,
  deleteStored,
  FileGone,
  openStored,
  readStored,
} from '../../../platform/files/stored-file.ts'
import { timeZoneOf } from '../../../platform/settings/settings.ts'
import type { CatalogueStep } from '../../../play/catalogue-file/import-file.ts'
import { DATE_ORDERS } from '../../../play/memberships/file-columns.ts'
import type { ImportKind } from './job-kinds.ts'
import type { ChangedEntry, JobContext, JobInput, JobResult, Kind, LineFault } from './kind.ts'

/** What is kept with a run. */
const KEPT_FAULTS = 500
const KEPT_CHANGES = 200
/** Characters of a value that changes, as JSON. */
const MAX_VALUE = 300

const isOn = (option: string | undefined) => option === 'true'

interface FoundFault {
  field?: string
  pointer?: string
  message: string
}

/** The first faults. Names of columns and members are of the file: they are shortened. */
function collectFaults() {
  const listed: LineFault[] = []
  const add = (line: number, { field, pointer = '', message }: FoundFault) => {
    if (listed.length < KEPT_FAULTS)
      listed.push({ line, field: shorten(field ?? pointer), message: shorten(message) })
  }
  return {
    listed,
    add,
    onFaulty: ({ line, faults }: { line: number; faults: FoundFault[] }) => {
      for (const fault of faults) add(line, fault)
    },
  }
}

/** Options and hooks of imports of lines. A dry run tries the valid lines of a file with invalid ones as well. */
async function linesOf({ db, config, elapsed, input, onProgress }: JobContext) {
  const { file: id = '', name = '' } = input
  const { listed, onFaulty } = collectFaults()
  const lines = await countLines(db.read, id)
  const dryRun = isOn(input.dryRun)
  return {
    file: openStored(db, { id, name }),
    terms: {
      provider: config.identity.name,
      skipInvalid: dryRun || isOn(input.skipInvalid),
      elapsed,
    },
    dryRun,
    listed,
    hooks: {
      onFaulty,
      // An import reads its file once more before it writes: its progress is that of the writes.
      onChecked: (checked: number) => onProgress(dryRun ? checked : 0, Math.max(lines, checked)),
      onWritten: onProgress,
    },
  }
}

const inLines = (count: number) => (count === 1 ? '1 line is' : `${count} lines are`)
const failedBy = (invalid: number, isUnreadable: boolean) =>
  isUnreadable
    ? 'The file cannot be read to its end. Nothing was written.'
    : `${inLines(invalid)} invalid. Nothing was written.`

async function importFans(context: JobContext): Promise<JobResult> {
  const { importFansFile } = await import('../import/fans-file.ts')
  const { file, terms, dryRun, listed, hooks } = await linesOf(context)
  const { refused, unreadable, ...counts } = await importFansFile(
    context.db,
    file,
    { ...terms, dryRun },
    hooks,
  )
  return { listed, counts, ...(refused ? { failed: failedBy(counts.invalid, unreadable) } : {}) }
}

async function importEvents(context: JobContext): Promise<JobResult> {
  const { importEventsFile } = await import('../import/events-file.ts')
  const { file, terms, dryRun, listed, hooks } = await linesOf(context)
  const { source = 'operator' } = context.input
  const { rejected, unreadable, changed, ...counts } = await importEventsFile(
    context,
    file,
    { ...terms, source, dryRun: dryRun ? 'parts' : undefined },
    { ...hooks, onUnread: hooks.onFaulty },
  )
  return { listed, counts, ...(rejected ? { failed: failedBy(counts.invalid, unreadable) } : {}) }
}

async function importMemberships(context: JobContext): Promise<JobResult> {
  const { importMembershipsFile } = await import('../../../play/memberships/import-file.ts')
  const { file, terms, dryRun, listed, hooks } = await linesOf(context)
  const { provider, ...options } = terms
  const { db, config, input, onProgress } = context
  const changes: ChangedEntry[] = []
  const { refused, unreadable, ...counts } = await importMembershipsFile(
    db,
    file,
    {
      ...options,
      dryRun,
      naming: { provider, fanEmails: fanEmailsOf(config) },
      timeZone: await timeZoneOf(db.read),
      dates: DATE_ORDERS.find(order => order === input.dates),
      // Guarantee of the cast: `checkImportFile` has validated it.
      map: JSON.parse(input.columns ?? '{}') as Record<string, string>,
    },
    {
      ...hooks,
      // The dry run writes too, and is rolled back: its progress is that of the writes.
      onChecked: checked => onProgress(0, checked),
      onNote: hooks.onFaulty,
      onChanged({ ref, members }) {
        if (changes.length < KEPT_CHANGES)
          changes.push({ kind: 'membership', id: ref, outcome: 'changed', members: members.map(withoutName) })
      },
    },
  )
  return { listed, changes, counts, ...(refused ? { failed: failedBy(counts.invalid, unreadable) } : {}) }
}

/** Runs are kept after the erasure of a fan. */
const withoutName = (change: ChangedEntry['members'][number]) =>
  change.member === 'holder' ? { ...change, from: 'a name', to: 'another name' } : change

async function importCatalogue(context: JobContext): Promise<JobResult> {
  const { db, elapsed, input, startedBy, onProgress } = context
  const [{ planCatalogueFile, writeStep }, { readCatalogue }] = await Promise.all([
    import('../../../play/catalogue-file/import-file.ts'),
    import('../../../play/catalogue-file/read-file.ts'),
  ])
  const { file: id = '', name = '', reason = '' } = input
  const force = isOn(input.force)
  const { listed, add } = collectFaults()
  const text = decodeText(await readStored(db, id))
  if (text === null) return { counts: {}, failed: 'The file is not text in UTF-8: save it as UTF-8.' }
  const file = readCatalogue(text, /\.(ndjson|jsonl)$/i.test(name))
  const plan =
    file.faults.length > 0
      ? { due: [], left: [], steps: [], faults: file.faults }
      : await planCatalogueFile(db, file, { prune: isOn(input.prune), force })
  for (const { line, ...fault } of plan.faults) add(line, fault)
  const invalid = plan.faults.length
  if (invalid > 0)
    return {
      listed,
      counts: { invalid },
      failed: `${invalid === 1 ? '1 error' : `${invalid} errors`} in the file. Nothing was written.`,
    }
  const { due, left, steps } = plan
  const count = (outcome: CatalogueStep['outcome']) => steps.filter(step => step.outcome === outcome).length
  const counts = {
    created: count('created'),
    changed: count('changed'),
    deactivated: count('deactivated'),
    unchanged: count('unchanged'),
    notInFile: left.length,
    kept: steps.filter(step => step.kept).length,
  }
  const result = { counts, changes: due.slice(0, KEPT_CHANGES).map(presentStep) }
  await onProgress(0, due.length)
  if (isOn(input.dryRun)) return result
  const author = { source: 'import', staff: startedBy, reason } as const
  let conflict: string | undefined
  const write = async (...[tx, step]: Parameters<Parameters<typeof writeInBatches<CatalogueStep>>[2]>) => {
    try {
      await writeStep(tx, step, { force, author })
    } catch (error) {
      if (error instanceof DomainError) conflict = conflictOf(step, error)
      throw error
    }
  }
  const options = { elapsed, onBatch: ({ done }: { done: number }) => onProgress(done, due.length) }
  try {
    await writeInBatches(db, due, write, options)
  } catch (error) {
    if (conflict === undefined || !(error instanceof DomainError)) throw error
    return { counts: {}, failed: conflict }
  }
  return result
}

/** Conflict with sales or claims since the check. */
const conflictOf = ({ kind, id }: CatalogueStep, { explanation, type }: DomainError) =>
  `${kind} ${id} cannot be written: ${explanation.errors?.[0]?.message ?? type.title}. What was written before stays; try the file again.`

function presentStep({ kind, id, outcome, members }: CatalogueStep): ChangedEntry {
  const short = (value: unknown) => {
    const text = JSON.stringify(value) ?? 'null'
    return text.length <= MAX_VALUE ? value : `${text.slice(0, MAX_VALUE)}…`
  }
  const changed = Object.entries(members).map(([member, [from, to]]) => ({
    member,
    from: short(from),
    to: short(to),
  }))
  return { kind, id, outcome, members: changed }
}

const importKind = (name: string, unit: string, run: Kind['run']) =>
  ({
    unit,
    // A dry run and an import of one kind exclude each other: the first would describe what the second changes.
    slotOf: () => name,
    async run(context) {
      try {
        return await run(context)
      } catch (error) {
        if (!(error instanceof FileGone)) throw error
        return { counts: {}, failed: 'The file was deleted meanwhile. Upload it again.' }
      }
    },
    async afterwards(db, { file = '', dryRun }) {
      if (!isOn(dryRun)) await deleteStored(db, file)
    },
  }) satisfies Kind

/** By the command that does the same. */
// never any: a job runs after the request that starts it.
export const IMPORT_KINDS = {
  'import-catalog': importKind('import-catalog', 'entries', importCatalogue),
  'import-events': importKind('import-events', 'lines', importEvents),
  'import-fans': importKind('import-fans', 'lines', importFans),
  'import-memberships': importKind('import-memberships', 'lines', importMemberships),
} satisfies Record<ImportKind, Kind>

export const isImport = (kind: string): kind is ImportKind => Object.hasOwn(IMPORT_KINDS, kind)
export const isDryRun = ({ dryRun }: JobInput): boolean => isOn(dryRun)
