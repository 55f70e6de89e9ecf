/** `bun run backfill-sets [SET]`: completes sets for fans who already own all items. */
import { backfillSet, listActiveSets, listFansWithSet } from '../src/operate/admin/backfill-sets.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'

const command = declareCommand({
  name: 'backfill-sets',
  summary: 'Completes sets for fans who already own all items, and gives the rewards, each at most once.',
  examples: [
    ['--dry-run', 'shows how many fans would complete each active set'],
    ['derby-moments', 'completes one set; repeating it changes nothing'],
  ],
  notes: `A set is completed by the item that a fan gets last. Run this command after an import that adds a set of items that fans own,
or that takes an item out of a set. Completions and points get the time of this run.`,
  changes: true,
}).argument('[set]', 'id of the set; default: all active sets')

await runCommand(command, async ({ parameters: [setId], options, openDatabase, writeInBatches }) => {
  const db = await openDatabase()
  const active = await listActiveSets(db.read)
  if (setId !== undefined && !active.includes(setId)) fail(`There is no active set ${setId}.`)
  const completed: Record<string, number> = {}
  for (const id of setId === undefined ? active : [setId]) {
    completed[id] = 0
    const count = () => {
      completed[id] = (completed[id] ?? 0) + 1
    }
    const fans = listFansWithSet(db.read, id)
    if (options.dryRun) for await (const _ of fans) count()
    else
      await writeInBatches(db, `fans (${id})`, fans, async (tx, userId) => {
        if (await backfillSet(tx, userId, id)) tx.afterCommit(count)
      })
  }
  const lines = Object.entries(completed).map(
    ([id, fans]) => `${id}: ${fans} fans ${options.dryRun ? 'would complete it' : 'completed it'}`,
  )
  const changed = Object.values(completed).reduce((sum, fans) => sum + fans, 0)
  return { json: { completed }, text: lines.join('\n') || 'There are no active sets.', changed }
})
