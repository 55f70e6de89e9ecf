/** A process that tracks segments, three fans at a time: `bun tracking-process.ts DATABASE_URL`. */
import { realSources } from '../../../../src/core/sources.ts'
import { trackSegments } from '../../../../src/operate/admin/segments/track.ts'
import { openPatiently, POOL_SIZE } from '../../../support/patience.ts'

const db = openPatiently(process.argv[2] ?? '', realSources, { postgres: { poolSize: POOL_SIZE } })
await trackSegments({ db }, { size: 3 })
await db.close()
