/** `bun run preview-rules FILE`: previews the grants of a catalogue file's rules for recorded events. */

import { previewRules } from '../src/economy/events/preview-rules.ts'
import { contentOf, ruleOf } from '../src/economy/rules/rule.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { fail } from './command/explain.ts'
import { readCatalogueFile, rejectFile } from './import-catalog/read-file.ts'
import { describePreviews } from './preview-rules/describe.ts'

const DAY_MS = 86_400_000

const command = declareCommand({
  name: 'preview-rules',
  reads: true,
  summary: 'Shows what the rules of a catalogue file would have granted for recorded events. Writes nothing.',
  examples: [
    ['rules.json', 'for the events of the last 30 days'],
    ['rules.json --days 7 --json', 'of the last 7 days, as JSON'],
    ['-', 'reads standard input'],
  ],
  notes: `Events are evaluated in the order in which they were recorded, starting with full budgets and unused limits. Left out
are voided events, events whose data was deleted, and inactive rules.`,
})
  .argument('<file>', 'JSON or NDJSON, as for import-catalog; - for standard input')
  .option('--days <n>', 'events of the last days', wholeNumber(3_660), 30)

await runCommand(command, async ({ parameters: [path], options, openDatabase, progress }) => {
  const file = await readCatalogueFile(path)
  if (file.faults.length > 0) return rejectFile(file.faults)
  const rules = file.records.flatMap(({ record: { kind, entry } }) =>
    kind === 'rule' ? [ruleOf(contentOf(entry), 0)] : [],
  )
  const active = rules.filter(rule => rule.active)
  if (active.length === 0) fail(`${path} has no active rules.`)
  const { read } = await openDatabase()
  const since = new Date(read.now().getTime() - options.days * DAY_MS)
  const onProgress = progress('events')
  const { previews } = await previewRules(read, active, {
    since,
    onProgress: done => onProgress(done),
  }).finally(() => onProgress.end())
  return { json: { since, rules: previews }, text: describePreviews(previews, options.days) }
})
