/** `bun run import-catalog FILE`: updates the catalogue to match a file. */
import type { Database } from '../db/index.ts'
import type { EntryChange } from '../src/club/catalogue/entry.ts'
import { DomainError } from '../src/core/problems.ts'
import {
  type CatalogueRecord,
  entryKinds,
  findMissingTeams,
  namesOf,
  planRecord,
  type RecordKind,
  writeRecord,
} from '../src/operate/admin/import/catalogue-records.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { explainError, fail } from './command/explain.ts'
import type { Fault } from './import-catalog/located-json.ts'
import type { CatalogueFile } from './import-catalog/read-catalog.ts'
import { readCatalogueFile, rejectFile } from './import-catalog/read-file.ts'
import { describeChanges } from './import-catalog/report.ts'

const command = declareCommand({
  name: 'import-catalog',
  summary:
    'Updates teams, rewards, packs, matches, rules, quests, sets and products, identified by slug, to match a file.',
  examples: [
    ['catalog.json --dry-run', 'shows what would change'],
    ['catalog.json', 'applies the changes; repeating it changes nothing'],
    ['catalog.json --prune', 'also deactivates entries that are not in the file'],
    ['fixtures.json --force', 'also moves kick-offs that a reported state of the match keeps'],
    ['-', 'reads standard input'],
  ],
  notes: `The file is one JSON document, {"teams": [], "rewards": [], "packs": [], "matches": [], "rules": [], "quests": [], "sets": [], "products": []}, or NDJSON with {"kind": "team", "entry": {…}} per line.
Its JSON Schema is scripts/catalog.schema.json. The whole file is checked before the first write, and all errors are listed.
Kinds that the file omits are not changed. Nothing is deleted.`,
  changes: true,
})
  .argument('<file>', 'JSON or NDJSON; - for standard input')
  .option('--prune', 'deactivate active entries that are not in the file')
  .option('--force', 'move kick-offs of matches whose stored revision is not older')

/** In the history of the entries. */
const author = { source: 'import' } as const

/** A record to write, or an entry to deactivate. */
export interface Step {
  kind: RecordKind
  id: string
  outcome: EntryChange['outcome'] | 'deactivated'
  members: EntryChange['members']
  kept?: EntryChange['kept']
  record?: CatalogueRecord
}

await runCommand(command, async ({ parameters: [path], options, openDatabase, writeInBatches }) => {
  const file = await readCatalogueFile(path)
  if (file.faults.length > 0) return rejectFile(file.faults)
  const db = await openDatabase()
  const { force } = options
  const { steps, faults } = await planImport(db, file, force)
  if (faults.length > 0) return rejectFile(faults)

  const absent = await listAbsent(db, file)
  const pruned: Step[] = absent.map(entry => ({
    ...entry,
    outcome: 'deactivated',
    members: { active: [true, false] },
  }))
  const all = [...steps, ...(options.prune ? pruned : [])]
  const due = all.filter(({ outcome }) => outcome !== 'unchanged')
  if (!options.dryRun) {
    await writeInBatches(db, 'records', due, async (tx, { kind, id, record }) => {
      try {
        await (record
          ? writeRecord(tx, record, { force, author })
          : entryKinds[kind].deactivate(tx, id, { author }))
      } catch (error) {
        // Sales or claims since the check can cause a conflict.
        if (error instanceof DomainError) fail(`${kind} ${id}: ${explainError(error)}`)
        throw error
      }
    })
  }
  const changes = due.map(({ record: _, kept: _k, ...step }) => step)
  const kept = all.flatMap(({ kind, id, kept }) => (kept ? [{ kind, id, members: kept }] : []))
  const left = options.prune ? [] : absent
  return {
    json: { changes, unchanged: all.length - due.length, notInFile: left, kept },
    text: describeChanges(all, left, options.dryRun ?? false),
    changed: due.length,
  }
})

/** Compares every record with the database. Writes nothing. */
async function planImport(db: Database, { records }: CatalogueFile, force?: boolean) {
  const steps: Step[] = []
  const faults: Fault[] = []
  const teams = new Set(records.flatMap(({ record: { kind, entry } }) => (kind === 'team' ? entry.id : [])))
  const written = new Set<string>()
  for (const { record, faultAt } of records) {
    const { kind, entry } = record
    for (const { pointer, message } of await findMissingTeams(db.read, record, teams))
      faults.push(faultAt(pointer, message))
    try {
      steps.push({ kind, id: entry.id, ...(await planRecord(db.read, record, { written, force })), record })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      for (const { message, ...at } of error.explanation.errors ?? []) {
        faults.push(faultAt('pointer' in at ? at.pointer : '', message))
      }
    }
    for (const name of namesOf(record)) written.add(name)
  }
  return { steps, faults }
}

/** Active entries that are not in the file, of the kinds in the file. */
async function listAbsent(db: Database, { records, kinds }: CatalogueFile) {
  const stated = new Set(records.map(({ record: { kind, entry } }) => `${kind} ${entry.id}`))
  const absent: { kind: RecordKind; id: string }[] = []
  for (const kind of kinds) {
    const ids = await entryKinds[kind].listActive(db.read)
    absent.push(...ids.filter(id => !stated.has(`${kind} ${id}`)).map(id => ({ kind, id })))
  }
  return absent
}
