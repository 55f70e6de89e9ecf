/** `bun run verify-pictures`: compares uploaded pictures with the files of their store. */
import { listPictures, requireStore } from '../src/club/pictures/backup.ts'
import { createPictureStore } from '../src/club/pictures/store.ts'
import { realSources } from '../src/core/sources.ts'
import { type PictureFinding, verifyPictures } from '../src/operate/admin/verify-pictures.ts'
import type { UploadsConfig } from '../src/platform/config/uploads.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { uploadsConfig } from './command/database.ts'
import { runVerification } from './command/verification.ts'

const WORDS: Record<PictureFinding['what'], string> = {
  missing: 'the file is missing',
  damaged: 'the bytes differ from those that were stored',
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

await runCommand(command, async session => {
  const uploads = uploadsConfig()
  const db = await session.openDatabase()
  requireStore(await listPictures(db.read), uploads)
  if (!uploads)
    return { json: { pictures: 0, found: 0 }, text: 'There are no pictures, and UPLOADS is not set.' }
  return runVerification(session, {
    command: 'verify-pictures',
    noun: 'pictures',
    verify: observer => verifyPictures(db, createPictureStore(uploads, realSources), observer),
    describe,
    scopeOf: ({ pictures, files }) => `${pictures} pictures, ${files} files in ${placeOf(uploads)}`,
  })
})

function describe(finding: PictureFinding): string {
  return `${finding.name}${finding.in === undefined ? '' : `, ${finding.in}`}: ${WORDS[finding.what]}`
}

function placeOf(uploads: UploadsConfig): string {
  return uploads.kind === 'directory' ? uploads.path : `s3://${uploads.bucket}/${uploads.prefix}`
}
