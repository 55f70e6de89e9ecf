import { expect, test } from 'bun:test'
import { and, asc, eq } from 'drizzle-orm'
import { findWrongCampaigns, findWrongRedemptions } from '../../../src/audit/play/verify-codes.ts'
import { findWrongAccounts } from '../../../src/economy/accounts/audit.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { campaignKind } from '../../../src/play/codes/campaign-kind.ts'
import { hashOfCode, normalizeCode } from '../../../src/play/codes/code.ts'
import { exportRedemptions } from '../../../src/play/codes/redeem.ts'
import { addAccount } from '../../economy/accounts/accounts-world.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { liveIn } from '../eligibility/eligibility-world.ts'
import { addPack, FREE, userIdOf } from '../packs/packs-world.ts'
import { addCampaign, addShared, generate, generateOne, outcomeOf, redeem } from './codes-world.ts'

/** Into an account, without points. */
const campaignIn = (account: string) => ({
  ...{ id: 'empty', name: 'Empty', kind: 'unique' as const },
  gives: { account, rewardId: 'scarf' },
})

onEachEngine('POST /api/codes', world => {
  const idOf = async (fan: Fan) => (await userIdOf(world, fan)) ?? ''
  const pointsOf = async (fan: Fan) => (await fan.get('/api/user/points')).body.balance ?? 0
  const redeemedOf = async (campaignId: string) => {
    const { campaigns } = world.db.tables
    const [row] = await world.db.read.select().from(campaigns).where(eq(campaigns.id, campaignId))
    return row?.redeemed
  }
  const DAY = 86_400_000
  const at = (ms: number) => new Date(world.clock.ms + ms).toISOString()

  test('gives points for a generated code once, in any spelling, and records an event', async () => {
    const [fan, other] = [await world.fan(), await world.fan()]
    const campaignId = await addCampaign(world, { perFan: 2 })
    const [code = '', second = ''] = await generate(world, campaignId, 2)
    const typed = code.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('-', ' ')
    const { status, body } = await redeem(fan, typed)
    const gave = { points: 50, account: null, rewardId: null, packId: null, collectibleId: null }
    expect([status, body]).toEqual([200, { campaignId, gave }])
    expect(await outcomeOf(fan, code)).toBe('already_redeemed')
    expect(await outcomeOf(other, code)).toBe('code_used')
    expect(await outcomeOf(fan, second)).toBe(200)
    expect(await pointsOf(fan)).toBe(100)
    expect(await redeemedOf(campaignId)).toBe(2)

    const { events, pointsEntries } = world.db.tables
    const userId = await idOf(fan)
    const isTheirs = and(eq(events.userId, userId), eq(events.type, 'code.redeemed'))
    const redeemed = await world.db.read.select().from(events).where(isTheirs).orderBy(asc(events.sequence))
    const told = redeemed.map(({ data }) => JSON.parse(data ?? ''))
    expect(told).toMatchObject([{ campaignId, ...gave }, { campaignId }])
    const entries = await world.db.read
      .select()
      .from(pointsEntries)
      .where(eq(pointsEntries.userId, userId))
      .orderBy(asc(pointsEntries.seq))
    expect(entries.filter(({ reason }) => reason === 'code').map(({ ref }) => ref)).toEqual(
      told.map(({ redemptionId }) => redemptionId),
    )
  })

  test('stores no generated code', async () => {
    const campaignId = await addCampaign(world)
    const code = await generateOne(world, campaignId)
    const { campaignCodes } = world.db.tables
    const rows = await world.db.read
      .select()
      .from(campaignCodes)
      .where(eq(campaignCodes.campaignId, campaignId))
    expect(rows).toMatchObject([{ hash: hashOfCode(normalizeCode(code) ?? ''), redeemedAt: null }])
    expect(JSON.stringify(rows)).not.toContain(code)
  })

  test('a shared code works for each fan as often as the campaign says', async () => {
    const once = await addShared(world)
    const [fan, other] = [await world.fan(), await world.fan()]
    expect(await outcomeOf(fan, once.code)).toBe(200)
    expect(await outcomeOf(fan, once.code)).toBe('already_redeemed')
    expect(await outcomeOf(other, ` ${once.code.toLowerCase()} `)).toBe(200)
    const twice = await addShared(world, { perFan: 2 })
    const outcomes = [1, 2, 3].map(() => outcomeOf(fan, twice.code))
    expect((await Promise.all(outcomes)).toSorted()).toEqual([200, 200, 'limit_reached'])
    expect(await pointsOf(fan)).toBe(150)
  })

  test('refuses in the order of the checks', async () => {
    const fan = await world.fan()
    await liveIn(fan, 'PT')
    expect(await outcomeOf(fan, 'NO-SUCH-CODE')).toBe('code_not_found')
    const over = { endsAt: at(-DAY), requires: { countries: ['GB'] } }
    expect(await outcomeOf(fan, await generateOne(world, await addCampaign(world, over)))).toBe(
      'campaign_over',
    )
    const later = await addCampaign(world, { startsAt: at(DAY) })
    expect(await outcomeOf(fan, await generateOne(world, later))).toBe('campaign_over')
    const off = await addCampaign(world, { active: false })
    expect(await outcomeOf(fan, await generateOne(world, off))).toBe('campaign_over')

    const full = await addCampaign(world, { total: 1 })
    const [first = '', second = ''] = await generate(world, full, 2)
    expect(await outcomeOf(fan, first)).toBe(200)
    expect(await outcomeOf(fan, first)).toBe('campaign_over')
    expect(await outcomeOf(await world.fan(), second)).toBe('campaign_over')

    const forOthers = await addCampaign(world, { requires: { countries: ['GB'] } })
    const [own = '', used = ''] = await generate(world, forOthers, 2)
    const british = await world.fan()
    await liveIn(british, 'GB')
    expect(await outcomeOf(british, used)).toBe(200)
    expect(await outcomeOf(fan, used)).toBe('code_used')
    expect(await outcomeOf(fan, own)).toBe('not_sold_there')
    await liveIn(british, 'PT')
    expect(await outcomeOf(british, own)).toBe('not_sold_there')
    await liveIn(british, 'GB')
    expect(await outcomeOf(british, own)).toBe('limit_reached')
    expect((await world.anonymous.post('/api/codes', { code: own })).status).toBe(401)
  })

  test('gives a reward, a sealed pack and a collectible together', async () => {
    const fan = await world.fan()
    const [rewardId, packId] = [
      await world.reward({ stockRemaining: 3 }),
      await addPack(world, { price: FREE }),
    ]
    const gives = { points: 5, rewardId, packId, collectibleId: `${packId}-common` }
    const code = await generateOne(world, await addCampaign(world, { gives }))
    expect((await redeem(fan, code)).body.gave).toEqual({ ...gives, account: null })
    expect((await fan.get('/api/user/rewards')).body.rewards).toMatchObject([
      { id: rewardId, stockRemaining: 2 },
    ])
    expect((await fan.get('/api/user/packs')).body.packs).toMatchObject([{ packId, state: 'sealed' }])
    expect((await fan.get('/api/user/collection')).body.items).toMatchObject([
      { id: gives.collectibleId, count: 1 },
    ])
  })

  test('pays points into an account, where they stay through a merge and an erasure', async () => {
    const account = await addAccount(world, { window: null })
    const campaignId = await addCampaign(world, { gives: { points: 150, account }, perFan: 2 })
    const [from, into] = [await world.fan(), await world.fan()]
    const { body } = await redeem(from, await generateOne(world, campaignId))
    expect(body.gave).toMatchObject({ points: 150, account })
    expect(await pointsOf(from)).toBe(0)
    const accountOf = async (fan: Fan) =>
      (await fan.get('/api/user/accounts')).body.accounts.find(({ id }: { id: string }) => id === account)
    expect(await accountOf(from)).toMatchObject({ total: 150, tier: { id: 'silver' } })
    const { body: history } = await from.get(`/api/user/accounts/${account}/entries`)
    expect(history.entries).toMatchObject([{ delta: 150, reason: 'code' }])

    expect((await redeem(into, await generateOne(world, campaignId))).status).toBe(200)
    const [fromId, intoId] = [await idOf(from), await idOf(into)]
    await world.db.write(tx => mergeFans(tx, { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }))
    expect(await accountOf(into)).toMatchObject({ total: 300, tier: { id: 'gold' } })
    expect(await exportRedemptions(world.db.read, intoId)).toMatchObject(Array(2).fill({ gave: { account } }))
    const { name: provider } = world.config.identity
    await world.db.write(tx => eraseUser(tx, { provider, subject: into.subject }))
    const faults = async () => [
      ...(await findWrongRedemptions(world.db.read, { after: null, upTo: null })),
      ...(await findWrongAccounts(world.db.read, { after: null, upTo: null })),
      ...(await findWrongCampaigns(world.db.read)),
    ]
    expect(await faults()).toEqual([])
    // An entry in another account, or of another sum, is found.
    const { codeRedemptions } = world.db.tables
    const isOf = eq(codeRedemptions.campaignId, campaignId)
    const alter = (gave: object) =>
      world.db.write(tx =>
        tx
          .update(codeRedemptions)
          .set({ gave: JSON.stringify(gave) })
          .where(isOf),
      )
    for (const wrong of [{ points: 150 }, { points: 151, account }, { points: 150, account: 'other' }]) {
      await alter(wrong)
      expect(new Set((await faults()).map(({ what }) => what.split(' ')[0]))).toEqual(
        new Set(['code_redemptions.gave']),
      )
    }
    await alter({ points: 150, account })
    expect(await faults()).toEqual([])
  })

  test('what cannot be given refuses, and uses up nothing', async () => {
    const fan = await world.fan()
    const [rewardId, empty] = [await world.reward(), await world.reward({ stockRemaining: 0 })]
    const soldOut = await addPack(world, { price: FREE, supply: 0 })
    await fan.post('/api/user/onboarding', {})
    expect((await fan.post('/api/rewards/claim', { rewardId })).status).toBe(200)
    const before = await pointsOf(fan)
    for (const [gives, expected] of [
      [{ points: 7, rewardId }, 'already_claimed'],
      [{ points: 7, rewardId: empty }, 'out_of_stock'],
      [{ points: 7, packId: soldOut }, 'sold_out'],
    ] as const) {
      const campaignId = await addCampaign(world, { gives })
      const code = await generateOne(world, campaignId)
      expect(await outcomeOf(fan, code)).toBe(expected)
      expect([await redeemedOf(campaignId), await pointsOf(fan)]).toEqual([0, before])
      // The same code works once it can be given.
      await addCampaign(world, { id: campaignId, gives: { points: 7 } })
      expect(await outcomeOf(await world.fan(), code)).toBe(200)
    }
  })

  test('repeats the first response under a key, and forgets an unknown code', async () => {
    const fan = await world.fan()
    const code = await generateOne(world, await addCampaign(world))
    const send = () => fan.post('/api/codes', { code }, { 'idempotency-key': 'one' })
    const [first, again] = [await send(), await send()]
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  test('an erasure keeps the counts, and a merge moves what was redeemed', async () => {
    const { name: provider } = world.config.identity
    const campaignId = await addCampaign(world, { total: 2, perFan: 2 })
    const [first = '', second = ''] = await generate(world, campaignId, 2)
    const gone = await world.fan()
    expect(await outcomeOf(gone, first)).toBe(200)
    await world.db.write(tx => eraseUser(tx, { provider, subject: gone.subject }))
    expect(await redeemedOf(campaignId)).toBe(1)
    const [from, into] = [await world.fan(), await world.fan()]
    expect(await outcomeOf(from, first)).toBe('code_used')
    expect(await outcomeOf(from, second)).toBe(200)
    await into.post('/api/user/onboarding', {})
    const [fromId, intoId] = [await idOf(from), await idOf(into)]
    await world.db.write(tx => mergeFans(tx, { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }))
    expect(await exportRedemptions(world.db.read, intoId)).toMatchObject([
      { campaignId, gave: { points: 50 } },
    ])
    expect(await exportRedemptions(world.db.read, fromId)).toEqual([])
    await addCampaign(world, { id: campaignId, perFan: 1 })
    const third = await generateOne(world, campaignId)
    expect(await outcomeOf(into, third)).toBe('limit_reached')
  })

  test('an import refuses what the schema cannot', async () => {
    const { code } = await addShared(world)
    const faultOf = (members: Parameters<typeof addCampaign>[1]) =>
      addCampaign(world, members).then(
        () => null,
        error => error.explanation?.errors?.[0]?.pointer,
      )
    expect(await faultOf({ kind: 'shared', code: code.replaceAll('-', ' ') })).toBe('/code')
    expect(await faultOf({ gives: { rewardId: 'no-such-reward' } })).toBe('/gives/rewardId')
    expect(await faultOf({ gives: { points: 1, account: 'no-such-account' } })).toBe('/gives/account')
    expect(campaignKind.faults(campaignIn('no-such-account'))).toMatchObject([{ pointer: '/gives/account' }])
    expect(await faultOf({ gives: { packId: 'no-such-pack' } })).toBe('/gives/packId')
    const id = await addCampaign(world)
    expect(await faultOf({ id, kind: 'shared', code: 'ANOTHER-1' })).toBe('/kind')
  })
})

onEachEngine(
  'Unknown codes',
  world => {
    /** At most 3 by a fan and 5 from the address of all tests in ten minutes, by the environment below. */
    const guess = (fan: Fan) => outcomeOf(fan, 'NO-SUCH-CODE')
    const securityEvents = () =>
      world.logged.flatMap(line => {
        const { securityEvent, path } = JSON.parse(line)
        return securityEvent === undefined ? [] : [[securityEvent, path]]
      })

    test('are limited by fan and by address; a fan who types a code right is never stopped by others', async () => {
      const [guesser, second, friend, unlucky] = [
        await world.fan(),
        await world.fan(),
        await world.fan(),
        await world.fan(),
      ]
      const campaignId = await addCampaign(world, { perFan: 10 })
      const [used = '', ...unused] = await generate(world, campaignId, 4)
      // A refusal for another reason is no guess.
      expect(await outcomeOf(friend, used)).toBe(200)
      for (let n = 0; n < 4; n++) expect(await outcomeOf(guesser, used)).toBe('code_used')
      const answers = [await guess(guesser), await guess(guesser), await guess(guesser), await guess(guesser)]
      expect(answers).toEqual(['code_not_found', 'code_not_found', 'code_not_found', 'rate_limited'])
      const refused = await redeem(guesser, unused[0] ?? '')
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
      expect([await guess(second), await guess(second)]).toEqual(['code_not_found', 'code_not_found'])
      // The address has used up its guesses.
      expect(await outcomeOf(second, unused[0] ?? '')).toBe('rate_limited')
      expect(await outcomeOf(friend, unused[1] ?? '')).toBe(200)
      expect(await guess(unlucky)).toBe('rate_limited')
      expect(await outcomeOf(unlucky, unused[2] ?? '')).toBe('rate_limited')
      expect(new Set(securityEvents().map(String))).toEqual(new Set(['code_limit_reached,/api/codes']))
      expect(world.logged.join('\n')).not.toContain(used)
    })
  },
  { env: { RATE_LIMITS: 'codes=3,codesPerAddress=5' } },
)
