/** `bun run import-catalog FILE`: updates the catalogue to match a file. */
import { DomainError } from '../src/core/problems.ts'
import { planCatalogueFile, writeStep } from '../src/play/catalogue-file/import-file.ts'
import { kinds } from '../src/play/catalogue-file/kinds.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { explainError, fail } from './command/explain.ts'
import { readCatalogueFile, rejectFile } from './import-catalog/read-file.ts'
import { describeChanges } from './import-catalog/report.ts'

const LISTS = kinds.map(({ list }) => `"${list}": []`)

const command = declareCommand({
  name: 'import-catalog',
  summary: 'Updates the catalogue, whose entries are identified by slug, to match a file.',
  examples: [
    ['catalog.json --dry-run', 'shows what would change'],
    ['catalog.json', 'applies the changes; repeating it changes nothing'],
    ['catalog.json --prune', 'also deactivates entries that are not in the file'],
    ['fixtures.json --force', 'also moves kick-offs that a reported state of the match keeps'],
    ['-', 'reads standard input'],
  ],
  notes: `The file is one JSON document, {${LISTS.join(', ')}}, or NDJSON with {"kind": "team", "entry": {…}} per line.
Its JSON Schema is scripts/catalog.schema.json. The whole file is checked before the first write, and all errors are listed.
Kinds that the file omits are not changed. Nothing is deleted.`,
  changes: true,
})
  .argument('<file>', 'JSON or NDJSON; - for standard input')
  .option('--prune', 'deactivate active entries that are not in the file')
  .option('--force', 'move kick-offs of matches whose stored revision is not older')

/** The author in the history of the entries. */
const author = { source: 'import' } as const

await runCommand(command, async ({ parameters: [path], options, openDatabase, writeInBatches }) => {
  const file = await readCatalogueFile(path)
  if (file.faults.length > 0) return rejectFile(file.faults)
  const db = await openDatabase()
  const { force, dryRun = false } = options
  const { steps, due, left, faults } = await planCatalogueFile(db, file, options)
  if (faults.length > 0) return rejectFile(faults)
  if (!dryRun) {
    await writeInBatches(db, 'records', due, async (tx, step) => {
      try {
        await writeStep(tx, step, { force, author })
      } catch (error) {
        // Sales or claims since the check can cause a conflict.
        if (error instanceof DomainError) fail(`${step.kind} ${step.id}: ${explainError(error)}`)
        throw error
      }
    })
  }
  const changes = due.map(({ record: _, kept: _k, ...step }) => step)
  const kept = steps.flatMap(({ kind, id, kept }) => (kept ? [{ kind, id, members: kept }] : []))
  return {
    json: { changes, unchanged: steps.length - due.length, notInFile: left, kept },
    text: describeChanges(steps, left, dryRun),
    changed: due.length,
  }
})
