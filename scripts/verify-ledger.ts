/** `bun run verify-ledger`: recomputes the ledger, the leaderboards, and what rules and predictions granted. */

import { describeFinding } from '../src/operate/admin/audit/describe-finding.ts'
import { verifyLedger } from '../src/operate/admin/audit/verify-ledger.ts'
import { encryptionKeysOf } from '../src/operate/admin/encrypted-rows.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { runVerification } from './command/verification.ts'

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

await runCommand(command, async session => {
  const { configuration, note, openDatabase } = session
  const db = await openDatabase()
  // A restored backup may be verified on a machine without other configuration.
  const keys = await configuration()
    .then(({ nativeTokens }) => encryptionKeysOf(nativeTokens))
    .catch(() =>
      note('Not checked: whether the configured keys read what is encrypted. Set the variables of the API.'),
    )
  return runVerification(session, {
    command: 'verify-ledger',
    noun: 'fans',
    verify: observer => verifyLedger(db, { keys: keys ?? undefined, ...observer }),
    describe: describeFinding,
    scopeOf: ({ fans, entries, boards, events }) =>
      `${fans} fans, ${entries} entries, ${boards} boards, ${events} events`,
    proofOf: ({ digest }) => `Digest ${digest}`,
  })
})
