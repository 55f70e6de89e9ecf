/** `bun run backup FILE`: a verified copy of the SQLite database and its pictures, while the API serves. */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileSize } from '../db/sqlite/copy.ts'
import type { BackedUpPictures } from '../src/club/pictures/backup.ts'
import { commandLine } from '../src/core/command-line.ts'
import { backUp } from '../src/operate/admin/backup/back-up.ts'
import { describeLedger } from '../src/operate/admin/backup/verify-copy.ts'
import { erasuresPathOf } from '../src/platform/config/database.ts'
import { declareCommand, runCommand } from './command/command.ts'
import {
  erasureListOf,
  isDirectory,
  isSqlite,
  pgDump,
  sqlitePathOf,
  uploadsConfig,
} from './command/database.ts'
import { fail, failUsage } from './command/explain.ts'
import { recordMaintenance } from './command/record-maintenance.ts'
import { Interrupted, stoppable } from './command/stop.ts'

const command = declareCommand({
  name: 'backup',
  summary:
    'Copies a consistent snapshot of the SQLite database while the API serves, and verifies the copy. Uploaded pictures ' +
    'are copied into the folder `pictures` next to it, each once for all backups of that folder.',
  examples: [
    ['backups/monday.db', 'never overwrites an existing file'],
    ['backups/monday.db --dry-run', 'shows what would be written'],
    ['backups/latest.db --force', 'replaces an existing backup after the new one is verified'],
  ],
  notes: `For PostgreSQL use ${pgDump()}`,
  changes: true,
})
  .argument('<file>', 'path of the copy')
  .option('--force', 'replace an existing file')
  .option('--no-pictures', 'leave out the pictures of UPLOADS')

await runCommand(command, async ({ parameters: [file], options, databaseUrl, note, progress }) => {
  const url = databaseUrl()
  if (!isSqlite(url)) failUsage(`backup is for SQLite; for PostgreSQL: ${pgDump()}`)
  const path = sqlitePathOf(url)
  if (!existsSync(path)) fail(`There is no database at ${path}.`)
  if (resolve(file) === resolve(path)) failUsage('the copy cannot be the database itself')
  if (isDirectory(file)) fail(`${file} is a directory: name the file of the copy.`)
  if (/\.(pictures|partial)$/.test(file)) failUsage('the name must not end in .pictures or .partial')
  if (existsSync(file) && !options.force) fail(`${file} already exists: choose another name, or use --force.`)

  if (options.dryRun) {
    const replaced = existsSync(file)
    const replacing = replaced ? ', replacing the existing file' : ''
    const bytes = fileSize(path)
    return {
      json: { file, bytes, replaced, dryRun: true },
      text: `Would write ${file}${replacing}: a copy of ${path}, which has ${bytes} bytes. Nothing was written (--dry-run).`,
    }
  }

  const [verified, copied] = [progress('fans verified'), progress('pictures')]
  const { force } = options
  const uploads = options.pictures ? uploadsConfig() : undefined
  const erasures = erasureListOf(url) ?? erasuresPathOf(path)
  const backup = await stoppable(requested => {
    // If it throws, only pictures remain, which the next backup uses.
    const goOn = (done: number) => {
      const signal = requested()
      if (signal) throw new Interrupted(signal, done)
    }
    return backUp(path, file, {
      force,
      erasures,
      uploads,
      onVerified(done, total) {
        verified(done, total)
        goOn(0)
      },
      onPicture(done, total) {
        copied(done, total)
        goOn(done)
      },
    })
  }).finally(() => {
    verified.end()
    copied.end()
  })
  await recordMaintenance(url, 'backup', note)
  const { bytes, rows, migrations, ledgerDigest, pictures, notTidied } = backup
  if (notTidied !== null)
    note(`Pictures that no backup needs stay in ${dirname(file)}/pictures: ${notTidied}`)
  return {
    json: { file, bytes, rows, migrations, ledgerDigest, pictures },
    text: [
      `Wrote ${file}: ${rows} rows, ${bytes} bytes, verified.`,
      describeLedger(ledgerDigest),
      ...describePictures(pictures, file),
    ].join('\n'),
  }
})

function describePictures(pictures: BackedUpPictures | null, file: string): string[] {
  if (!pictures || pictures.files + pictures.missing === 0) return []
  const { files, copied, missing } = pictures
  const lost =
    missing === 0
      ? []
      : [
          `Not in the store, or with other bytes: ${missing} pictures. \`${commandLine('verify-pictures')}\` lists them.`,
        ]
  return [`${files} pictures, ${copied} of them new in ${dirname(file)}/pictures.`, ...lost]
}
