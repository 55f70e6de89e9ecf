/**
 * A process that edits one entry, again and again: `bun saving-process.ts DATABASE_URL KIND ID TIMES`. Each change adds a point to
 * what it has read, and is made again when somebody saved meanwhile. Prints how often that was.
 */
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { entryKinds } from '../../../src/operate/admin/import/catalogue-records.ts'
import { saveEntry } from '../../../src/operate/console/catalogue/change-entry.ts'
import { readEntry } from '../../../src/operate/console/catalogue/entries.ts'
import { openPatiently } from '../../support/patience.ts'
import { addPoint } from './add-point.ts'

const [url = '', kind = '', entryId = '', times = ''] = process.argv.slice(2)
if (!(kind in entryKinds)) throw new Error(`${kind} is no kind`)
// Guarantee of the cast: checked above.
const params = { kind: kind as keyof typeof entryKinds, entryId }
const db = openPatiently(url, realSources)
let conflicts = 0

async function change(): Promise<boolean> {
  const { entry, revision } = await readEntry(db.read, params.kind, entryId)
  const draft = addPoint(entry)
  return db
    .write(tx => saveEntry(tx, params, { entry: draft, revision }, { source: 'console', reason: 'One more' }))
    .then(
      // Unchanged: the other process has counted to the same number.
      ({ outcome }) => outcome === 'changed',
      (error: unknown) => {
        if (error instanceof DomainError && error.code === 'revision_conflict') return false
        throw error
      },
    )
}

for (let done = 0; done < Number(times); ) {
  if (await change()) done++
  else conflicts++
}
await db.close()
process.stdout.write(JSON.stringify(conflicts))
