/** A process that draws and closes rounds of leagues, and tells the results: `bun advancing-process.ts DATABASE_URL MILLISECONDS`, which is the time. */
import { realSources } from '../../../src/core/sources.ts'
import { advanceLeagues } from '../../../src/play/leagues/rounds.ts'
import { tellResults } from '../../../src/play/leagues/tell-results.ts'
import { openPatiently, POOL_SIZE } from '../../support/patience.ts'

const [url = '', ms = ''] = process.argv.slice(2)
const sources = { ...realSources, now: () => new Date(Number(ms)) }
const db = openPatiently(url, sources, { postgres: { poolSize: POOL_SIZE } })
const steps = await advanceLeagues({ db })
const told = await tellResults({ db })
await db.close()
process.stdout.write(JSON.stringify({ steps, told }))
