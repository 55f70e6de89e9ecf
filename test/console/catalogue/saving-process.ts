/**
 * A process that edits entries: `bun saving-process.ts DATABASE_URL TIMES`. For each line `KIND ID` of its input it makes
 * TIMES changes, each of which adds a point and is retried after a conflict. Prints a line when it is ready, and the number of
 * conflicts after each line of the input.
 */
import { createInterface } from 'node:readline'
import { DomainError } from '../../../src/core/problems.ts'
import { realSources } from '../../../src/core/sources.ts'
import { saveEntry } from '../../../src/operate/console/catalogue/change-entry.ts'
import { readEntry } from '../../../src/operate/console/catalogue/entries.ts'
import { entryKinds } from '../../../src/play/catalogue-file/kinds.ts'
import { openPatiently } from '../../support/patience.ts'
import { addPoint } from './add-point.ts'

const [url = '', times = ''] = process.argv.slice(2)
const db = openPatiently(url, realSources)

interface Entry {
  kind: keyof typeof entryKinds
  entryId: string
}

async function change(params: Entry): Promise<boolean> {
  const { entry, revision } = await readEntry(db.read, params.kind, params.entryId, 'en')
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

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [kind = '', entryId = ''] = line.split(' ')
  if (!(kind in entryKinds)) throw new Error(`${kind} is no kind`)
  // Guarantee of the cast: checked above.
  const params = { kind: kind as keyof typeof entryKinds, entryId }
  let conflicts = 0
  for (let done = 0; done < Number(times); ) {
    if (await change(params)) done++
    else conflicts++
  }
  process.stdout.write(`${conflicts}\n`)
}
await db.close()
