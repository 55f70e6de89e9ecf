/** `bun run import-fans FILE`: imports fans of another system with their points. */
import { importFansFile } from '../src/operate/admin/import/fans-file.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { providerOf } from './command/database.ts'
import { importHooks } from './command/import-hooks.ts'
import { rowFileOf } from './command/row-file.ts'
import { stoppable } from './command/stop.ts'

const command = declareCommand({
  name: 'import-fans',
  summary: `Imports fans of another system: profile, points, onboarding, leaderboard.
Each fan is written once: a second run changes nothing. After an interruption, run the command again.`,
  examples: [
    ['fans.csv --dry-run', 'checks every line and shows what would be written'],
    ['fans.csv', 'imports the file; a file with an invalid line is rejected as a whole'],
    ['fans.ndjson --skip-invalid', 'imports the valid lines and lists the invalid ones'],
  ],
  notes: `NDJSON (.ndjson, .jsonl): one JSON object per line. CSV (.csv): RFC 4180 with a header line. Both are UTF-8 and have
  subject                 the subject of the fan at the provider; the only required member
  displayName, handle, avatarUrl, bio, country, locale, favoriteTeamId
                          the profile, by the rules of the API; written only if the fan has none
  openingBalance          points, booked once as one ledger entry with the reason opening_balance
  onboardingCompletedAt   a past instant, such as 2025-08-15T18:30:00Z; grants no points
  joinLeaderboard         true enrols the fan in the leaderboard
Members that are null, and empty cells, count as absent. Examples: scripts/import-fans/example.csv and example.ndjson.`,
  changes: true,
})
  .argument('<file>', 'NDJSON or CSV, by file name extension')
  .option('--provider <name>', 'the provider of the subjects (default: IDP_NAME)')
  .option('--skip-invalid', 'import the valid lines of a file with invalid ones')
  .option('--exclusive', 'no other process writes: long batches without pauses')

await runCommand(command, async ({ parameters: [path], options, openDatabase, progress, print }) => {
  const file = rowFileOf(path)
  const terms = { ...options, provider: providerOf(options.provider), elapsed: () => performance.now() }
  const db = await openDatabase()
  const { hooks, errors, end } = importHooks('fans', { ...options, progress, print })
  const { created, changed, unchanged, invalid, points, profilesKept, refused, unreadable } = await stoppable(
    requested => importFansFile(db, file, terms, hooks(requested)),
  ).finally(end)
  const kept =
    profilesKept > 0 ? [`${profilesKept} fans have a different profile already, which was not changed.`] : []
  const summary = `${created} created, ${changed} changed, ${unchanged} unchanged, ${invalid} invalid; ${points} points in opening balances.`
  const why = unreadable ? '' : ' --skip-invalid imports the others.'
  return {
    json: { created, changed, unchanged, invalid, points, profilesKept, refused, errors },
    text: refused
      ? `${invalid} invalid line${invalid === 1 ? '' : 's'}; nothing was written.${why}`
      : [summary, ...kept].join('\n'),
    found: invalid > 0,
    changed: refused ? 0 : created + changed,
    textHasSummary: refused,
  }
})
