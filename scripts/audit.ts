/** `bun run audit verify | export`: the log of staff actions in the console. */
import { Argument } from '@commander-js/extra-typings'
import { commandLine } from '../src/core/command-line.ts'
import { exportAudit } from '../src/identity/staff/audit/export.ts'
import { type Anchor, verifyAudit } from '../src/identity/staff/audit/verify.ts'
import { declareCommand, instant, runCommand } from './command/command.ts'
import { failUsage } from './command/explain.ts'
import { recordMaintenance } from './command/record-maintenance.ts'

const command = declareCommand({
  name: 'audit',
  summary: `Verifies or exports the audit log of the console: who did what, when and why.
A verification prints the newest row as SEQ:HASH. Keep it elsewhere: with it as the anchor, a later verification also finds that
the whole log was rewritten.`,
  examples: [
    ['verify', 'recomputes the hash of every row'],
    ['verify --anchor SEQ:HASH', 'also compares with what an earlier verification printed'],
    ['export > audit.ndjson', 'all rows, the oldest first'],
    ['export --format csv --from 2026-08-01T00:00:00Z', 'for a spreadsheet, from a time on'],
  ],
  reads: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(['verify', 'export'] as const))
  .option('--anchor <seq:hash>', 'verify: what an earlier verification printed')
  .option('--format <format>', 'export: ndjson or csv (default: ndjson)')
  .option('--from <instant>', 'export: at or after this time; ISO 8601, UTC', instant)
  .option('--to <instant>', 'export: before this time', instant)

const FAULTS = {
  missing: 'is missing',
  changed: 'was changed, or the rows before it',
  anchored: 'is not the row of the anchor: the log was rewritten',
}

await runCommand(command, async session => {
  const { parameters, options, openDatabase, databaseUrl, note, print } = session
  const [action] = parameters
  const { anchor, format = 'ndjson', from, to, json } = options
  if (action === 'export') {
    if (anchor !== undefined) failUsage('export takes no --anchor')
    if (format !== 'ndjson' && format !== 'csv') return failUsage('--format must be ndjson or csv')
    if (json) failUsage('export prints rows: it takes no --json')
    const filter = { ...(from && { from: from.toISOString() }), ...(to && { to: to.toISOString() }) }
    for await (const rows of exportAudit((await openDatabase()).read, filter, format)) await print(rows)
    return undefined
  }
  if (options.format !== undefined || from || to) failUsage('verify takes no --format, --from and --to')
  const expected = anchor === undefined ? undefined : readAnchor(anchor)
  const { rows, head, findings } = await verifyAudit((await openDatabase()).read, expected)
  if (findings.length === 0 && !options.fromReplica)
    await recordMaintenance(databaseUrl(), 'verify-audit', note)
  const lines = findings.map(({ seq, fault }) => `Row ${seq} ${FAULTS[fault]}.`)
  const summary = findings.length === 0 ? `${rows} rows are intact.` : `${rows} rows were read.`
  return {
    json: { rows, head, findings },
    text: [...lines, summary, ...(head ? [`Anchor ${head.seq}:${head.hash}`] : [])].join('\n'),
    found: findings.length > 0,
  }
})

function readAnchor(text: string): Anchor {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq === undefined || hash === undefined)
    return failUsage(`--anchor must be SEQ:HASH, as \`${commandLine('audit')} verify\` prints it`)
  return { seq: Number(seq), hash }
}
