/** `bun run backfill-quests QUEST --since D`: counts past events for a quest. */
import { rollBack } from '../db/roll-back.ts'
import { backfillFan, listFansWithEvents } from '../src/operate/admin/backfill-quests.ts'
import { readQuestSet } from '../src/play/quests/quest.ts'
import { declareCommand, instant, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'

const command = declareCommand({
  name: 'backfill-quests',
  summary:
    'Counts past events for a quest, and completes periods that are then full. Each event counts once, and each period is completed once.',
  examples: [
    ['derby-week --since 2026-08-01 --dry-run', 'shows what would count and be completed'],
    ['derby-week --since 2026-08-01', 'counts them; repeating it changes nothing'],
  ],
  notes: `A quest counts the events that are recorded while it is active. This command counts those that occurred before, from --since on and
within the start and end of the quest. Events whose data was deleted (eventRetentionDays) count only for steps without conditions.
Completions and points get the time of this run.`,
  changes: true,
})
  .argument('<quest>', 'id of the quest')
  .requiredOption('--since <instant>', 'events that occurred at or after this time; ISO 8601, UTC', instant)

await runCommand(command, async ({ parameters: [questId], options, openDatabase, writeInBatches }) => {
  const db = await openDatabase()
  const set = await readQuestSet(db.read)
  const quest = set.byId.get(questId) ?? fail(`There is no quest ${questId}.`)
  if (!quest.active) fail(`The quest ${questId} is not active, so it completes nothing.`)
  const { since } = options
  const report = { fans: 0, events: 0, completed: 0, unknown: 0 }
  const add = ({ events, completed, unknown }: Omit<typeof report, 'fans'>) => {
    report.fans += events > 0 || completed > 0 ? 1 : 0
    report.events += events
    report.completed += completed
    report.unknown += unknown
  }
  const fans = listFansWithEvents(db.read, quest, since)
  if (options.dryRun)
    for await (const userId of fans) add(await rollBack(db, tx => backfillFan(tx, quest, { userId, since })))
  else
    await writeInBatches(db, 'fans', fans, async (tx, userId) => {
      const counted = await backfillFan(tx, quest, { userId, since })
      tx.afterCommit(() => add(counted))
    })
  const { events, completed, unknown } = report
  const lines = [
    options.dryRun
      ? `${events} events of ${report.fans} fans would count; ${completed} periods would be completed.`
      : `Counted ${events} events of ${report.fans} fans; completed ${completed} periods.`,
    ...(unknown > 0 ? [`${unknown} events no longer have data, and did not count.`] : []),
  ]
  return { json: report, text: lines.join('\n'), changed: events + completed }
})
