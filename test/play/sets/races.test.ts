/** The last two items of a set that arrive at the same time: two instances of the API on one database. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/operate/admin/audit/verify-ledger.ts'
import type { Answer } from '../../support/client.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { addPack, FREE } from '../packs/packs-world.ts'
import { addSet } from './sets-world.ts'

const ROUNDS = 12

for (const engine of engines) {
  describe(`A set that two processes complete (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let apis: RunningApi[]

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      provider = await startProvider({ fans: ROUNDS + 1 })
      const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }
      apis = await Promise.all([startApi(env), startApi(env)])
    })

    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop()))
      await provider.stop()
      await temporary.remove()
    })

    /** The n-th request goes to the one process or to the other. */
    async function call(n: number, token: string, method: string, path: string, body?: unknown) {
      const response = await fetch(`${apis[n % 2]?.origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      expect(response.status).toBeLessThan(300)
      return (await response.json()) as Answer['body']
    }

    /** A sealed pack, whose only item is the collectible `PACK-common`. */
    async function sealedPack(token: string, packId: string): Promise<string> {
      const { id: purchaseId } = await call(0, token, 'POST', '/api/packs/purchase', { packId })
      return (await call(0, token, 'PUT', '/api/packs/purchase', { purchaseId })).userPack.id
    }

    test('is completed once, with one reward and one event, whichever item comes last', async () => {
      const { db } = temporary
      const { setCompletions, pointsEntries, events } = db.tables
      const packIds = [1, 2].map(async () =>
        addPack({ db }, { price: FREE, itemsPerPack: 1, weights: { common: 1_000_000 } }),
      )
      const packs = await Promise.all(packIds)
      const set = await addSet(
        { db },
        { collectibleIds: packs.map(id => `${id}-common`), reward: { points: 50 } },
      )
      for (let round = 1; round <= ROUNDS; round++) {
        const token = await provider.idp.issueToken(`fan-${String(round).padStart(4, '0')}`)
        const { id: userId } = await call(round, token, 'POST', '/api/user/profile', { bio: 'A collector.' })
        const sealed: string[] = []
        for (const packId of packs) sealed.push(await sealedPack(token, packId))
        await Promise.all(
          sealed.map((userPackId, n) => call(n, token, 'POST', '/api/packs/open', { userPackId })),
        )
        const completions = await db.read
          .select()
          .from(setCompletions)
          .where(eq(setCompletions.userId, userId))
        expect(completions).toMatchObject([{ setId: set.id, points: 50 }])
        const isOwn = and(eq(pointsEntries.userId, userId), eq(pointsEntries.reason, 'set'))
        expect(await db.read.select().from(pointsEntries).where(isOwn)).toMatchObject([{ delta: 50 }])
        const isOwnEvent = and(eq(events.userId, userId), eq(events.type, 'set.completed'))
        expect(await db.read.select().from(events).where(isOwnEvent)).toHaveLength(1)
      }
      expect((await verifyLedger(db)).findings).toBe(0)
    })
  })
}
