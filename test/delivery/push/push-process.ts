/** A process that sends pushes until none is left: `bun push-process.ts DATABASE_URL NOW CONFIG`. `CONFIG`: keys as JSON. */
import { pino } from 'pino'
import { createGiveWay } from '../../../src/core/give-way.ts'
import { realSources } from '../../../src/core/sources.ts'
import { createGuardedFetch } from '../../../src/core/ssrf-guard.ts'
import { isWaiting } from '../../../src/delivery/push/devices.ts'
import { createPushDispatcher } from '../../../src/delivery/push/dispatcher.ts'
import { createSenders } from '../../../src/delivery/push/senders.ts'
import { createDeviceEncryption } from '../../../src/delivery/push/tokens.ts'
import type { Config } from '../../../src/platform/config/config.ts'
import { openPatiently, POOL_SIZE } from '../../support/patience.ts'
import { waitUntil } from '../../support/wait-until.ts'

/** Only a failing test waits for this time. */
const PATIENCE_MS = 300_000

const [url = '', now, config = ''] = process.argv.slice(2)
// Guarantee of the cast: the test wrote it.
const { push, nativeTokens } = JSON.parse(config) as Pick<Config, 'push' | 'nativeTokens'>
const ahead = Number(now) - Date.now()
const sources = { ...realSources, now: () => new Date(Date.now() + ahead) }
const db = openPatiently(url, sources, { postgres: { poolSize: POOL_SIZE } })
const dispatcher = createPushDispatcher({
  db,
  log: pino({ level: 'warn' }, pino.destination(2)),
  elapsed: sources.elapsed,
  deviceEncryption: createDeviceEncryption(nativeTokens),
  pushSenders: createSenders({ ...sources, push, fetch: createGuardedFetch({ publicOnly: false }) }),
  giveWay: createGiveWay({ inFlight: () => 0, elapsed: sources.elapsed }),
})

const { pushDeliveries } = db.tables
await waitUntil(
  'all pushes are sent',
  async () => {
    await dispatcher.poll()
    const [waiting] = await db.read.select().from(pushDeliveries).where(isWaiting(db)).limit(1)
    return !waiting
  },
  PATIENCE_MS,
  20,
)
await dispatcher.stop()
await db.close()
