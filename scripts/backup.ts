/** `bun run backup FILE`: a verified copy of the SQLite database, while the API serves. */
import { existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { copySqlite, fileSize, moveFile, openSqliteCopy, removeSqlite } from '../db/sqlite/copy.ts'
import { realSources } from '../src/core/sources.ts'
import { exportErasures } from '../src/operate/admin/reapply-erasures.ts'
import { erasuresPathOf } from '../src/platform/config/database.ts'
import { describeLedger, verifyCopy } from './backup/verify-copy.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { isDirectory, isSqlite, sqlitePathOf } from './command/database.ts'
import { fail, failUsage } from './command/explain.ts'
import { recordMaintenance } from './command/record-maintenance.ts'

const command = declareCommand({
  name: 'backup',
  summary: 'Copies a consistent snapshot of the SQLite database while the API serves, and verifies the copy.',
  examples: [
    ['backups/monday.db', 'never overwrites an existing file'],
    ['backups/monday.db --dry-run', 'shows what would be written'],
    ['backups/latest.db --force', 'replaces an existing backup after the new one is verified'],
  ],
  notes: 'For PostgreSQL use pg_dump --format=custom --file=FILE "$DATABASE_URL"',
  changes: true,
})
  .argument('<file>', 'path of the copy')
  .option('--force', 'replace an existing file')

await runCommand(command, async ({ parameters: [file], options, databaseUrl, note, progress }) => {
  const url = databaseUrl()
  if (!isSqlite(url))
    failUsage('backup is for SQLite; for PostgreSQL: pg_dump --format=custom --file=FILE "$DATABASE_URL"')
  const path = sqlitePathOf(url)
  if (!existsSync(path)) fail(`There is no database at ${path}.`)
  if (resolve(file) === resolve(path)) failUsage('the copy cannot be the database itself')
  if (isDirectory(file)) fail(`${file} is a directory: name the file of the copy.`)
  const exists = () => existsSync(file) && !options.force
  if (exists()) fail(`${file} exists already: choose another name, or use --force.`)

  if (options.dryRun) {
    const replaced = existsSync(file)
    const replacing = replaced ? ', replacing the existing file' : ''
    const bytes = fileSize(path)
    return {
      json: { file, bytes, replaced, dryRun: true },
      text: `Would write ${file}${replacing}: a copy of ${path}, which has ${bytes} bytes. Nothing was written (--dry-run).`,
    }
  }

  // Written under another name until complete: a killed run leaves no file that looks like a backup.
  const partial = `${file}.partial`
  const folder = dirname(resolve(file))
  const firstCreated = mkdirSync(folder, { recursive: true })
  let written = false
  try {
    removeSqlite(partial)
    copySqlite(path, partial)
    const { rows, migrations, current, ledgerDigest } = await verifyCopy(partial, progress('fans verified'))
    if (exists()) fail(`${file} was created meanwhile: choose another name, or use --force.`)
    if (current) await listErasures(partial, erasuresPathOf(path))
    moveFile(partial, file)
    written = true
    await recordMaintenance(url, 'backup', note)
    const bytes = fileSize(file)
    return {
      json: { file, bytes, rows, migrations, ledgerDigest },
      text: [`Wrote ${file}: ${rows} rows, ${bytes} bytes, verified.`, describeLedger(ledgerDigest)].join(
        '\n',
      ),
    }
  } finally {
    removeSqlite(partial)
    if (!written && firstCreated !== undefined) removeFolders(folder, firstCreated)
  }
})

/** Adds missing erasures to the list, such as those by other means than `erase-user`. */
async function listErasures(copy: string, list: string): Promise<void> {
  const { read, close } = openSqliteCopy(copy, realSources)
  try {
    await exportErasures(read, list)
  } finally {
    close()
  }
}

/** Removes the empty directories that this run created, from `folder` up to `firstCreated`. */
function removeFolders(folder: string, firstCreated: string): void {
  for (let each = folder; each.startsWith(firstCreated); each = dirname(each)) rmdirSync(each)
}
