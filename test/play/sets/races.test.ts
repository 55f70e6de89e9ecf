/** The last two items of a set that arrive at the same time: two instances of the API on one database. */
import { describe, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Answer } from '../../support/client.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { addPack, FREE } from '../packs/packs-world.ts'
import { addSet } from './sets-world.ts'

const ROUNDS = 12

for (const engine of engines) {
  describe(`A set that two processes complete (${engine.name})`, () => {
    const processes = useTwoProcesses(engine)

    async function call(...request: Parameters<typeof processes.call>) {
      const { status, body } = await processes.call(...request)
      expect(status).toBeLessThan(300)
      return body as Answer['body']
    }

    /** A sealed pack, whose only item is the collectible `PACK-common`. */
    async function sealedPack(token: string, packId: string): Promise<string> {
      const { id: purchaseId } = await call(0, token, 'POST', '/api/packs/purchase', { packId })
      return (await call(0, token, 'PUT', '/api/packs/purchase', { purchaseId })).userPack.id
    }

    test('is completed once, with one reward and one event, whichever item comes last', async () => {
      const { db } = processes
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
        const token = await processes.tokenOf(round)
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
