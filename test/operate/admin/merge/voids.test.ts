/**
 * Points that are taken back after a merge are taken from the remaining fan: voids, corrections and refunds, along a chain
 * of merges.
 */
import { describe, expect, test } from 'bun:test'
import { verifyLedger } from '../../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../../src/audit/runs/verify-quests.ts'
import { mergeFans } from '../../../../src/operate/admin/merge/merge-fans.ts'
import { refundPurchase } from '../../../../src/operate/admin/refunds/refund-purchase.ts'
import { undoClaim } from '../../../../src/play/rewards/corrections.ts'
import { addRule } from '../../../economy/rules/rules-world.ts'
import { balanceOf, expectStatus, patientFan, userIdOf } from '../../../play/packs/packs-world.ts'
import { addMatch, addPredictor, settleAll } from '../../../play/predictions/match-world.ts'
import { addQuest, claim, happen, read, takeBack } from '../../../play/quests/quests-world.ts'
import { addStock, buyWithMoney } from '../../../play/shop/orders-world.ts'
import { type Fan, onEachEngine } from '../../../support/world.ts'

onEachEngine(
  'After a merge',
  world => {
    async function merge(from: Fan, into: Fan) {
      const [fromId = '', intoId = ''] = [await userIdOf(world, from), await userIdOf(world, into)]
      return world.db.write(tx =>
        mergeFans(tx, { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }),
      )
    }
    async function expectSound() {
      const found: unknown[] = []
      await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
      await verifyQuests(world.db, { onFinding: finding => found.push(finding) })
      expect(found).toEqual([])
    }
    /** A fan with a record, on the leaderboards. */
    async function ranked(): Promise<Fan> {
      const fan = await patientFan(world)
      expectStatus(204, await fan.put('/api/user/leaderboard-membership', {}))
      return fan
    }
    const rankOf = async (fan: Fan) => (await fan.get('/api/leaderboard')).body.me?.points

    test('a void takes the points of the merged fan back from the remaining fan, and from the boards', async () => {
      const rule = await addRule(world, { points: { fixed: 40 }, limit: { count: 2, per: 'ever' } })
      const [from, middle, into] = [await ranked(), await ranked(), await ranked()]
      const [first, second] = [
        await happen(world, from, rule.eventType),
        await happen(world, from, rule.eventType),
      ]
      await merge(from, middle)
      expect(await balanceOf(middle)).toEqual({ balance: 80, lifetime: 80 })
      expect(await takeBack(world, first)).toEqual([{ ruleId: rule.id, points: 40, uncollected: 0 }])
      expect(await balanceOf(middle)).toEqual({ balance: 40, lifetime: 40 })
      await expectSound()
      await merge(middle, into)
      expect(await takeBack(world, second)).toEqual([{ ruleId: rule.id, points: 40, uncollected: 0 }])
      expect(await takeBack(world, second)).toEqual([{ ruleId: rule.id, points: 40, uncollected: 0 }])
      expect(await balanceOf(into)).toEqual({ balance: 0, lifetime: 0 })
      expect(await rankOf(into)).toBe(0)
      // The limit of the fan who remains has its uses back.
      for (const points of [40, 80, 80]) {
        await happen(world, into, rule.eventType)
        expect((await balanceOf(into)).balance).toBe(points)
      }
      await expectSound()
    })

    test('a void takes at most the balance of the remaining fan', async () => {
      const rule = await addRule(world, { points: { fixed: 100 } })
      const [from, into] = [await ranked(), await ranked()]
      const eventId = await happen(world, from, rule.eventType)
      await merge(from, into)
      const price = { amount: 70, currency: 'POINTS' }
      const { id } = expectStatus(
        201,
        await into.post('/api/packs/purchase', {
          packId: await (await import('../../../play/packs/packs-world.ts')).addPack(world, { price }),
        }),
      )
      expectStatus(200, await into.put('/api/packs/purchase', { purchaseId: id }))
      expect(await takeBack(world, eventId)).toEqual([{ ruleId: rule.id, points: 30, uncollected: 70 }])
      expect(await balanceOf(into)).toEqual({ balance: 0, lifetime: 70 })
      await expectSound()
    })

    describe('a quest', () => {
      test('that the merged fan had completed is open again when its event is voided', async () => {
        const [from, into] = [await ranked(), await ranked()]
        const quest = await addQuest(world, { claim: 'manual', reward: { points: 30 } })
        const eventId = await happen(world, from, quest.type)
        await merge(from, into)
        expect((await read(into, quest)).state).toBe('completed')
        await takeBack(world, eventId)
        expect((await read(into, quest)).state).toBe('in_progress')
        expect((await claim(into, quest.id)).body.code).toBe('quest_not_completed')
        await expectSound()
      })

      test('counts the events of the merged fan, without those that are voided later', async () => {
        const [from, into] = [await ranked(), await ranked()]
        const quest = await addQuest(world, { reward: { points: 30 }, steps: [{ target: 2 }] })
        const eventId = await happen(world, from, quest.type)
        await merge(from, into)
        await takeBack(world, eventId)
        await happen(world, into, quest.type)
        expect(await read(into, quest)).toMatchObject({ state: 'in_progress', progress: [{ count: 1 }] })
        expect((await balanceOf(into)).balance).toBe(0)
        await expectSound()
      })
    })

    test.each([
      ['before', 'of both'],
      ['after', 'of the merged fan'],
    ])(
      'a corrected result that is settled %s the merge leaves the points of the last revision',
      async when => {
        const match = await addMatch(world, { season: '2026/27' })
        const from = await addPredictor(world, match.matchId, 2, 1)
        const into = await ranked()
        world.clock.advance(3_700_000)
        if (when === 'after') await merge(from, into)
        await match.finish(2, 1)
        await settleAll(world)
        if (when === 'before') await merge(from, into)
        const exact = (await balanceOf(into)).balance
        expect(exact).toBeGreaterThan(0)
        await match.finish(3, 2)
        await settleAll(world)
        const difference = (await balanceOf(into)).balance
        expect(difference).toBeGreaterThan(0)
        expect(difference).toBeLessThan(exact)
        await match.finish(0, 2)
        await settleAll(world)
        expect(await balanceOf(into)).toEqual({ balance: 0, lifetime: 0 })
        await match.finish(2, 1)
        await settleAll(world)
        expect(await balanceOf(into)).toEqual({ balance: exact, lifetime: exact })
        expect((await into.get('/api/leaderboard?kind=predictions')).body.me.points).toBe(exact)
        await expectSound()
      },
    )

    test('the refund of an order of the merged fan takes back the points that the order earned', async () => {
      await addRule(world, { eventType: 'order.paid', points: { fixed: 25 } })
      const quest = await addQuest(world, {
        claim: 'manual',
        reward: { points: 5 },
        steps: [{ eventType: 'order.paid' }],
      })
      const [from, into] = [await ranked(), await ranked()]
      const { id } = await buyWithMoney(from, await addStock(world, 3))
      await merge(from, into)
      expect(await balanceOf(into)).toEqual({ balance: 25, lifetime: 25 })
      const { db, deps } = world
      await refundPurchase(
        { read: db.read, write: work => db.write(work), loadPayments: async () => deps.payments },
        id,
      )
      expect(await balanceOf(into)).toEqual({ balance: 0, lifetime: 0 })
      expect((await read(into, quest)).state).toBe('in_progress')
      await expectSound()
    })

    describe('a claim of the same reward', () => {
      /** A fan who has claimed it, and redeemed it. */
      async function claimant(rewardId: string, redeems = false): Promise<Fan> {
        const fan = await patientFan(world)
        expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
        if (redeems) expectStatus(200, await fan.post('/api/rewards/redeem', { rewardId }))
        return fan
      }
      const undo = async (fan: Fan, rewardId: string) => {
        const userId = (await userIdOf(world, fan)) ?? ''
        await world.db.write(tx => undoClaim(tx, { userId, rewardId }))
      }

      test.each([
        ['as far', false, false, 10],
        ['of the merged fan further', true, false, 14],
        ['of the one who remains further', false, true, 14],
      ])('%s: what the other one earned ends with it', async (_, fromRedeems, intoRedeems, kept) => {
        await addRule(world, { eventType: 'reward.claimed', points: { fixed: 10 } })
        await addRule(world, { eventType: 'reward.redeemed', points: { fixed: 4 } })
        const steps = [{ eventType: 'reward.claimed', target: 2 }]
        const quest = await addQuest(world, { claim: 'manual', steps })
        const rewardId = await world.reward({ pointsRequired: 0, stockRemaining: 5 })
        const [from, into] = [await claimant(rewardId, fromRedeems), await claimant(rewardId, intoRedeems)]
        await merge(from, into)
        expect((await balanceOf(into)).balance).toBe(kept)
        expect((await read(into, quest)).state).toBe('in_progress')
        await expectSound()
        await undo(into, rewardId)
        expect(await balanceOf(into)).toEqual({ balance: 0, lifetime: 0 })
        await expectSound()
      })

      test('along a chain of merges counts once for a limit, until it is undone', async () => {
        const limit = { count: 1, per: 'ever' } as const
        await addRule(world, { eventType: 'reward.claimed', points: { fixed: 10 }, limit })
        const rewards = [await world.reward({ pointsRequired: 0 }), await world.reward({ pointsRequired: 0 })]
        const [rewardId = '', other = ''] = rewards
        const [from, middle, into] = [
          await claimant(rewardId),
          await claimant(rewardId),
          await claimant(rewardId),
        ]
        await merge(from, middle)
        await merge(middle, into)
        expect((await balanceOf(into)).balance).toBe(10)
        await undo(into, rewardId)
        expect((await balanceOf(into)).balance).toBe(0)
        for (const rewardId of [other, rewards[0]]) {
          expectStatus(200, await into.post('/api/rewards/claim', { rewardId }))
          expect((await balanceOf(into)).balance).toBe(10)
        }
        await expectSound()
      })

      test('that both have used keeps the points of both', async () => {
        await addRule(world, { eventType: 'reward.claimed', points: { fixed: 10 } })
        const rewardId = await world.reward({ pointsRequired: 0 })
        const fans = [await claimant(rewardId, true), await claimant(rewardId, true)] as const
        const { userRewards } = world.db.tables
        await world.db.write(tx => tx.update(userRewards).set({ usedAt: tx.now(), usedBy: 'desk' }))
        await merge(...fans)
        expect((await balanceOf(fans[1])).balance).toBe(20)
        await expectSound()
      })
    })

    test.each([
      ['declined the leaderboard at the onboarding', { joinLeaderboard: false }, false],
      ['joined it at the onboarding', {}, true],
      ['has not decided yet', null, true],
    ])('the fan who remains is enrolled as before: %s', async (_, onboarding, enrolled) => {
      const [from, into] = [await ranked(), await patientFan(world)]
      expectStatus(201, await into.post('/api/user/profile', {}))
      if (onboarding) expectStatus(200, await into.post('/api/user/onboarding', onboarding))
      await merge(from, into)
      const { me } = expectStatus(200, await into.get('/api/leaderboard'))
      expect(me !== null && me.rank !== null).toBe(enrolled)
      await expectSound()
    })

    test('a fan who has left the leaderboard is not enrolled again', async () => {
      const [from, into] = [await ranked(), await ranked()]
      expectStatus(204, await into.send('/api/user/leaderboard-membership', { method: 'DELETE' }))
      await merge(from, into)
      expect(expectStatus(200, await into.get('/api/leaderboard')).me).toBeNull()
      await expectSound()
    })
  },
  { worldPer: 'test' },
)
