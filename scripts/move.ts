/** `bun run move --from URL --to URL`: copies a database to another one, from SQLite to PostgreSQL or back. */
import { existsSync, realpathSync } from 'node:fs'
import { type Database, openDatabase, type PostgresSettings } from '../db/index.ts'
import { listPendingMigrations, migrate } from '../db/migrate.ts'
import { commandLine } from '../src/core/command-line.ts'
import { realSources } from '../src/core/sources.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { databaseUrlOf, isSqlite, openExisting, postgresSettings, sqlitePathOf } from './command/database.ts'
import { failUsage, redact } from './command/explain.ts'
import type { Progress } from './command/progress.ts'
import { stoppable } from './command/stop.ts'
import { allowWrites, isFollowed, requireNoArchive, unfollow } from './move/changes.ts'
import { countAll } from './move/copy.ts'
import { moveLive } from './move/live.ts'
import { findMoved, moveDatabase, requireKnownSchema } from './move/move.ts'

const command = declareCommand({
  name: 'move',
  summary: 'Copies a database into an empty one of either engine and compares both.',
  examples: [
    [
      '--from sqlite:data/matchday.db --to postgres://db.example.com/matchday',
      'from one machine to a server',
    ],
    ['--from postgres://db.example.com/matchday --to sqlite:sample.db', 'to a local file'],
    [
      '--from postgres://db.example.com/fans --to postgres://db.example.com/clubs --to-schema harbour',
      'into the schema of a club',
    ],
    ['--from sqlite:data/matchday.db --to postgres://db.example.com/matchday --live', 'while the API serves'],
    [
      '--from sqlite:data/matchday.db --to postgres://db.example.com/matchday --dry-run',
      'shows what would be copied',
    ],
  ],
  notes:
    '--live copies while the API serves. At its end the source refuses writes: start the API on the target then.\n' +
    'Without it, stop the API first: if the source changes meanwhile, the comparison at the end fails and the move must be repeated.\n' +
    'After an interruption, the same command continues; after a completed move, it reports so.',
  database: false,
  changes: true,
})
  .requiredOption('--from <url>', 'source, sqlite:PATH or postgres://…; only read')
  .requiredOption('--to <url>', 'target, sqlite:PATH or postgres://…; empty, or of an interrupted move')
  .option('--live', 'while the API serves; the source refuses writes at the end')
  .option('--abort', 'ends a live move: the source takes writes as before, and the target stays as it is')
  .option('--from-schema <name>', 'schema of the source on PostgreSQL (default: DATABASE_SCHEMA)')
  .option('--to-schema <name>', 'schema of the target on PostgreSQL (default: DATABASE_SCHEMA)')

/** A canonical name of a database, without its password. */
function nameOf(url: string, { schema }: PostgresSettings): string {
  if (!isSqlite(url)) return schema === null ? redact(url) : `${redact(url)} ${schema}`
  return existsSync(sqlitePathOf(url)) ? `sqlite:${realpathSync(sqlitePathOf(url))}` : url
}

await runCommand(command, async ({ options, closeAtEnd, progress }) => {
  const [from, to] = [databaseUrlOf(options.from, '--from'), databaseUrlOf(options.to, '--to')]
  const [settings, postgres] = [
    postgresSettings(options.fromSchema, '--from-schema'),
    postgresSettings(options.toSchema, '--to-schema'),
  ]
  const sourceName = nameOf(from, settings)
  if (sourceName === nameOf(to, postgres)) failUsage('--from and --to are the same database.')
  const source = closeAtEnd(await openExisting(from, settings))
  await requireKnownSchema(source)
  if (options.abort) {
    const followed = await isFollowed(source)
    if (followed && !options.dryRun) {
      // First, since `unfollow` waits for a running backup.
      await allowWrites(source)
      await unfollow(source)
    }
    const ended = options.dryRun
      ? 'The live move would end, and the source take writes.'
      : 'The source takes writes, and no move follows it.'
    const text = followed ? ended : 'No live move follows the source.'
    return { json: { followed }, text, changed: followed ? 1 : 0 }
  }
  await requireNoArchive(source.read)
  const counts = await countAll(source)
  const total = counts.reduce((sum, { rows }) => sum + rows, 0)
  const same = `the same ${total} rows in ${counts.length} tables`

  const copying = progress('rows copied')
  let comparing: Progress | undefined
  let verifying: Progress | undefined
  let [copied, compared] = [0, 0]
  const onCompared = (rows: number) => {
    copying.end()
    compared += rows
    comparing ??= progress('rows compared')
    comparing(compared, 2 * total)
  }

  if (options.dryRun) {
    const current = await openCurrent(to, postgres)
    const target = current && closeAtEnd(current)
    const moved =
      target &&
      (await stoppable(stopRequested =>
        findMoved(source, target, { sourceName, onCompared, stopRequested }),
      ).finally(() => comparing?.end()))
    if (moved) {
      const text = `Already moved: both databases have ${same}.`
      return { json: { tables: counts, movedBefore: true }, text, changed: 0 }
    }
    const lines = counts.map(({ table, rows }) => `${String(rows).padStart(12)}  ${table}`)
    return { json: { tables: counts, movedBefore: false }, text: lines.join('\n'), changed: total }
  }

  await migrate(to, postgres)
  const target = closeAtEnd(openDatabase(to, realSources, { bulk: true, postgres }))
  if (options.live) {
    const moved = await stoppable(stopRequested =>
      moveLive(source, target, {
        sourceName,
        // Its file exists only now.
        targetName: nameOf(to, postgres),
        stopRequested,
        now: () => performance.now(),
        onRows(rows) {
          copied += rows
          copying(copied, total)
        },
      }),
    ).finally(() => copying.end())
    if (moved.movedBefore) {
      const text =
        'This move has ended: the source refuses writes, and the target is in use. To go back, use --abort.'
      return { json: { ...moved }, text, changed: 0 }
    }
    return {
      json: { ...moved },
      text: [
        `Both databases have the same ${moved.rows} rows. ${moved.changes} changes were copied meanwhile.`,
        `The source has refused writes for ${(moved.stoppedMs / 1_000).toFixed(1)} s: start the API on the target now.`,
        `Then run \`${commandLine('verify-ledger')}\` there. To go back before that, use --abort.`,
      ].join('\n'),
      changed: moved.rows,
    }
  }
  const report = await stoppable(stopRequested =>
    moveDatabase(source, target, {
      sourceName,
      stopRequested,
      onCopied(rows) {
        copied += rows
        copying(copied, total)
      },
      onCompared,
      onVerified(done, fans) {
        comparing?.end()
        verifying ??= progress('fans verified')
        verifying(done, fans)
      },
    }),
  ).finally(() => {
    copying.end()
    comparing?.end()
    verifying?.end()
  })
  const { tables, ledger, movedBefore } = report
  const found = ledger.findings > 0
  return {
    json: { tables, ledger, movedBefore },
    text: [
      `${movedBefore ? 'Already moved: both' : 'Both'} databases have ${same}. Ledger digest ${ledger.digest}`,
      found
        ? `Both have ${ledger.findings} ledger findings: \`${commandLine('verify-ledger')}\` lists them.`
        : 'Every hash chain, account, leaderboard entry and count was verified.',
    ].join('\n'),
    found,
    changed: report.copied,
  }
})

/** Opens the target; undefined if it does not exist or has an older schema. @throws as `migrate` */
async function openCurrent(url: string, postgres: PostgresSettings): Promise<Database | undefined> {
  if (isSqlite(url) && !existsSync(sqlitePathOf(url))) return undefined
  const { pending } = await listPendingMigrations(url, postgres)
  return pending.length > 0 ? undefined : openDatabase(url, realSources, { postgres })
}
