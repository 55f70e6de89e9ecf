/**
 * A process that archives: `bun archiving-process.ts DATABASE_URL FOLDER NOW [START]`, at the time START of the machine. Prints a line for each fan whose rows it has deleted.
 */
import { writeInBatches } from '../../../../db/write-in-batches.ts'
import { realSources } from '../../../../src/core/sources.ts'
import { archivedUntil, fileFans, sealFan } from '../../../../src/operate/admin/archive/archive-fans.ts'
import { openPatiently } from '../../../support/patience.ts'
import { waitUntil } from '../../../support/wait-until.ts'

const [url = '', folder = '', now = '', start = '0'] = process.argv.slice(2)
const at = new Date(Number(now))
const db = openPatiently(url, { ...realSources, now: () => at })
await waitUntil('the start', () => Date.now() >= Number(start))
const fans = fileFans(db, { folder, seasonId: 'next', until: archivedUntil(at, at) })
await writeInBatches(
  db,
  fans,
  async (tx, filed) => {
    const sealed = await sealFan(tx, filed)
    tx.afterCommit(() => void process.stdout.write(`${sealed ? 'sealed' : 'left'} ${filed.userId}\n`))
  },
  { elapsed: () => performance.now(), ahead: 10 },
)
await db.close()
