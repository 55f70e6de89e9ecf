/** `bun run backup FILE`: a verified copy of the SQLite database, while the API serves. */
import { existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { copySqlite, fileSize, moveFile, openSqliteCopy, removeSqlite } from '../db/sqlite/copy.ts'
import { exportErasures } from '../src/admin/erasure-list.ts'
import { realSources } from '../src/core/sources.ts'
import { describeLedger, verifyCopy } from './backup/verify-copy.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { erasuresPathOf, isFolder, isSqlite, sqlitePathOf } from './command/database.ts'
import { fail, misuse } from './command/explain.ts'

const command = declareCommand({
  name: 'backup',
  summary: 'Copies the SQLite database as it is at one instant, while the API serves, and verifies the copy.',
  examples: [
    ['backups/monday.db', 'never over a file that is there'],
    ['backups/monday.db --dry-run', 'says what it would write'],
    ['backups/latest.db --force', 'over the one of yesterday, once the new one is verified'],
  ],
  notes: 'PostgreSQL has its own: pg_dump --format=custom --file=FILE "$DATABASE_URL"',
  changes: true,
})
  .argument('<file>', 'where the copy goes')
  .option('--force', 'replace the file when it is there')

await runCommand(command, async ({ parameters: [file], options, databaseUrl, progress }) => {
  const url = databaseUrl()
  if (!isSqlite(url))
    misuse('backup is for SQLite; for PostgreSQL: pg_dump --format=custom --file=FILE "$DATABASE_URL"')
  const path = sqlitePathOf(url)
  if (!existsSync(path)) fail(`There is no database at ${path}.`)
  if (resolve(file) === resolve(path)) misuse('the copy cannot be the database itself')
  if (isFolder(file)) fail(`${file} is a folder: name the file that the copy goes to.`)
  const taken = () => existsSync(file) && !options.force
  if (taken()) fail(`${file} is there already: choose another name, or --force.`)

  if (options.dryRun) {
    const replaced = existsSync(file)
    const fate = replaced ? ', in the place of what is there' : ''
    const bytes = fileSize(path)
    return {
      answer: { file, bytes, replaced, dryRun: true },
      text: `Would write ${file}${fate}: a copy of ${path}, which has ${bytes} bytes. Nothing was written (--dry-run).`,
    }
  }

  // Under another name until it is whole: a run that was killed leaves nothing that looks like a backup.
  const partial = `${file}.partial`
  const folder = dirname(resolve(file))
  const madeFrom = mkdirSync(folder, { recursive: true })
  let written = false
  try {
    removeSqlite(partial)
    copySqlite(path, partial)
    const { rows, migrations, current, ledgerDigest } = await verifyCopy(partial, progress('fans verified'))
    if (taken()) fail(`${file} has come into being meanwhile: choose another name, or --force.`)
    if (current) await keepErasures(partial, erasuresPathOf(path))
    moveFile(partial, file)
    written = true
    const bytes = fileSize(file)
    return {
      answer: { file, bytes, rows, migrations, ledgerDigest },
      text: [`Wrote ${file}: ${rows} rows, ${bytes} bytes, verified.`, describeLedger(ledgerDigest)].join(
        '\n',
      ),
    }
  } finally {
    removeSqlite(partial)
    if (!written && madeFrom !== undefined) removeFolders(folder, madeFrom)
  }
})

/** Adds erasures that are missing from the list, such as those that were not made by `erase-user`. */
async function keepErasures(copy: string, list: string): Promise<void> {
  const { read, close } = openSqliteCopy(copy, realSources)
  try {
    await exportErasures(read, list)
  } finally {
    close()
  }
}

/** From a folder up to the one that was made first; they are empty. */
function removeFolders(folder: string, madeFrom: string): void {
  for (let each = folder; each.startsWith(madeFrom); each = dirname(each)) rmdirSync(each)
}
