/** Drops between processes: two instances of the API on one database, real sockets, real tokens. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { realSources } from '../../../src/core/sources.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { PURCHASE_KINDS } from '../../../src/operate/admin/refunds/refund-purchase.ts'
import { completePurchase } from '../../../src/play/packs/pay.ts'
import { findFlaw } from '../../../src/play/packs/proof.ts'
import { lockPack } from '../../../src/play/packs/supply.ts'
import { withRawConnection } from '../../db/probe.ts'
import type { Answer } from '../../support/client.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { addPack, checkSupply, FREE, purchaseRows } from './packs-world.ts'

const BUYERS = 1000
const SUPPLY = 10
/** Codes for a purchase that finds no pack left, before or after its start. */
const REFUSALS = ['sold_out', 'purchase_expired']
/** Requests in flight. */
const AT_ONCE = 100

for (const engine of engines) {
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

    /** Debits for this pack. */
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

    test('of 100 concurrent purchases of one fan, only the allowed number of holds succeeds, and the rest stays available to others', async () => {
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

    const limit = (packId: string, supplyTotal: number) =>
      temporary.db.write(async tx => {
        const locked = await lockPack(tx, packId)
        const { packs } = tx.tables
        const total = Math.max(supplyTotal, locked?.pack.supplySold ?? 0)
        await tx.update(packs).set({ supplyTotal: total }).where(eq(packs.id, packId))
        return total
      })

    test('many concurrent purchases of a pack without a limit are counted, and a limit that is set during them is not exceeded', async () => {
      const packId = await addPack(temporary, { price: FREE })
      const tokens = await crowd(200, n => tokenOf(n + 1))
      const limited = Promise.withResolvers<number>()
      const answers = await crowd(200, async n => {
        if (n === 120) limit(packId, 130).then(limited.resolve, limited.reject)
        const token = tokens[n] ?? ''
        const started = await call(n, token, 'POST', '/api/packs/purchase', { packId })
        if (started.status !== 201) return started
        const body = { purchaseId: started.body.id }
        // The same purchase at both processes: one pack.
        const both = [n, n + 1].map(at => call(at, token, 'PUT', '/api/packs/purchase', body))
        const [first, second] = await Promise.all(both)
        // Both may be refused, each with an id of its own.
        const { requestId } = first?.body ?? {}
        expect({ ...second, body: { ...second?.body, requestId } }).toEqual({
          ...first,
          body: { ...first?.body, requestId },
        })
        return first as typeof started
      })
      const total = await limited.promise
      const completed = answers.filter(({ body }) => body.status === 'completed')
      const others = answers.filter(({ body }) => body.status !== 'completed')
      expect(new Set(others.map(({ body }) => body.code)).difference(new Set(REFUSALS)).size).toBe(0)
      expect(completed).toHaveLength(total)
      await checkSold(packId, total)
    })

    test('a purchase that is cancelled and completed at the same time ends as one of them', async () => {
      const packId = await addPack(temporary, { price: FREE })
      const outcomes = await crowd(40, async n => {
        const token = await tokenOf(n + 1)
        const { body } = await call(n, token, 'POST', '/api/packs/purchase', { packId })
        const cancelling = call(n + 1, token, 'POST', `/api/packs/purchases/${body.id}/cancel`, {})
        const completing = call(n, token, 'PUT', '/api/packs/purchase', { purchaseId: body.id })
        const statuses = [(await cancelling).status, (await completing).status]
        expect([
          [200, 409],
          [409, 200],
        ]).toContainEqual(statuses)
        return statuses[1] === 200
      })
      await checkSold(packId, outcomes.filter(completed => completed).length)
    })

    /** Checks that counted packs were handed over. */
    async function checkSold(packId: string, sold: number) {
      const { packs, userPacks } = temporary.db.tables
      const [pack] = await temporary.db.read.select().from(packs).where(eq(packs.id, packId))
      const owned = await temporary.db.read.select().from(userPacks).where(eq(userPacks.packId, packId))
      expect([pack?.supplySold, owned.length]).toEqual([sold, sold])
    }

    if (engine.name === 'PostgreSQL')
      test('a completion that sees no limit is repeated when one is set and reached before its commit', async () => {
        const packId = await addPack(temporary, { price: FREE })
        const started = await call(0, await tokenOf(1), 'POST', '/api/packs/purchase', { packId })
        const outcomes: string[] = []
        const { outcome } = await temporary.db.write(async tx => {
          const completion = await completePurchase(tx, PURCHASE_KINDS, started.body.id, { kind: 'own' })
          outcomes.push(completion.outcome)
          await withRawConnection(temporary, run =>
            run(`UPDATE packs SET supply_total = 0 WHERE id = '${packId}' AND supply_total IS NULL`),
          )
          return completion
        })
        expect(outcome).toBe('blocked')
        expect(outcomes[0]).toBe('completed')
        await checkSold(packId, 0)
      })
  })
}
