/** `bun run priority-list --account A`: lists fans by their total in an account, for the ticket office. */
import { DomainError } from '../src/core/problems.ts'
import {
  isFuture,
  priorityCsv,
  priorityParts,
  priorityRows,
  requireAccount,
} from '../src/fan/status/priority.ts'
import { readChanges } from '../src/fan/status/priority-changes.ts'
import type { Changes } from '../src/fan/status/priority-schema.ts'
import { isMembershipKind } from '../src/play/memberships/membership-kind.ts'
import { declareCommand, instant, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'priority-list',
  summary: `Lists fans by their total in an account, the highest first, with the numbers of their memberships.
With the same --as-of the list is the same later; what has happened since is stated, to tell why lists differ.`,
  examples: [
    ['--account status --from 500 --csv', 'fans with 500 or more, as CSV'],
    ['--account status --membership season-ticket', 'fans with an active membership of a kind'],
    ['--account status --as-of 2026-11-20T10:00:00Z', 'as it was then'],
  ],
  changes: false,
})
  .requiredOption('--account <id>', 'the account')
  .option('--from <total>', 'the lowest total')
  .option('--membership <kind>', 'only fans with an active membership of this kind')
  .option('--as-of <instant>', 'the time of the list; ISO 8601, UTC (default: now)', instant)
  .option('--csv', 'prints CSV with a header line')

await runCommand(command, async ({ options, openDatabase, note, print }) => {
  const { account, membership, csv } = options
  if (options.from !== undefined && !/^[1-9]\d{0,14}$/.test(options.from))
    failUsage('--from must be a whole number of 1 or more')
  const from = options.from === undefined ? undefined : Number(options.from)
  const db = await openDatabase()
  const asOf = options.asOf ?? db.read.now()
  if (isFuture(db.read, asOf)) failUsage('--as-of must not be in the future')
  if (membership !== undefined && !(await isMembershipKind(db.read, membership)))
    fail(`There is no kind of membership ${membership}.`)
  const filter = { account, from, membership, asOf }
  try {
    await requireAccount(db.read, account)
    if (options.json) await printJson()
    else if (csv) for await (const lines of priorityCsv(db.read, filter)) await print(lines)
    else
      for await (const rows of priorityRows(db.read, filter))
        await print(rows.map(cells => `${cells.join('  ')}\n`).join(''))
    const changes = options.json ? null : await changesSince()
    if (changes) note(describe(changes))
    return undefined
  } catch (error) {
    if (error instanceof DomainError) fail(`There is no account ${account}.`)
    throw error
  }

  async function changesSince() {
    return options.asOf ? readChanges(db.read, { accountId: account, asOf }) : null
  }

  /** In parts: the list may have a million fans. */
  async function printJson() {
    let before = `{"asOf":"${asOf.toISOString()}","entries":[`
    for await (const entries of priorityParts(db.read, filter)) {
      if (entries.length === 0) continue
      await print(before + entries.map(entry => JSON.stringify(entry)).join(','))
      before = ','
    }
    if (before !== ',') await print(before)
    await print(`],"changes":${JSON.stringify(await changesSince())}}\n`)
  }
})

/** On standard error, so that the list alone can go into a file. */
function describe({
  added,
  takenBack,
  merged,
  erased,
  memberships,
  catalogue,
}: typeof Changes.static): string {
  const told = [
    ...(added > 0 ? [`${counted(added, 'entry was', 'entries were')} added for an earlier time`] : []),
    ...(takenBack > 0 ? [`${counted(takenBack, 'entry was', 'entries were')} taken back`] : []),
    ...(merged > 0
      ? [`${counted(merged, 'fan was', 'fans were')} merged into another, who has the memberships now`]
      : []),
    ...(erased > 0 ? [`${counted(erased, 'fan was', 'fans were')} erased and left out`] : []),
    ...(memberships > 0
      ? [`${counted(memberships, 'membership was', 'memberships were')} written or changed`]
      : []),
    ...(catalogue ? ['the account or a season was changed'] : []),
  ]
  return told.length === 0
    ? 'Nothing that concerns the list has changed since.'
    : `Since then ${told.join('; ')}.`
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
