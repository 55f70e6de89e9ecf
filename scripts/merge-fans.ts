/** `bun run merge-fans FROM INTO --by NAME`: merges two accounts of one person. */
import { type MergeReport, mergeFans, planMerge } from '../src/operate/admin/merge/merge-fans.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'merge-fans',
  summary: `Merges a fan into another one: two accounts of one person become one. It cannot be undone.
Points, cash, items, purchases, orders and claims of FROM become those of INTO. Both sign-ins lead to INTO afterwards.`,
  examples: [
    ['FROM INTO --by Ana --dry-run', 'shows what would move, and changes nothing'],
    ['FROM INTO --by Ana --note "Two phones"', 'merges them'],
  ],
  notes: `FROM and INTO are user ids. FROM is signed out everywhere. Open trades of FROM become void. Where a fan can have only one, that of INTO is kept: handle, locker, and of two claims the more advanced one (used, then redeemed). A fan with a sanction in force, an open report or an open
appeal is not merged: decide these first. The ledger and the events of FROM stay unchanged; new entries carry the balance over.`,
  changes: true,
})
  .argument('<from>', 'user id of the fan to merge')
  .argument('<into>', 'user id of the fan that remains')
  .requiredOption('--by <name>', 'your name, up to 100 characters')
  .option('--note <text>', 'why, up to 500 characters; an erasure of the fan deletes it')

await runCommand(command, async ({ parameters: [from, into], options, openDatabase }) => {
  const { by: mergedBy, note: reason = null, dryRun } = options
  if (mergedBy.length === 0 || mergedBy.length > 100) failUsage('--by has 1 to 100 characters')
  if (reason !== null && (reason.length === 0 || reason.length > 500))
    failUsage('--note has 1 to 500 characters')
  const db = await openDatabase()
  const merge = { from, into, mergedBy, reason }
  const report = await (dryRun ? planMerge(db, merge) : db.write(tx => mergeFans(tx, merge)))
  return {
    json: { ...report, merged: !dryRun },
    text: [
      ...describe(report),
      dryRun ? 'Nothing was changed.' : `Merged. ${from} now leads to ${into}.`,
    ].join('\n'),
    changed: 1,
    textHasSummary: true,
  }
})

function describe({ points, cash, rewards, moved, ...report }: MergeReport): string[] {
  const rows: [name: string, value: string | number][] = [
    ['points', `${points.balance} of ${points.lifetime} earned`],
    ...cash.map(({ currency, amount }): [string, number] => [`cash in ${currency}`, amount]),
    ['profile', report.profile.join(', ') || 'nothing'],
    ['rewards', `${rewards.moved}, and ${rewards.ended} ended because both fans had claimed the reward`],
    ['items', report.items],
    ['periods of quests', report.quests],
    ['completed sets', report.sets],
    ['open predictions', report.predictions],
    ['open votes', report.votes],
    ['relations', report.relations],
    ['locker', report.locker ? 'moves' : 'stays as it is'],
    ['leagues', report.leagues],
    ['divisions', report.divisions],
    ['points in accounts', report.accounts],
    ['devices signed out', report.devices],
    ...Object.entries(moved).map(([table, count]): [string, number] => [wordsOf(table), count]),
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
}

/** `fan_memberships` are memberships. */
const wordsOf = (table: string) => table.replace(/^(fan|user)_/, '').replaceAll('_', ' ')
