/** `bun run verify-pictures`: compares uploaded pictures with the files of their store. */
import { createPictureStore } from '../src/club/pictures/store.ts'
import { realSources } from '../src/core/sources.ts'
import { listPictures, requireStore } from '../src/operate/admin/backup/pictures.ts'
import { type PictureFinding, verifyPictures } from '../src/operate/admin/verify-pictures.ts'
import type { UploadsConfig } from '../src/platform/config/uploads.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { databaseUrlOf, uploadsConfig } from './command/database.ts'
import { recordMaintenance } from './command/record-maintenance.ts'
import { Interrupted, stoppable } from './command/stop.ts'

const WORDS: Record<PictureFinding['what'], string> = {
  missing: 'the file is missing',
  damaged: 'the bytes are others than those that were stored',
  unreferenced: 'no row has this file',
  not_uploaded: 'nobody has uploaded this picture',
}

const command = declareCommand({
  name: 'verify-pictures',
  reads: true,
  summary:
    'Reads every uploaded picture of UPLOADS. Reports pictures whose file is missing or has other bytes, files that no row ' +
    'has, and addresses of pictures in profiles and in the catalogue that nobody has uploaded.',
  examples: [
    ['', 'verifies everything; deletes nothing, writes the time of a run without findings'],
    ['--json', 'as JSON: findings with the names of the files'],
  ],
  notes: `A file that no row has is not served. It stays after an interrupted upload, and after a restore of a backup from before the
upload: delete it once that database is not needed again.`,
}).option('--max <n>', 'maximum of listed findings; further ones are counted', wholeNumber(1_000_000), 100)

await runCommand(command, async ({ options, databaseUrl, openDatabase, note, progress }) => {
  const uploads = uploadsConfig()
  const db = await openDatabase()
  requireStore(await listPictures(db.read), uploads)
  if (!uploads)
    return { json: { pictures: 0, found: 0 }, text: 'There are no pictures, and UPLOADS is not set.' }
  const findings: PictureFinding[] = []
  const onProgress = progress('pictures')
  const report = await stoppable(requested =>
    verifyPictures(db, createPictureStore(uploads, realSources), {
      onProgress(done, total) {
        onProgress(done, total)
        const signal = requested()
        if (signal) throw new Interrupted(signal, done)
      },
      onFinding: finding => void (findings.length < options.max && findings.push(finding)),
    }),
  ).finally(() => onProgress.end())
  const all = `${report.pictures} pictures, ${report.files} files in ${placeOf(uploads)}`
  // A replica takes no writes.
  const primary = options.fromReplica ? databaseUrlOf(undefined) : databaseUrl()
  if (report.findings === 0) await recordMaintenance(primary, 'verify-pictures', note)
  const unlisted = report.findings - findings.length
  const text =
    report.findings === 0
      ? `No findings in ${all}.`
      : [
          ...findings.map(describe),
          ...(unlisted > 0 ? [`… and ${unlisted} more (--max)`] : []),
          `${report.findings} findings in ${all}.`,
        ].join('\n')
  return { json: { ...report, found: report.findings, findings }, text, found: report.findings > 0 }
})

function describe(finding: PictureFinding): string {
  return `${finding.name}${finding.in === undefined ? '' : `, ${finding.in}`}: ${WORDS[finding.what]}`
}

function placeOf(uploads: UploadsConfig): string {
  return uploads.kind === 'directory' ? uploads.path : `s3://${uploads.bucket}/${uploads.prefix}`
}
