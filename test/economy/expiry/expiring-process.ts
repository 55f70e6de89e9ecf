/**
 * A process that ends points: `bun expiring-process.ts DATABASE_URL NOW DAYS LIMIT`. Prints each page as a line of JSON, after
 * its commit.
 */
import { realSources } from '../../../src/core/sources.ts'
import { expireBatch } from '../../../src/economy/expiry/expire-points.ts'
import { openPatiently } from '../../support/patience.ts'

const [url = '', now = '', days = '', limit = ''] = process.argv.slice(2)
const db = openPatiently(url, { ...realSources, now: () => new Date(now) })
for (;;) {
  const page = await db.write(tx => expireBatch(tx, Number(days), Number(limit)))
  if (!page) break
  process.stdout.write(`${JSON.stringify(page)}\n`)
}
await db.close()
