/** Drops between processes: two instances of the API on one database, real sockets, real tokens. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { realSources } from '../../src/core/sources.ts'
import { findFlaw } from '../../src/packs/proof.ts'
import { appendEntry } from '../../src/points/ledger.ts'
import { ensureUser } from '../../src/users/users.ts'
import type { Answer } from '../support/client.ts'
import { sharedEngines, type TemporaryDatabase } from '../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../support/processes.ts'
import { addPack, checkSupply, FREE, purchaseRows } from './packs-world.ts'

const BUYERS = 1000
const SUPPLY = 10
/** Requests in flight. */
const AT_ONCE = 100

for (const engine of sharedEngines) {
  describe(`A drop on two processes (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let apis: RunningApi[]

    beforeAll(async () => {
      temporary = await engine.open(realSources)
      provider = await startProvider({ fans: BUYERS + 2 })
      const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }
      apis = await Promise.all([startApi(env), startApi(env)])
    })

    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop()))
      await provider.stop()
      await temporary.remove()
    })

    const subjectOf = (n: number) => `fan-${String(n).padStart(4, '0')}`
    const tokenOf = (n: number) => provider.idp.issueToken(subjectOf(n))

    /** The n-th request goes to the one process or to the other. */
    async function call(n: number, token: string, method: string, path: string, body: unknown) {
      const response = await fetch(`${apis[n % 2]?.origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Answer['body'] }
    }

    /** Does the work for 0 to `count - 1`, so many at once. */
    async function crowd<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
      const results: T[] = []
      let next = 0
      const one = async () => {
        while (next < count) {
          const n = next++
          results[n] = await work(n)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, one))
      return results
    }

    const grant = (subject: string, delta: number) =>
      temporary.db.write(async tx => {
        const { user } = await ensureUser(tx, { provider: 'mock-idp', subject })
        await appendEntry(tx, { userId: user.id, delta, reason: 'adjustment', ref: 'test' })
      })

    /** What was paid for this pack. */
    async function debits(packId: string) {
      const { read, tables } = temporary.db
      const paid = await read
        .select()
        .from(tables.pointsEntries)
        .where(eq(tables.pointsEntries.reason, 'pack_purchase'))
      const purchases = new Set((await purchaseRows(temporary, packId)).map(({ id }) => id))
      return paid.filter(({ ref }) => purchases.has(ref))
    }

    test(`${BUYERS} buyers for ${SUPPLY} packs: exactly ${SUPPLY} are sold, and nobody is left hanging`, async () => {
      const packId = await addPack(temporary, { supply: SUPPLY })
      await crowd(BUYERS, n => grant(subjectOf(n + 1), 100))
      const tokens = await crowd(BUYERS, n => tokenOf(n + 1))

      const outcomes = await crowd(BUYERS, async n => {
        const token = tokens[n] ?? ''
        const started = await call(n, token, 'POST', '/api/packs/purchase', { packId })
        if (started.status !== 201) return started
        // Paid at the other process.
        return call(n + 1, token, 'PUT', '/api/packs/purchase', { purchaseId: started.body.id })
      })
      expect(outcomes.filter(({ body }) => body.status === 'completed')).toHaveLength(SUPPLY)
      expect(outcomes.filter(({ body }) => body.code === 'sold_out')).toHaveLength(BUYERS - SUPPLY)

      const purchases = await purchaseRows(temporary, packId)
      expect(purchases.map(({ status }) => status)).toEqual(Array(SUPPLY).fill('completed'))
      expect(new Set(purchases.map(({ userId }) => userId)).size).toBe(SUPPLY)
      await checkSupply(temporary, packId, new Date())
      expect((await debits(packId)).map(({ delta, balanceAfter }) => [delta, balanceAfter])).toEqual(
        Array(SUPPLY).fill([-100, 0]),
      )
    })

    test('of 100 concurrent purchases of one fan, as many succeed as one fan may hold, and the remaining supply stays available to others', async () => {
      const packId = await addPack(temporary, { supply: 100, price: FREE })
      const token = await tokenOf(BUYERS + 2)
      const answers = await crowd(100, n => call(n, token, 'POST', '/api/packs/purchase', { packId }))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
      expect(answers.filter(({ body }) => body.code === 'too_many_holds')).toHaveLength(95)
    })

    test('100 completions of one purchase, then 100 openings: one debit, one pack, one draw', async () => {
      const packId = await addPack(temporary, { supply: 5 })
      const token = await tokenOf(BUYERS + 1)
      await grant(subjectOf(BUYERS + 1), 1000)
      const { body: started } = await call(0, token, 'POST', '/api/packs/purchase', { packId })
      const body = { purchaseId: started.id }
      const completed = await crowd(100, n => call(n, token, 'PUT', '/api/packs/purchase', body))
      expect(completed.map(({ status }) => status)).toEqual(Array(100).fill(200))
      expect(new Set(completed.map(answer => JSON.stringify(answer.body))).size).toBe(1)
      expect(await debits(packId)).toHaveLength(1)

      const userPackId = completed[0]?.body.userPack.id
      const opened = await crowd(100, n =>
        call(n, token, 'POST', '/api/packs/open', { userPackId, clientSeed: `seed ${n}` }),
      )
      expect(opened.map(({ status }) => status)).toEqual(Array(100).fill(200))
      expect(new Set(opened.map(answer => JSON.stringify(answer.body))).size).toBe(1)
      expect(findFlaw(opened[0]?.body.proof)).toBeNull()
      await checkSupply(temporary, packId, new Date())
    })
  })
}

if (sharedEngines.length === 1) {
  test.skip('Drops on PostgreSQL: set TEST_POSTGRES_URL to run them (PGlite serves one process only)', () => {})
}
