/** `bun run verify-ledger`: recomputes the ledger, the leaderboards, and what rules and predictions granted. */

import { describeFinding } from '../src/operate/admin/audit/describe-finding.ts'
import type { Finding } from '../src/operate/admin/audit/finding.ts'
import { verifyLedger } from '../src/operate/admin/audit/verify-ledger.ts'
import { encryptionKeysOf } from '../src/operate/admin/encrypted-rows.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { databaseUrlOf } from './command/database.ts'
import { recordMaintenance } from './command/record-maintenance.ts'
import { Interrupted, stoppable } from './command/stop.ts'

const command = declareCommand({
  name: 'verify-ledger',
  reads: true,
  summary: `Recomputes every hash chain, balance, leaderboard entry and count, and evaluates every event again by the rules of its
time. Reports differences: for each fan the first broken entry, or otherwise the values that do not follow from the entries,
decisions, grants, limits and budgets that do not follow from the events, purchases, packs, predictions and sanctions that contradict
what has paid, drawn, settled or decided them, and entries of the catalogue that are not as their history says.`,
  examples: [
    ['', 'verifies everything; takes no lock, writes the time of a run without findings'],
    ['--json', 'as JSON: findings with expected and actual values'],
  ],
  notes: `The digest covers all ledgers. Store it elsewhere: a backup or copy with the same digest has the same ledgers. Only
the digest reveals a chain that was rewritten from its first entry on, with account and leaderboards.`,
}).option('--max <n>', 'maximum of listed findings; further ones are counted', wholeNumber(1_000_000), 100)

await runCommand(command, async ({ options, configuration, databaseUrl, openDatabase, note, progress }) => {
  const db = await openDatabase()
  // A restored backup may be verified on a machine without other configuration.
  const keys = await configuration()
    .then(({ nativeTokens }) => encryptionKeysOf(nativeTokens))
    .catch(() =>
      note('Not checked: whether the configured keys read what is encrypted. Set the variables of the API.'),
    )
  const findings: Finding[] = []
  const onProgress = progress('fans')
  const report = await stoppable(requested =>
    verifyLedger(db, {
      keys: keys ?? undefined,
      onProgress(done, total) {
        onProgress(done, total)
        const signal = requested()
        if (signal) throw new Interrupted(signal, done)
      },
      onFinding: finding => void (findings.length < options.max && findings.push(finding)),
    }),
  ).finally(() => onProgress.end())
  const { fans, entries, boards, events, digest } = report
  const all = `${fans} fans, ${entries} entries, ${boards} boards, ${events} events`
  // A replica takes no writes.
  const primary = options.fromReplica ? databaseUrlOf(undefined) : databaseUrl()
  if (report.findings === 0) await recordMaintenance(primary, 'verify-ledger', note)
  const unlisted = report.findings - findings.length
  const text =
    report.findings === 0
      ? `No findings in ${all}.\nDigest ${digest}`
      : [
          ...findings.map(describeFinding),
          ...(unlisted > 0 ? [`… and ${unlisted} more (--max)`] : []),
          `${report.findings} findings in ${all}.`,
        ].join('\n')
  return {
    json: { ...report, found: report.findings, findings },
    text,
    found: report.findings > 0,
  }
})
