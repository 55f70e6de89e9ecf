/** `bun run restore FILE`: puts a backup in the place of the SQLite database. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expectedMigrations } from '../db/expected-schema.ts'
import { DatabaseError, openDatabase, translateDatabaseError } from '../db/index.ts'
import { migrate } from '../db/migrate.ts'
import { inspectSqlite, openSqliteCopy, replaceSqlite } from '../db/sqlite/copy.ts'
import { exportErasures, type Reapplied, readErasures, reapplyErasures } from '../src/admin/erasure-list.ts'
import { realSources } from '../src/core/sources.ts'
import type { Tombstone } from '../src/users/tombstone.ts'
import { describeLedger, verifyCopy } from './backup/verify-copy.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { erasuresPathOf, isFolder, isSqlite, sqlitePathOf } from './command/database.ts'
import { fail, misuse } from './command/explain.ts'

const command = declareCommand({
  name: 'restore',
  summary:
    'Puts a backup in the place of the SQLite database. Stop the API first, and whatever would start it.',
  examples: [
    ['backups/monday.db', 'where there is no database, or an empty one'],
    ['backups/monday.db --force', 'in the place of one with data, which is kept beside it'],
    ['backups/monday.db --erasures erasures.ndjson', 'on another machine: erases again whom the list names'],
  ],
  notes:
    'Fans who were erased since the backup are erased again before the database is replaced. They are found in the list\n' +
    'of erasures (DATABASE.erasures), in the database that is replaced, and in the file of --erasures.\n' +
    'PostgreSQL has its own: pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE\n' +
    'and then: bun run erase-user --reapply ERASURES --yes',
  changes: true,
})
  .argument('<file>', 'the backup')
  .option('--force', 'replace a database that holds data, or cannot be read')
  .option('--erasures <file>', 'a list of erasures, in addition to DATABASE.erasures')

await runCommand(command, async ({ parameters: [file], options, databaseUrl, progress, note }) => {
  const url = databaseUrl()
  if (!isSqlite(url))
    misuse(
      'restore is for SQLite; for PostgreSQL: pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE',
    )
  const path = sqlitePathOf(url)
  if (!existsSync(file)) fail(`There is no file ${file}.`)
  if (isFolder(file)) fail(`${file} is a folder: name the file of the backup.`)
  if (resolve(file) === resolve(path)) misuse('the backup cannot be the database itself')
  if (options.erasures !== undefined && !existsSync(options.erasures))
    fail(`There is no file ${options.erasures}.`)

  const backup = await verifyCopy(file, progress('fans verified'))
  const ahead = backup.migrations - backup.expectedMigrations
  if (ahead > 0)
    fail(`${file} is ahead of this version of Matchday by ${ahead}: restore it with the newer one.`)
  if (!options.force) refuseData(path)

  const replaced = existsSync(path)
  const list = erasuresPathOf(path)
  if (!options.dryRun) await exportReplaced(path, list)
  const lists = [list, ...(options.erasures === undefined ? [] : [options.erasures])]
  const erasures = lists.flatMap(each => readListed(each, note))
  if (options.dryRun) {
    const fate = replaced ? 'What is there would be kept beside it.' : 'There is no database yet.'
    return {
      answer: { file, rows: backup.rows, migrations: backup.migrations },
      text: `Would restore ${path} from ${file}: ${backup.rows} rows, verified. ${fate} ${erasures.length} erasures are listed. Nothing was changed (--dry-run).`,
      changed: backup.rows,
      told: true,
    }
  }
  mkdirSync(dirname(path), { recursive: true })
  const aside = `${path}.before-${realSources.now().toISOString().replaceAll(/[:.]/g, '-')}`
  let reapplied: Reapplied = { erased: 0, tombstones: 0 }
  const prepare = async (copy: string) => {
    if (erasures.length > 0) reapplied = await eraseAgain(copy, erasures, list)
  }
  try {
    await replaceSqlite(file, path, aside, { allowCorrupt: options.force ?? false, prepare })
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.fault !== 'busy') throw error
    fail(`${path} is in use: stop the API, and whatever else has it open, first.`)
  }

  const total = expectedMigrations('sqlite').length
  // Erasing needs the schema of this version.
  const behind = erasures.length > 0 ? 0 : total - backup.migrations
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
      erasures: { listed: erasures.length, ...reapplied },
      keptAt: replaced ? aside : null,
    },
    text: [
      `Restored ${path} from ${file}: ${backup.rows} rows, verified.`,
      describeLedger(backup.ledgerDigest),
      version,
      describeErasures(erasures.length, reapplied, list),
      ...kept,
    ].join('\n'),
    changed: backup.rows,
    told: true,
  }
})

/** Adds the erasures of the database that is replaced to the list, where it can be read and has the current schema. */
async function exportReplaced(path: string, list: string): Promise<void> {
  if (!existsSync(path)) return
  try {
    if (!inspectSqlite(path).current) return
    const { read, close } = openSqliteCopy(path, realSources)
    await exportErasures(read, list).finally(close)
  } catch (error) {
    const fault = translateDatabaseError(error)
    if (!(fault instanceof DatabaseError) || fault.fault !== 'corrupt') throw fault
  }
}

function readListed(list: string, note: (line: string) => void): Tombstone[] {
  const { tombstones, unreadable } = readErasures(list)
  if (unreadable.length > 0) note(`${list}: lines that cannot be read: ${unreadable.join(', ')}`)
  return tombstones
}

/** Applies the erasures to the copy before it replaces the database. */
async function eraseAgain(copy: string, erasures: Tombstone[], list: string): Promise<Reapplied> {
  const url = `sqlite:${copy}`
  await migrate(url)
  const db = openDatabase(url, realSources, { bulk: true })
  try {
    const reapplied = await reapplyErasures(db, erasures)
    await exportErasures(db.read, list)
    return reapplied
  } finally {
    await db.close()
  }
}

function describeErasures(listed: number, { erased }: Reapplied, list: string): string {
  if (listed > 0) return `Of ${listed} listed erasures ${erased} were applied again.`
  return `No erasures are listed at ${list}: a fan who was erased since the backup is there again. --erasures names another list.`
}

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
