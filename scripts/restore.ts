/** `bun run restore FILE`: puts a backup in the place of the SQLite database. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseError } from '../db/index.ts'
import { knownMigrations } from '../db/known-migrations.ts'
import { inspectSqlite, replaceSqlite } from '../db/sqlite-copy.ts'
import { realSources } from '../src/sources.ts'
import { describeLedger, verifyCopy } from './backup/verify-copy.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { isFolder, isSqlite, sqlitePathOf } from './command/database.ts'
import { fail, misuse } from './command/explain.ts'

const command = declareCommand({
  name: 'restore',
  summary:
    'Puts a backup in the place of the SQLite database. Stop the API first, and whatever would start it.',
  examples: [
    ['backups/monday.db', 'where there is no database, or an empty one'],
    ['backups/monday.db --force', 'in the place of one with data, which is kept beside it'],
  ],
  notes: 'PostgreSQL has its own: pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE',
  changes: true,
})
  .argument('<file>', 'the backup')
  .option('--force', 'replace a database that holds data, or cannot be read')

await runCommand(command, async ({ parameters: [file], options, databaseUrl, progress }) => {
  const url = databaseUrl()
  if (!isSqlite(url))
    misuse(
      'restore is for SQLite; for PostgreSQL: pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE',
    )
  const path = sqlitePathOf(url)
  if (!existsSync(file)) fail(`There is no file ${file}.`)
  if (isFolder(file)) fail(`${file} is a folder: name the file of the backup.`)
  if (resolve(file) === resolve(path)) misuse('the backup cannot be the database itself')

  const backup = await verifyCopy(file, progress('fans verified'))
  const ahead = backup.migrations - backup.knownMigrations
  if (ahead > 0)
    fail(`${file} is ahead of this version of Matchday by ${ahead}: restore it with the newer one.`)
  if (!options.force) refuseData(path)

  const replaced = existsSync(path)
  if (options.dryRun) {
    const fate = replaced ? 'What is there would be kept beside it.' : 'There is no database yet.'
    return {
      answer: { file, rows: backup.rows, migrations: backup.migrations },
      text: `Would restore ${path} from ${file}: ${backup.rows} rows, verified. ${fate} Nothing was changed (--dry-run).`,
      changed: backup.rows,
      told: true,
    }
  }
  mkdirSync(dirname(path), { recursive: true })
  const aside = `${path}.before-${realSources.now().toISOString().replaceAll(/[:.]/g, '-')}`
  try {
    replaceSqlite(file, path, aside, options.force)
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.fault !== 'busy') throw error
    fail(`${path} is in use: stop the API, and whatever else has it open, first.`)
  }

  const total = knownMigrations('sqlite').length
  const behind = total - backup.migrations
  const version =
    behind === 0
      ? 'It is at the schema of this version.'
      : `It is at migration ${backup.migrations} of ${total}: \`bun run migrate\`, or the API's start, brings it up.`
  const kept = replaced ? [`What was there is kept at ${aside}.`] : []
  return {
    answer: {
      file,
      rows: backup.rows,
      migrations: backup.migrations,
      migrationsMissing: behind,
      ledgerDigest: backup.ledgerDigest,
      keptAt: replaced ? aside : null,
    },
    text: [
      `Restored ${path} from ${file}: ${backup.rows} rows, verified.`,
      describeLedger(backup.ledgerDigest),
      version,
      ...kept,
    ].join('\n'),
    changed: backup.rows,
    told: true,
  }
})

function refuseData(path: string): void {
  if (!existsSync(path)) return
  let rows = 0
  try {
    rows = inspectSqlite(path).rows
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.fault !== 'corrupt') throw error
    fail(`${path} cannot be read: --force puts the backup in its place, and keeps it.`)
  }
  if (rows > 0)
    fail(`${path} holds ${rows} rows: --force puts the backup in its place, and keeps them beside it.`)
}
