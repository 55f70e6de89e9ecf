/** `bun run verify-ledger`: recomputes all that the ledger and the boards hold. */
import type { Finding } from '../src/admin/audit/audit-fan.ts'
import { verifyLedger } from '../src/admin/audit/verify-ledger.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { Interrupted, stoppable } from './command/stop.ts'
import { describeFinding } from './verify-ledger/describe-finding.ts'

const command = declareCommand({
  name: 'verify-ledger',
  summary: `Recomputes every hash chain, balance, place and count, and names what is not as it must be:
of each fan the first broken entry, or else what does not follow from the entries.`,
  examples: [
    ['', 'everything; takes no lock, writes nothing'],
    ['--json', 'the same for machines: findings with expected and actual values'],
  ],
  notes: `The digest is that of all ledgers: note it down elsewhere, and a backup or a copy that answers the same holds the same.
Without it, nobody can tell a chain that was made anew from its first entry on, account and boards included.`,
}).option('--most <n>', 'findings named; the others are counted', wholeNumber(1_000_000), 100)

await runCommand(command, async ({ options, openDatabase, progress }) => {
  const db = await openDatabase()
  const findings: Finding[] = []
  const onProgress = progress('fans')
  const report = await stoppable(requested =>
    verifyLedger(db, {
      onProgress(done, total) {
        onProgress(done, total)
        const signal = requested()
        if (signal) throw new Interrupted(signal, done)
      },
      onFinding: finding => void (findings.length < options.most && findings.push(finding)),
    }),
  ).finally(() => onProgress.end())
  const { fans, entries, boards, digest } = report
  const all = `${fans} fans, ${entries} entries, ${boards} boards`
  const unnamed = report.findings - findings.length
  const text =
    report.findings === 0
      ? `All is as it must be: ${all}.\nDigest ${digest}`
      : [
          ...findings.map(describeFinding),
          ...(unnamed > 0 ? [`… and ${unnamed} more (--most)`] : []),
          `${report.findings} found wrong among ${all}.`,
        ].join('\n')
  return {
    answer: { ...report, found: report.findings, findings },
    text,
    found: report.findings > 0,
  }
})
