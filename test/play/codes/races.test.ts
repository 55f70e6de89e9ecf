/** Codes that processes redeem at the same time, also while staff stop the campaign, merge or erase the fan, or undo what a code gave. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { actInProcesses } from '../../support/act-in-processes.ts'
import type { Step } from '../../support/acting-process.ts'
import { engines } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { userIdOf } from '../packs/packs-world.ts'
import { findingsOf } from '../top-ups/cash-world.ts'
import { addCampaign, addShared, generate } from './codes-world.ts'

const PROCESSES = 8
/** Codes that all processes redeem. `RACED_CODES=5000` takes minutes. */
const CODES = Number(process.env.RACED_CODES ?? 80)

for (const engine of engines) {
  onEngine(engine, 'Processes that redeem codes', world => {
    async function addFan() {
      const fan = await world.fan()
      await fan.post('/api/user/onboarding', {})
      return (await userIdOf(world, fan)) ?? ''
    }

    const addFans = (count: number) => Promise.all(Array.from({ length: count }, addFan))

    const redeems = (userId: string, codes: string[]): Step[] =>
      codes.map(code => ({ kind: 'redeem', userId, code }))

    /** The sum of all outcomes of one process for each list. */
    async function act(lists: Step[][]): Promise<Record<string, number>> {
      const works = Object.fromEntries(lists.map((steps, n) => [n, { steps }]))
      const sum: Record<string, number> = {}
      for (const outcomes of await actInProcesses(world, works))
        for (const [outcome, count] of Object.entries(outcomes)) sum[outcome] = (sum[outcome] ?? 0) + count
      return sum
    }

    /** Each process is another fan, unless `same`. */
    async function race(codes: string[], { same = false } = {}) {
      const fans = await addFans(same ? 1 : PROCESSES)
      return act(
        Array.from({ length: PROCESSES }, (_, n) => {
          // The first two start at the same code, the others in between.
          const start = Math.floor((Math.max(0, n - 1) * codes.length) / PROCESSES)
          return redeems(fans[n % fans.length] ?? '', [...codes.slice(start), ...codes.slice(0, start)])
        }),
      )
    }

    async function rowsOf(campaignId: string) {
      const { campaigns, codeRedemptions } = world.db.tables
      const { read } = world.db
      const [campaign] = await read.select().from(campaigns).where(eq(campaigns.id, campaignId))
      const redemptions = await read
        .select()
        .from(codeRedemptions)
        .where(eq(codeRedemptions.campaignId, campaignId))
      return { redeemed: campaign?.redeemed, redemptions }
    }

    async function pointsOf(campaignId: string): Promise<number> {
      const { pointsEntries } = world.db.tables
      const entries = await world.db.read.select().from(pointsEntries).where(eq(pointsEntries.reason, 'code'))
      const refs = new Set((await rowsOf(campaignId)).redemptions.map(({ id }) => id))
      return entries.reduce((sum, { ref, delta }) => sum + (refs.has(ref) ? delta : 0), 0)
    }

    test('give each code once', async () => {
      const campaignId = await addCampaign(world, { perFan: CODES, gives: { points: 3 } })
      const {
        redeem = 0,
        code_used = 0,
        already_redeemed = 0,
        ...others
      } = await race(await generate(world, campaignId, CODES))
      expect([redeem, others]).toEqual([CODES, {}])
      expect(code_used + already_redeemed).toBe((PROCESSES - 1) * CODES)
      const rows = await rowsOf(campaignId)
      expect(rows.redeemed).toBe(CODES)
      expect(new Set(rows.redemptions.map(({ codeHash }) => codeHash)).size).toBe(CODES)
      expect(await pointsOf(campaignId)).toBe(3 * CODES)
    }, 600_000)

    test('give one code to one fan once', async () => {
      const campaignId = await addCampaign(world, { perFan: PROCESSES })
      const [code = ''] = await generate(world, campaignId)
      expect(await race([code], { same: true })).toEqual({ redeem: 1, already_redeemed: PROCESSES - 1 })
      expect(await rowsOf(campaignId)).toMatchObject({ redeemed: 1, redemptions: [{}] })
    })

    test('give one fan no more than a fan can have', async () => {
      const campaignId = await addCampaign(world, { perFan: 5 })
      const codes = await generate(world, campaignId, 20)
      const { redeem } = await race(codes, { same: true })
      expect(redeem).toBe(5)
      expect((await rowsOf(campaignId)).redemptions).toHaveLength(5)
    })

    test('give no more than the total of a shared code', async () => {
      const { id, code } = await addShared(world, { perFan: 20, total: 33 })
      const { redeem, campaign_over } = await race(Array(10).fill(code))
      expect([redeem, campaign_over]).toEqual([33, 47])
      expect(await rowsOf(id)).toMatchObject({ redeemed: 33, redemptions: Array(33).fill({}) })
    })

    test.each([
      ['switched off', { active: false }],
      ['ended', { endsAt: '2026-01-01T00:00:00.000Z' }],
    ])(
      'give nothing more once the campaign is %s',
      async (_, ending) => {
        const { id, code } = await addShared(world, { perFan: 1_000 })
        const fans = await addFans(4)
        const raced = act(fans.map(userId => redeems(userId, Array(120).fill(code))))
        await waitUntil('codes are redeemed', async () => Number((await rowsOf(id)).redeemed) >= 20)
        await addCampaign(world, { id, kind: 'shared', code, perFan: 1_000, ...ending })
        const { redeemed } = await rowsOf(id)
        const { redeem, campaign_over, ...others } = await raced
        expect([redeem, campaign_over, others]).toEqual([redeemed, 480 - Number(redeemed), {}])
        expect((await rowsOf(id)).redemptions).toHaveLength(Number(redeemed))
        expect(await pointsOf(id)).toBe(50 * Number(redeemed))
      },
      120_000,
    )

    test('of a fan who is merged give each code once, to one of the two', async () => {
      const campaignId = await addCampaign(world, { perFan: 100, gives: { points: 3 } })
      const [from = '', into = ''] = await addFans(2)
      const codes = await generate(world, campaignId, 60)
      const [first, second] = [codes.slice(0, 15), codes.slice(15)]
      const { merge, redeem, ...refused } = await act([
        redeems(from, codes),
        [...redeems(into, first), { kind: 'merge', from, into }, ...redeems(into, second)],
      ])
      const { redeemed, redemptions } = await rowsOf(campaignId)
      expect([merge, redeem, redeemed]).toEqual([1, redemptions.length, redemptions.length])
      expect(Object.keys(refused)).toSatisfy((names: string[]) =>
        names.every(name => ['invalid_token', 'code_used', 'already_redeemed'].includes(name)),
      )
      expect(new Set(redemptions.map(({ userId }) => userId))).toEqual(new Set([into]))
      expect(redemptions).toHaveLength(codes.length)
      expect(await findingsOf(world)).toEqual([])
    }, 120_000)

    test('of a fan who is erased count, and give nothing afterwards', async () => {
      const campaignId = await addCampaign(world, { perFan: 100 })
      const [gone = '', other = ''] = await addFans(2)
      const codes = await generate(world, campaignId, 60)
      const { erase, redeem } = await act([
        redeems(gone, codes),
        [...redeems(other, codes.slice(0, 15)), { kind: 'erase', userId: gone }],
      ])
      expect(erase).toBe(1)
      const { redeemed, redemptions } = await rowsOf(campaignId)
      expect([redeemed, redemptions.length]).toEqual([Number(redeem), Number(redeem)])
      await expect(world.db.write(tx => eraseUser(tx, { id: gone }))).resolves.toBeDefined()
      expect(await act([redeems(gone, codes.slice(0, 3))])).toEqual({ invalid_token: 3 })
      expect(await findingsOf(world)).toEqual([])
    }, 120_000)

    test('for a reward that staff undo meanwhile leave stock, claim and codes that agree', async () => {
      const rewardId = await world.reward({ stockRemaining: 20 })
      const campaignId = await addCampaign(world, { perFan: 100, gives: { points: 3, rewardId } })
      const [userId = ''] = await addFans(1)
      const codes = await generate(world, campaignId, 40)
      const undos = Array.from({ length: 60 }, (): Step => ({ kind: 'undo', userId, rewardId }))
      const { redeem = 0, undo = 0 } = await act([redeems(userId, codes), redeems(userId, codes), undos])
      const { rewards, userRewards, campaignCodes } = world.db.tables
      const { read } = world.db
      const claims = await read.select().from(userRewards).where(eq(userRewards.rewardId, rewardId))
      const [reward] = await read.select().from(rewards).where(eq(rewards.id, rewardId))
      const made = await read.select().from(campaignCodes).where(eq(campaignCodes.campaignId, campaignId))
      expect(claims).toHaveLength(redeem - undo)
      expect(reward?.stockRemaining).toBe(20 - claims.length)
      expect(made.filter(({ redeemedAt }) => redeemedAt !== null)).toHaveLength(redeem)
      expect(await rowsOf(campaignId)).toMatchObject({
        redeemed: redeem,
        redemptions: Array(redeem).fill({}),
      })
      expect(await pointsOf(campaignId)).toBe(3 * redeem)
      expect(await findingsOf(world)).toEqual([])
    }, 120_000)
  })
}
