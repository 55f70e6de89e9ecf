/** Two processes on one database: events of one fan get gapless numbers, each once, and an event and its void meet in any order. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { readBalance } from '../../../src/economy/points/account.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { createServerKey } from '../../../src/identity/server-keys/keys.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { findUser } from '../../../src/identity/users/users.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { readToldEvents } from '../../support/told-events.ts'
import { addRule } from '../rules/rules-world.ts'

const COUNT = 40
const TYPE = 'stadium.entered'

describe.each(engines)('Two processes that record events ($name)', engine => {
  let temporary: TemporaryDatabase
  let provider: RunningProvider
  let apis: RunningApi[]
  let key: string

  beforeAll(async () => {
    temporary = await engine.open({ ...createClock(), now: () => new Date() })
    const { db } = temporary
    provider = await startProvider({ fans: 20 })
    const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }
    apis = await Promise.all([startApi(env), startApi(env)])
    const request = { source: 'gate', scopes: ['events:write'] as const, expiresAt: null }
    key = (await db.write(tx => createServerKey(tx, request)))?.key ?? ''
    await addRule(temporary, { id: 'entered', eventType: TYPE, limit: { count: 30, per: 'ever' } })
    const at = new Date()
    const texts = { title: 'Scarf', description: 'A scarf.', itemType: 'voucher' }
    for (let n = 0; n < COUNT; n++)
      await db.write(tx =>
        tx.insert(tx.tables.rewards).values({
          ...texts,
          id: `scarf-${n}`,
          pointsRequired: 0,
          active: true,
          createdAt: at,
          updatedAt: at,
        }),
      )
  })

  afterAll(async () => {
    await Promise.all(apis.map(api => api.stop()))
    await provider.stop()
    await temporary.remove()
  })

  /** The n-th request goes to the one process or to the other. */
  async function post(n: number, token: string, path: string, content: object) {
    const response = await fetch(`${apis[n % 2]?.origin}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(content),
    })
    const body = (await response.json()) as { results: { outcome: string; code?: string }[] }
    return { status: response.status, results: body.results }
  }
  const many = <T>(make: (n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: COUNT }, (_, n) => make(n)))

  const nameOf = (subject: string) => ({ provider: 'mock-idp', subject })
  const scan = (subject: string, id: string) => {
    return { id, type: TYPE, fan: nameOf(subject), occurredAt: new Date().toISOString() }
  }
  async function stored(subject: string) {
    const { read, tables } = temporary.db
    const userId = (await findUser(read, nameOf(subject)))?.id ?? ''
    const rows = await readToldEvents(read, eq(tables.events.userId, userId))
    return { rows, balance: (await readBalance(read, userId)).balance }
  }

  test('number the claims and the reported events of one fan without a gap', async () => {
    const subject = 'fan-0001'
    const token = await provider.idp.issueToken(subject)
    const claims = many(n => post(n, token, '/api/rewards/claim', { rewardId: `scarf-${n}` }))
    const scans = many(n => post(n, key, '/api/events', { events: [scan(subject, `scan-${n}`)] }))
    for (const { status } of [...(await claims), ...(await scans)]) expect(status).toBe(200)
    const { rows, balance } = await stored(subject)
    const counts = { 'reward.claimed': COUNT, [TYPE]: COUNT, 'points.changed': 30 }
    expect(rows.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 2 * COUNT + 30 }, (_, n) => n + 1),
    )
    for (const [type, count] of Object.entries(counts))
      expect([type, rows.filter(row => row.type === type).length]).toEqual([type, count])
    expect(balance).toBe(300)
  })

  test('record an event once, even if both receive it many times', async () => {
    const subject = 'fan-0002'
    const event = scan(subject, 'once')
    const answers = await many(n => post(n, key, '/api/events', { events: [event] }))
    const outcomes = answers.map(({ results }) => results[0]?.outcome).toSorted()
    expect(outcomes).toEqual(['applied', ...Array(COUNT - 1).fill('duplicate')])
    const { rows, balance } = await stored(subject)
    expect([rows.map(({ type }) => type), balance]).toEqual([[TYPE, 'points.changed'], 10])
  })

  test('leave no effect of events that are voided while they arrive', async () => {
    const subject = 'fan-0003'
    await many(async n => {
      const id = `voided-${n}`
      const both = [
        () => post(n, key, '/api/events', { events: [scan(subject, id)] }),
        () => post(n + 1, key, '/api/events/void', { id }),
      ]
      const started = n % 2 === 0 ? both : both.toReversed()
      await Promise.all(started.map(start => start()))
    })
    const { rows, balance } = await stored(subject)
    expect(balance).toBe(0)
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, at) => at + 1))
    for (const { type, voidedAt } of rows) if (type !== 'points.changed') expect(voidedAt).not.toBeNull()
  })

  test('keep no data of a fan who is erased concurrently', async () => {
    await many(async n => {
      const subject = `fan-erased-${n}`
      const caller = nameOf(subject)
      const { user } = await temporary.db.write(tx => ensureUser(tx, caller))
      const scans = [1, 2, 3].map(count =>
        post(n, key, '/api/events', {
          events: [{ ...scan(subject, `${subject}-${count}`), data: { seat: 1 } }],
        }),
      )
      await temporary.db.write(tx => eraseUser(tx, caller))
      for (const { status, results } of await Promise.all(scans)) {
        expect(status).toBe(200)
        const [{ outcome, code } = { outcome: 'missing' }] = results
        expect(['applied', 'ignored fan_erased']).toContain([outcome, code].filter(Boolean).join(' '))
      }
      const { events } = temporary.db.tables
      const rows = await temporary.db.read.select().from(events).where(eq(events.userId, user.id))
      for (const { data } of rows) expect(data).toBeNull()
    })
  })
})
