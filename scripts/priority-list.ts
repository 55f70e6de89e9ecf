/** `bun run priority-list --account A`: lists fans by their total in an account, for the ticket office. */
import { DomainError } from '../src/core/problems.ts'
import { eachPriority } from '../src/fan/status/priority.ts'
import { declareCommand, instant, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'priority-list',
  summary: `Lists fans by their total in an account, the highest first, with the numbers of their memberships.
With the same --as-of the list is the same later.`,
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

await runCommand(command, async ({ options, openDatabase }) => {
  const { account, membership, csv } = options
  if (options.from !== undefined && !/^[1-9]\d{0,14}$/.test(options.from))
    failUsage('--from must be a whole number of 1 or more')
  const from = options.from === undefined ? undefined : Number(options.from)
  const db = await openDatabase()
  const asOf = options.asOf ?? db.read.now()
  const entries = await Array.fromAsync(eachPriority(db.read, { account, from, membership, asOf })).catch(
    error => {
      if (error instanceof DomainError) fail(`There is no account ${account}.`)
      throw error
    },
  )
  const lines = entries.map(({ userId, total, reachedAt, memberships }, index) => {
    const numbers = memberships.flatMap(({ number }) => number ?? []).join(' ')
    return [index + 1, userId, total, reachedAt, numbers]
  })
  const table = [['place', 'userId', 'total', 'reachedAt', 'numbers'], ...lines]
  return {
    json: { asOf: asOf.toISOString(), entries },
    text: table
      .map(cells => cells.map(cell => (csv ? quoted(String(cell)) : cell)).join(csv ? ',' : '  '))
      .join('\n'),
  }
})

const quoted = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
