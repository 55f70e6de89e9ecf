/** Several instances on one database: what one counted, the others hear of. */
import { expect, test } from 'bun:test'
import type { Database, Transaction } from '../../../db/index.ts'
import { DatabaseError } from '../../../db/index.ts'
import {
  createRateLimiter,
  type Policy,
  WINDOW_MS,
} from '../../../src/platform/http/rate-limits/rate-limiter.ts'
import { shareWindows, sweepWindows } from '../../../src/platform/http/rate-limits/share-windows.ts'
import { onEachEngine } from '../../support/world.ts'
import { NO_LIMITS } from './no-limits.ts'

const rates = { ...NO_LIMITS, caller: 100, claims: 100 }
const secret = Buffer.alloc(32, 7)

onEachEngine('shared rate limits', world => {
  /** An instance: its own memory, everybody's database. */
  function createInstance() {
    const limiter = createRateLimiter({ rates, monotonic: () => world.clock.ms })
    return {
      limiter,
      send: (key: string, times: number, policy: Policy = 'caller') =>
        Array.from({ length: times }, () => limiter.consume(policy, key)).filter(answer => answer?.allowed)
          .length,
      share: (db: Database = world.db) => shareWindows(db, limiter, secret),
    }
  }
  /** The keys that an exchange writes, in the order of its statements. */
  async function keysWritten(share: (db: Database) => Promise<void>): Promise<unknown[]> {
    const keys: unknown[] = []
    await share({
      ...world.db,
      write: work =>
        world.db.write(tx => {
          const insert: Transaction['insert'] = table => {
            const builder = tx.insert(table)
            const values = builder.values.bind(builder)
            builder.values = (rows: unknown) => {
              for (const { key } of rows as { key: unknown }[]) keys.push(key)
              return values(rows as never)
            }
            return builder
          }
          return work(Object.create(tx, { insert: { value: insert } }))
        }),
    })
    return keys
  }
  const rows = () => world.db.read.select().from(world.db.tables.rateLimitWindows)

  test('a quota that is exhausted at one instance is exhausted at the other', async () => {
    const [one, two] = [createInstance(), createInstance()]
    expect(one.send('ada', 200)).toBe(100)
    await one.share()
    expect(two.send('ada', 10)).toBe(10)
    await two.share()
    expect(two.send('ada', 200)).toBe(0)
  })

  test('the counts of the instances add up, also those of requests during the exchange', async () => {
    const [one, two] = [createInstance(), createInstance()]
    one.send('bob', 30)
    two.send('bob', 40)
    const sharing = [one.share(), two.share()]
    one.send('bob', 10)
    await Promise.all(sharing)
    await one.share()
    await two.share()
    two.send('bob', 1)
    await two.share()
    // 30 + 40 + 10 + 1 are gone.
    expect(two.send('bob', 200)).toBe(19)
  })

  test('two instances that share many keys concurrently, in any order, do not deadlock', async () => {
    const instances = [createInstance(), createInstance(), createInstance()]
    const keys = Array.from({ length: 700 }, (_, n) => `fan-${n}`)
    for (const [at, { send }] of instances.entries())
      for (const key of at === 1 ? keys.toReversed() : keys) send(key, 20)
    await Promise.all(instances.map(({ share }) => share()))
    const used = (await rows()).filter(row => row.used === 60)
    expect(used).toHaveLength(700)
  })

  test('requests during the exchange immediately count towards the quota', async () => {
    const { send, share } = createInstance()
    send('dan', 30)
    const sharing = share()
    send('dan', 50)
    await sharing
    expect(send('dan', 200)).toBe(20)
  })

  test('keys of different policies and of different secrets are counted apart', async () => {
    const [one, two, other] = [createInstance(), createInstance(), createInstance()]
    one.send('fay', 100)
    await one.share()
    two.send('fay', 10, 'claims')
    await two.share()
    expect(two.send('fay', 200, 'claims')).toBe(90)
    other.send('fay', 10)
    await shareWindows(world.db, other.limiter, Buffer.alloc(32, 8))
    expect(other.send('fay', 200)).toBe(90)
  })

  test('every instance writes its keys in the same order, whatever the order of the requests', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `order-${n}`)
    const [one, two] = [createInstance(), createInstance()]
    for (const key of keys) one.send(key, 10)
    for (const key of keys.toReversed()) two.send(key, 10)
    expect(await keysWritten(one.share)).toEqual(await keysWritten(two.share))
  })

  test('a window starts again after its end, and if it lies in the future because a clock was set back', async () => {
    for (const shift of [WINDOW_MS, -3_600_000]) {
      const before = createInstance()
      before.send(`shift ${shift}`, 100)
      await before.share()
      world.clock.ms += shift
      const after = createInstance()
      after.send(`shift ${shift}`, 20)
      await after.share()
      expect([shift, after.send(`shift ${shift}`, 200)]).toEqual([shift, 80])
    }
  })

  test('callers with few requests have no row, and no row identifies a caller', async () => {
    const { send, share } = createInstance()
    const before = (await rows()).length
    send('quiet', 9)
    await share()
    expect(await rows()).toHaveLength(before)
    send('quiet', 1)
    await share()
    expect(await rows()).toHaveLength(before + 1)
    expect(JSON.stringify(await rows())).not.toContain('quiet')
  })

  test('while the database is unavailable each instance continues with its own counts, and shares them later', async () => {
    const [one, two] = [createInstance(), createInstance()]
    one.send('eve', 60)
    await one.share({ ...world.db, write: () => Promise.reject(new DatabaseError('unreachable')) })
    expect(one.send('eve', 30)).toBe(30)
    await one.share()
    two.send('eve', 10)
    await two.share()
    expect(two.send('eve', 1)).toBe(0)
  })

  test('windows that have ended are deleted', async () => {
    world.clock.advance(WINDOW_MS + 3_600_000)
    const { send, share } = createInstance()
    send('fresh', 50)
    await share()
    await sweepWindows(world.db)
    expect(await rows()).toMatchObject([{ used: 50 }])
  })
})
