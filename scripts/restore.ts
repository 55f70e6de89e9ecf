/** `bun run restore FILE`: replaces the SQLite database with a backup, and writes its pictures into their store. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseError, openDatabase, SchemaError, translateDatabaseError } from '../db/index.ts'
import { listPendingMigrations, migrate } from '../db/migrate.ts'
import { inspectSqlite, openSqliteCopy, replaceSqlite } from '../db/sqlite/copy.ts'
import { createSpine } from '../src/app/spine.ts'
import { listPicturesIn, type RestoredPictures, restorePictures } from '../src/club/pictures/backup.ts'
import { manifestOf } from '../src/club/pictures/backup-manifest.ts'
import { commandLine } from '../src/core/command-line.ts'
import { realSources } from '../src/core/sources.ts'
import { readErasures } from '../src/fan/account/erasure-list.ts'
import type { Tombstone } from '../src/identity/users/tombstone.ts'
import { describeLedger, verifyCopy } from '../src/operate/admin/backup/verify-copy.ts'
import { exportErasures, type Reapplied, reapplyErasures } from '../src/operate/admin/reapply-erasures.ts'
import { erasuresPathOf } from '../src/platform/config/database.ts'
import { declareCommand, runCommand } from './command/command.ts'
import {
  erasureListOf,
  isDirectory,
  isSqlite,
  pgRestore,
  sqlitePathOf,
  uploadsConfig,
} from './command/database.ts'
import { fail, failUsage } from './command/explain.ts'
import { Interrupted, stoppable } from './command/stop.ts'

const command = declareCommand({
  name: 'restore',
  summary:
    'Replaces the SQLite database with a backup. Stop the API first, and anything that would restart it. Its pictures ' +
    'are written into UPLOADS, where nothing is deleted.',
  examples: [
    ['backups/monday.db', 'if there is no database, or an empty one'],
    ['backups/monday.db --force', 'replaces a database with data, which is kept under another name'],
    ['backups/monday.db --erasures erasures.ndjson', 'on another machine: applies the listed erasures again'],
  ],
  notes:
    'Fans erased since the backup are erased again before the database is replaced. They are read from the list of\n' +
    'erasures (ERASURE_LIST, and DATABASE.erasures), from the replaced database, and from the file of --erasures.\n' +
    `For PostgreSQL use ${pgRestore()}\n` +
    `and then ${commandLine('erase-user')} --reapply ERASURES --yes`,
  changes: true,
})
  .argument('<file>', 'the backup')
  .option('--force', 'replace a database that has data or is unreadable')
  .option('--erasures <file>', 'a list of erasures, in addition to ERASURE_LIST')
  .option('--no-pictures', 'restore only the database')

await runCommand(command, async ({ parameters: [file], options, databaseUrl, progress, note }) => {
  const url = databaseUrl()
  if (!isSqlite(url)) failUsage(`restore is for SQLite; for PostgreSQL: ${pgRestore()}`)
  const path = sqlitePathOf(url)
  if (!existsSync(file)) fail(`There is no file ${file}.`)
  if (isDirectory(file)) fail(`${file} is a directory: name the file of the backup.`)
  if (resolve(file) === resolve(path)) failUsage('the backup cannot be the database itself')
  if (options.erasures !== undefined && !existsSync(options.erasures))
    fail(`There is no file ${options.erasures}.`)

  const verified = progress('fans verified')
  const backup = await verifyCopy(file, verified).finally(() => verified.end())
  const { total, pending, ahead } = await listPendingMigrations(`sqlite:${file}`).catch(error =>
    refuseOtherSchema(file, error),
  )
  if (ahead > 0)
    fail(`${file} is from a newer version (migrations ahead: ${ahead}): restore it with that version.`)
  if (!options.force) requireEmpty(path)

  const replaced = existsSync(path)
  const nextTo = erasuresPathOf(path)
  const list = erasureListOf(url) ?? nextTo
  if (!options.dryRun) await exportReplaced(path, list)
  // The one next to the database is from before ERASURE_LIST was set.
  const lists = new Set([list, nextTo, ...(options.erasures === undefined ? [] : [options.erasures])])
  const erasures = [...lists].flatMap(listFile => readListed(listFile, note))
  let pictures: RestoredPictures | null = null
  /** `copy`: the backup, or a copy in which erased fans are erased. `onBatch` may stop it. */
  const putPictures = async (copy: string, onBatch: (done: number) => void) => {
    if (!options.pictures) return
    const showProgress = progress('pictures')
    const ids = await listPicturesIn(copy)
    const dryRun = options.dryRun ?? false
    const onPicture = (done: number, total: number) => {
      showProgress(done, total)
      onBatch(done)
    }
    pictures = await restorePictures(ids, file, uploadsConfig(), { dryRun, onPicture }).finally(() =>
      showProgress.end(),
    )
    if (!pictures && ids.length > 0)
      note(
        `There is no ${manifestOf(file)}: the backup has no pictures. Of the ${ids.length} pictures of the database, those that are not in UPLOADS stay missing.`,
      )
  }
  if (options.dryRun) {
    const consequence = replaced
      ? 'The current database would be kept under another name.'
      : 'There is no database yet.'
    await putPictures(file, () => {})
    return {
      json: { file, rows: backup.rows, migrations: backup.migrations, pictures },
      text: [
        `Would restore ${path} from ${file}: ${backup.rows} rows, verified. ${consequence} ${erasures.length} erasures are listed.`,
        ...describePictures(pictures, 'would be written'),
        'Nothing was changed (--dry-run).',
      ].join(' '),
      changed: backup.rows,
      textHasSummary: true,
    }
  }
  mkdirSync(dirname(path), { recursive: true })
  const aside = `${path}.before-${realSources.now().toISOString().replaceAll(/[:.]/g, '-')}`
  let reapplied: Reapplied = { erased: 0, tombstones: 0 }
  try {
    await stoppable(requested => {
      // Before the database is replaced. Pictures that are written stay: the next run uses them.
      const goOn = (done: number) => {
        const signal = requested()
        if (signal) throw new Interrupted(signal, done)
      }
      const prepare = async (copy: string) => {
        if (erasures.length > 0) reapplied = await applyErasures(copy, erasures, list)
        goOn(0)
        await putPictures(copy, goOn)
      }
      return replaceSqlite(file, path, aside, { allowCorrupt: options.force ?? false, prepare })
    })
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.fault !== 'busy') throw error
    fail(`${path} is in use: stop the API and any other process that uses it.`)
  }

  // Applying erasures has migrated it.
  const behind = erasures.length > 0 ? 0 : pending.length
  const version =
    behind === 0
      ? 'Its schema is current.'
      : `It is at migration ${backup.migrations} of ${total}: \`${commandLine('migrate')}\`, or the start of the API, migrates it.`
  const kept = replaced ? [`The previous database is kept at ${aside}.`] : []
  return {
    json: {
      file,
      rows: backup.rows,
      migrations: backup.migrations,
      migrationsMissing: behind,
      ledgerDigest: backup.ledgerDigest,
      erasures: { listed: erasures.length, ...reapplied },
      keptAt: replaced ? aside : null,
      pictures,
    },
    text: [
      `Restored ${path} from ${file}: ${backup.rows} rows, verified.`,
      describeLedger(backup.ledgerDigest),
      version,
      ...describePictures(pictures, 'were written'),
      describeErasures(erasures.length, reapplied, list),
      ...kept,
    ].join('\n'),
    changed: backup.rows,
    textHasSummary: true,
  }
})

/** Refuses a backup that `migrate` would refuse: after a restore, neither `migrate` nor the API could use it. */
function refuseOtherSchema(file: string, error: unknown): never {
  if (error instanceof SchemaError) fail(`${file} cannot be restored: ${error.message}.`)
  throw error
}

/** Adds the erasures of the replaced database to the list, if it is readable and has the current schema. */
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
  if (unreadable.length > 0) note(`${list}: unreadable lines: ${unreadable.join(', ')}`)
  return tombstones
}

/** Applies the erasures to the copy before it replaces the database. */
async function applyErasures(copy: string, erasures: Tombstone[], list: string): Promise<Reapplied> {
  const url = `sqlite:${copy}`
  await migrate(url)
  const db = openDatabase(url, realSources, { spine: createSpine(), bulk: true })
  try {
    const reapplied = await reapplyErasures(db, erasures)
    await exportErasures(db.read, list)
    return reapplied
  } finally {
    await db.close()
  }
}

function describePictures(pictures: RestoredPictures | null, verb: string): string[] {
  if (!pictures || Object.values(pictures).every(count => count === 0)) return []
  const { restored, present, missing } = pictures
  const lost = missing === 0 ? '' : ` ${missing} were missing already when the backup was made.`
  return [`${restored} pictures ${verb} into UPLOADS, which had ${present} of them already.${lost}`]
}

function describeErasures(listed: number, { erased }: Reapplied, list: string): string {
  if (listed > 0) return `Of ${listed} listed erasures ${erased} were applied again.`
  return `No erasures are listed at ${list}: fans erased since the backup are present again. Use --erasures for another list.`
}

function requireEmpty(path: string): void {
  if (!existsSync(path)) return
  let rows = 0
  try {
    rows = inspectSqlite(path).rows
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.fault !== 'corrupt') throw error
    fail(`${path} is unreadable: --force replaces it and keeps it under another name.`)
  }
  if (rows > 0) fail(`${path} has ${rows} rows: --force replaces it and keeps it under another name.`)
}
