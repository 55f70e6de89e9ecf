/**
 * A process that lets fans earn a point, and then closes periods of divisions and tells the results: `bun closing-process.ts DATABASE_URL
 * MILLISECONDS IDS`, which are the time and a JSON list of fans.
 */
import { createSpine } from '../../../src/app/spine.ts'
import { realSources } from '../../../src/core/sources.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { closeDivisions } from '../../../src/play/divisions/close.ts'
import { tellDivisions } from '../../../src/play/divisions/tell-results.ts'
import { openPatiently, POOL_SIZE } from '../../support/patience.ts'

const [url = '', ms = '', ids = '[]'] = process.argv.slice(2)
const sources = { ...realSources, now: () => new Date(Number(ms)) }
const db = openPatiently(url, sources, { postgres: { poolSize: POOL_SIZE }, spine: createSpine() })
const log = { error: (facts: object) => void process.stderr.write(JSON.stringify(facts)) }
// Guarantee of the type: `ids` is written by the test.
const fans: string[] = JSON.parse(ids)
await Promise.all(
  fans.map(userId =>
    db.write(tx => appendEntry(tx, { userId, delta: 1, reason: 'activity', ref: `first-${userId}` })),
  ),
)
await closeDivisions({ db, elapsed: realSources.elapsed })
const told = await tellDivisions({ db, log })
await db.close()
process.stdout.write(JSON.stringify({ told }))
