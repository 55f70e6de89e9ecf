/** `bun run receipts export --month YYYY-MM`: receipts and credit notes, for the accounts of the club. */
import { Argument } from '@commander-js/extra-typings'
import { receiptsCsv } from '../src/play/receipts/export-receipts.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'receipts',
  summary: `Exports the receipts and credit notes of a month as CSV, with a row for each tax rate.
Amounts are in minor units, or points. Credit notes are negative, so that each column adds up to what was paid less what was refunded.`,
  examples: [['export --month 2026-11 > receipts.csv', 'of November, in the time zone of the club']],
  reads: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(['export'] as const))
  .requiredOption('--month <month>', 'the month, such as 2026-11')

await runCommand(command, async ({ options: { month, json = false }, openDatabase, print }) => {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) failUsage('--month must be a month such as 2026-11')
  if (json) failUsage('export prints CSV: it takes no --json')
  const { read } = await openDatabase()
  for await (const lines of receiptsCsv(read, month)) await print(lines)
  return undefined
})
