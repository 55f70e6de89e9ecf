/** Merges while both fans write, by two processes of the API on one database. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { verifyLedger } from '../../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../../src/audit/runs/verify-quests.ts'
import { realSources } from '../../../../src/core/sources.ts'
import { appendEntry } from '../../../../src/economy/points/ledger.ts'
import { mergeFans } from '../../../../src/operate/admin/merge/merge-fans.ts'
import { addPack } from '../../../play/packs/packs-world.ts'
import { engines } from '../../../support/engines.ts'
import { useTwoProcesses } from '../../../support/two-processes.ts'

const PAIRS = 4
const POINTS = 1_000

for (const engine of engines) {
  describe(`Merges in two processes (${engine.name})`, () => {
    const processes = useTwoProcesses(engine, {}, realSources)
    const { call, fan } = processes
    let packId: string
    let rewardId: string

    beforeAll(async () => {
      packId = await addPack(processes, { price: { amount: 10, currency: 'POINTS' } })
      rewardId = 'scarf'
      await processes.db.write(async tx => {
        const at = { createdAt: tx.now(), updatedAt: tx.now() }
        await tx.insert(tx.tables.rewards).values({
          ...{ id: rewardId, title: 'Scarf', description: '', itemType: 'voucher', pointsRequired: 10 },
          ...{ active: true, stockRemaining: 2 * PAIRS, ...at },
        })
      })
    })

    const merge = (from: { id: string }, into: { id: string }) =>
      processes.db.write(tx => mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Ana', reason: null }))

    /** Concurrent actions of a fan: each response is a success, a refusal by a rule, or the end of the session. */
    async function act(n: number, { token }: { token: string }) {
      const bought = await call(n, token, 'POST', '/api/packs/purchase', { packId })
      const purchaseId = String(bought.body.id)
      return [
        bought,
        ...(await Promise.all([
          call(n, token, 'PUT', '/api/packs/purchase', { purchaseId }),
          call(n + 1, token, 'POST', '/api/rewards/claim', { rewardId }),
          call(n, token, 'POST', '/api/user/onboarding', {}),
          call(n + 1, token, 'POST', '/api/packs/purchase', { packId }),
        ])),
      ].map(({ status }) => status)
    }

    test('neither lose nor duplicate anything', async () => {
      for (let pair = 0; pair < PAIRS; pair++) {
        const [from, into] = [await fan(2 * pair + 1), await fan(2 * pair + 2)]
        for (const { id } of [from, into])
          await processes.db.write(tx =>
            appendEntry(tx, { userId: id, delta: POINTS, reason: 'adjustment', ref: `start-${id}` }),
          )
        const [statuses, others] = await Promise.all([
          act(pair, from),
          act(pair + 1, into),
          merge(from, into),
        ])
        for (const status of [...statuses, ...others]) expect([200, 201, 401, 404, 409]).toContain(status)
        const { pointsAccounts, packPurchases, userRewards } = processes.db.tables
        const { read } = processes.db
        const [account] = await read.select().from(pointsAccounts).where(eq(pointsAccounts.userId, from.id))
        expect(account?.balance).toBe(0)
        for (const table of [packPurchases, userRewards])
          expect(await read.select().from(table).where(eq(table.userId, from.id))).toEqual([])
        const claims = await read
          .select()
          .from(userRewards)
          .where(and(eq(userRewards.userId, into.id), eq(userRewards.rewardId, rewardId)))
        expect(claims.length).toBeLessThanOrEqual(1)
      }
      const [reward] = await processes.db.read.select().from(processes.db.tables.rewards)
      const claims = await processes.db.read.select().from(processes.db.tables.userRewards)
      expect((reward?.stockRemaining ?? 0) + claims.length).toBe(2 * PAIRS)
      const found: unknown[] = []
      await verifyLedger(processes.db, { onFinding: finding => found.push(finding) })
      await verifyQuests(processes.db, { onFinding: finding => found.push(finding) })
      expect(found).toEqual([])
    })

    test('of two fans into each other: one succeeds, and the other is refused', async () => {
      const [a, b] = [await fan(50), await fan(51)]
      const results = await Promise.allSettled([merge(a, b), merge(b, a)])
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    })
  })
}
