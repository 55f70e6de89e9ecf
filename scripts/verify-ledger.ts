/** `bun run verify-ledger`: recomputes the ledger, the leaderboards, and what rules and predictions granted. */
import { encryptionKeysOf } from '../src/audit/keys/encrypted-rows.ts'
import { verifyLedger } from '../src/audit/runs/verify-ledger.ts'
import { describeFinding } from '../src/core/finding.ts'
import { type ArchiveReport, verifyArchive } from '../src/operate/admin/archive/verify-archive.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { COVERAGE_OPTIONS, chooseCoverage, partOf, runVerification } from './command/verification.ts'

const command = declareCommand({
  name: 'verify-ledger',
  reads: true,
  summary: `Recomputes every hash chain, balance, leaderboard entry and count, and evaluates every event again by the rules of its
time. Reports differences: for each fan the first broken entry, or otherwise the values that differ from the sum of the entries; decisions, grants, limits and budgets that differ from the events; purchases, packs, predictions and sanctions that differ from their payments, draws, results or decisions; entries of the catalogue that differ from their history; and counts of the season that differ from what is recorded.`,
  examples: [
    ['', 'verifies everything; takes no lock, writes the time of a run without findings'],
    ['--since-last', 'verifies fans with changes since the last complete run without findings'],
    ['--part 3/7', 'verifies the third of seven parts; when all are done, everything is verified'],
    ['--json', 'as JSON: findings with expected and actual values'],
  ],
  notes: `The digest covers all ledgers. Store it elsewhere: a backup or copy with the same digest has the same ledgers. Only the digest reveals that a whole chain was rewritten, together with account and leaderboards.`,
})
  .option(...COVERAGE_OPTIONS.sinceLast)
  .option(...COVERAGE_OPTIONS.part, partOf)
  .option(
    '--archive <folder>',
    'also compare the files of the archive, up to where the rows of the fans begin',
  )
  .option('--max <n>', 'maximum of listed findings; further ones are counted', wholeNumber(1_000_000), 100)

await runCommand(command, async session => {
  const { configuration, note, openDatabase, options } = session
  const db = await openDatabase()
  // A restored backup may be verified on a machine without other configuration.
  const keys = await configuration()
    .then(({ nativeTokens }) => encryptionKeysOf(nativeTokens))
    .catch(() =>
      note('Not checked: whether the configured keys read what is encrypted. Set the variables of the API.'),
    )
  const coverage = await chooseCoverage(session, db, 'verify-ledger')
  return runVerification(session, {
    command: 'verify-ledger',
    noun: 'fans',
    coverage,
    async verify(observer) {
      const report = await verifyLedger(db, { coverage, keys: keys ?? undefined, ...observer })
      if (options.archive === undefined) return { ...report, archive: null }
      const archive = await verifyArchive(db, options.archive, observer.onFinding)
      return { ...report, archive, findings: report.findings + archive.findings }
    },
    describe: describeFinding,
    scopeOf: ({ fans, entries, boards, events, archive }) =>
      `${fans} fans, ${entries} entries, ${boards} boards, ${events} events${archive ? `; ${describeArchive(archive)}` : ''}`,
    proofOf: ({ digest }) => `Digest ${digest}`,
  })
})

function describeArchive({ files, fans, entries, events, erased }: ArchiveReport): string {
  const read = `${files} files of the archive with ${entries} entries and ${events} events of ${fans} fans`
  return erased === 0 ? read : `${read}; nobody can read the lines of ${erased} erased fans`
}
