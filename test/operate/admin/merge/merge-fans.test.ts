/** A merge of two fans: what moves, what stays, what each collision becomes, and that everything still verifies. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { verifyLedger } from '../../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../../src/audit/runs/verify-quests.ts'
import { readCashBalances } from '../../../../src/economy/cash/balances.ts'
import { givePromotion } from '../../../../src/economy/cash/promotions.ts'
import { grantPoints } from '../../../../src/economy/points/grants.ts'
import { eraseUser } from '../../../../src/fan/account/erase-user.ts'
import { recordDecision } from '../../../../src/identity/sanctions/decisions.ts'
import { exportUser } from '../../../../src/operate/admin/export-user.ts'
import { mergeFans } from '../../../../src/operate/admin/merge/merge-fans.ts'
import { addRule } from '../../../economy/rules/rules-world.ts'
import {
  block,
  follow,
  handlesOf,
  type NamedFan,
  namedFan,
} from '../../../identity/relations/relations-world.ts'
import { addPack, buy, expectStatus, FREE, open } from '../../../play/packs/packs-world.ts'
import { addQuest, happen } from '../../../play/quests/quests-world.ts'
import { drawnItem, offer, ownedBy } from '../../../play/trades/trades-world.ts'
import { onEachEngine, type World } from '../../../support/world.ts'

const merge = (world: World, from: { id: string }, into: { id: string }) =>
  world.db.write(tx => mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Ana', reason: 'Two phones' }))

const give = (world: World, { id: userId }: { id: string }, amount: number) =>
  world.db.write(tx =>
    givePromotion(tx, {
      ...{ userId, currency: 'EUR', amount, ref: `promotion-${userId}`, source: 'test' },
      ...{ expiresAt: null, note: null },
    }),
  )

async function expectSound({ db }: World) {
  const found: unknown[] = []
  await verifyLedger(db, { onFinding: finding => found.push(finding) })
  await verifyQuests(db, { onFinding: finding => found.push(finding) })
  expect(found).toEqual([])
}

interface Points {
  balance: number
  lifetime: number
}

const pointsOf = async (fan: NamedFan): Promise<Points> =>
  expectStatus(200, await fan.get('/api/user/points'))
/** A token of now: those before the merge have ended. */
const signedIn = async (world: World, fan: NamedFan): Promise<NamedFan> => {
  world.clock.advance(1_000)
  return { ...fan, ...world.withToken(await world.idp.issueToken(fan.subject)) }
}

onEachEngine('A merge of two fans', world => {
  describe('with data of every kind', () => {
    let from: NamedFan
    let into: NamedFan
    let other: NamedFan
    let packId: string
    let ruleType: string
    let rewardId: string
    let quest: Awaited<ReturnType<typeof addQuest>>
    let report: Awaited<ReturnType<typeof merge>>
    /** Points of both fans before the merge. */
    let points: { from: Points; into: Points }
    let items: string[]

    beforeEach(async () => {
      from = await namedFan(world)
      into = await namedFan(world)
      other = await namedFan(world)
      for (const fan of [from, into]) await fan.post('/api/user/onboarding', {})
      packId = await addPack(world)
      const rule = await addRule(world, { limit: { count: 2, per: 'ever' } })
      ruleType = rule.eventType
      quest = await addQuest(world, { reward: { points: 30 } })
      await happen(world, from, ruleType)
      await happen(world, into, ruleType)
      await happen(world, from, quest.type)
      rewardId = await world.reward({ pointsRequired: 10, stockRemaining: 5 })
      for (const fan of [from, into]) await fan.post('/api/rewards/claim', { rewardId })
      await from.post('/api/rewards/redeem', { rewardId })
      await world.db.write(tx =>
        grantPoints(
          tx,
          { source: 'test', provider: '' },
          { fan: { userId: from.id }, delta: 500, ref: `grant-${from.id}` },
        ),
      )
      const { userPack } = await buy(from, packId)
      await open(from, userPack.id)
      await buy(from, packId)
      await drawnItem(world, into)
      await follow(from, other.handle)
      await follow(other, into.handle)
      await follow(other, from.handle)
      await give(world, from, 700)
      await expectSound(world)
      expectStatus(201, await offer(from, other.handle, [await drawnItem(world, from)]))
      points = { from: await pointsOf(from), into: await pointsOf(into) }
      items = [...(await ownedBy(from)), ...(await ownedBy(into))]
      report = await merge(world, from, into)
    })

    test('moves points, cash, items, packs and claims, and both sign-ins lead to one fan', async () => {
      const { balance, lifetime } = points.from
      expect(report.points).toEqual({ balance, lifetime })
      expect(report.cash).toEqual([{ currency: 'EUR', amount: 700 }])
      expect(report.rewards).toEqual({ moved: 1, ended: 1 })

      expect((await from.get('/api/user/points')).status).toBe(401)
      const again = await signedIn(world, from)
      for (const fan of [again, into]) {
        const now = await pointsOf(fan)
        expect(now.balance).toBe(balance + points.into.balance)
        expect(now.lifetime).toBe(lifetime + points.into.lifetime)
        expect((await ownedBy(fan)).toSorted()).toEqual(items.toSorted())
        const profile = expectStatus(200, await fan.get('/api/user/profile'))
        expect(profile).toMatchObject({ id: into.id, handle: into.handle })
        const { packs } = expectStatus(200, await fan.get('/api/user/packs'))
        expect(packs.length).toBeGreaterThanOrEqual(3)
      }
      const [euros] = await readCashBalances(world.db.read, into.id)
      expect(euros).toMatchObject({ available: 700 })
      await expectSound(world)
    })

    test('does not allow a limit, claim or quest to be used again', async () => {
      const again = await signedIn(world, from)
      const { balance } = await pointsOf(again)
      expect((await again.post('/api/rewards/claim', { rewardId })).body.code).toBe('already_claimed')
      await happen(world, into, ruleType)
      await happen(world, again, ruleType)
      await happen(world, again, quest.type)
      expectStatus(200, await again.post('/api/user/onboarding', {}))
      expect((await pointsOf(again)).balance).toBe(balance)
      await expectSound(world)
    })

    test('keeps the more advanced claim, and returns the unit of the other one to the stock', async () => {
      const { rewards, userRewards } = world.db.tables
      const claims = await world.db.read.select().from(userRewards).where(eq(userRewards.rewardId, rewardId))
      expect(claims).toMatchObject([{ userId: into.id, redemptionCode: expect.any(String) }])
      const [reward] = await world.db.read.select().from(rewards).where(eq(rewards.id, rewardId))
      expect(reward?.stockRemaining).toBe(4)
    })

    test('merges follows, voids open trades, and frees the handle', async () => {
      expect(await handlesOf(into, 'following')).toEqual([other.handle])
      expect(await handlesOf(other, 'following')).toEqual([into.handle])
      expect((await world.anonymous.get(`/api/fans/${from.handle}`)).status).toBe(404)
      const { trades } = world.db.tables
      const rows = await world.db.read.select().from(trades).where(eq(trades.fromId, from.id))
      expect(rows.map(({ status }) => status)).toEqual(['void'])
    })

    test('has an event of the remaining fan, and cannot be repeated', async () => {
      const { events } = world.db.tables
      const found = await world.db.read
        .select()
        .from(events)
        .where(and(eq(events.type, 'fan.merged'), eq(events.userId, into.id)))
      expect(found.map(({ data }) => JSON.parse(data ?? ''))).toMatchObject([{ fromUserId: from.id }])
      await expect(merge(world, from, other)).rejects.toMatchObject({ code: 'fans_not_mergeable' })
      await expect(merge(world, into, into)).rejects.toMatchObject({ code: 'fans_not_mergeable' })
      await expect(merge(world, { id: 'nobody' }, into)).rejects.toMatchObject({ code: 'fan_not_found' })
    })

    test('moves the cash of several fans to one', async () => {
      await give(world, other, 300)
      await merge(world, other, into)
      const [euros] = await readCashBalances(world.db.read, into.id)
      expect(euros).toMatchObject({ available: 1_000 })
      await expectSound(world)
    })

    test('can be chained, and the result is exported and erased as one fan', async () => {
      const before = await pointsOf(into)
      const third = await pointsOf(other)
      await merge(world, into, other)
      const again = await signedIn(world, from)
      expect((await pointsOf(again)).balance).toBe(before.balance + third.balance)
      await expectSound(world)

      const document = await exportUser(world.db.read, { id: from.id })
      expect(document?.profile).toMatchObject({ id: other.id })
      expect(document?.mergedRecords.map(({ id }) => id).toSorted()).toEqual([from.id, into.id].toSorted())

      await world.db.write(tx => eraseUser(tx, { id: into.id }))
      for (const fan of [from, into, other]) {
        world.clock.advance(1_000)
        const answer = await world.withToken(await world.idp.issueToken(fan.subject)).get('/api/user/points')
        expect(answer.status).toBe(401)
      }
      expect(await exportUser(world.db.read, { id: from.id })).toMatchObject({ profile: { handle: null } })
      await expectSound(world)
    })
  })

  test('refuses a fan with a sanction or an open report', async () => {
    const [from, into] = [await namedFan(world), await namedFan(world)]
    const report = { subject: { kind: 'fan', id: from.handle }, reason: 'spam' }
    expectStatus(201, await into.post('/api/reports', report))
    await expect(merge(world, from, into)).rejects.toMatchObject({
      members: { blockedBy: ['report_open'] },
    })
    const by = { kind: 'hide', reason: 'spam', decidedBy: 'Ana' } as const
    await world.db.write(tx => recordDecision(tx, { ...by, fanId: from.id }))
    await expect(merge(world, from, into)).rejects.toMatchObject({
      members: { blockedBy: ['sanction_in_force', 'report_open'] },
      explanation: {
        detail:
          'A sanction of the fan to be merged is in force: lift it first. There is an open report about one of them: decide it first.',
      },
    })
  })

  test('moves a block of either fan, which ends follows', async () => {
    const [from, into, other] = [await namedFan(world), await namedFan(world), await namedFan(world)]
    await follow(into, other.handle)
    await block(from, other.handle)
    await merge(world, from, into)
    expect(await handlesOf(into, 'blocks')).toEqual([other.handle])
    expect(await handlesOf(into, 'following')).toEqual([])
    expect((await other.get(`/api/fans/${into.handle}`)).status).toBe(404)
  })

  test('fills empty fields of the other fan’s profile, and moves the handle of the merged fan', async () => {
    const from = await namedFan(world)
    const bare = await world.fan()
    const { id } = expectStatus(201, await bare.post('/api/user/profile', { bio: 'Mine' }))
    await from.patch('/api/user/profile', { bio: 'Theirs', country: 'GB' })
    const report = await merge(world, from, { id })
    expect(report.profile.toSorted()).toEqual(['avatarUrl', 'country', 'displayName', 'handle'])
    const profile = expectStatus(200, await bare.get('/api/user/profile'))
    expect(profile).toMatchObject({ handle: from.handle, bio: 'Mine', country: 'GB' })
  })

  test('keeps boards of open periods: the fan that remains has the points of both', async () => {
    const [from, into] = [await namedFan(world), await namedFan(world)]
    for (const fan of [from, into]) {
      await fan.post('/api/user/onboarding', {})
      await world.grant(fan, 70)
    }
    await buy(from, await addPack(world, { price: { amount: 50, currency: 'POINTS' } }))
    await merge(world, from, into)
    const { lifetime } = await pointsOf(into)
    for (const period of ['all', 'week', 'month']) {
      const board = expectStatus(200, await into.get(`/api/leaderboard?period=${period}`))
      expect(board.me.points, period).toBe(lifetime)
    }
    await expectSound(world)
  })

  test('a sync with either sign-in changes only the data of that sign-in', async () => {
    const [from, into] = [await namedFan(world), await namedFan(world)]
    await into.post('/api/user/sync-identity', {})
    await merge(world, from, into)
    const again = await signedIn(world, from)
    const synced = expectStatus(200, await again.post('/api/user/sync-identity', {}))
    expect(synced.identity.subject).toBe(from.subject)
    const profile = expectStatus(200, await again.get('/api/user/profile'))
    expect(profile.identity.subject).toBe(into.subject)
    const { body } = await again.post('/api/auth/logout', { everywhere: true })
    expect(body).toBeFalsy()
    expect((await into.get('/api/user/profile')).status).toBe(401)
  })

  test('systems of the club reach the remaining fan by either subject, and can repeat earlier requests', async () => {
    const [from, into] = [await namedFan(world), await namedFan(world)]
    const rule = await addRule(world)
    const shop = world.withToken(await world.serverKey(['events:write']))
    const provider = world.config.identity.name
    const event = (id: string, fan: object) => ({
      events: [{ id, type: rule.eventType, fan, occurredAt: world.clock.now().toISOString() }],
    })
    const first = event('first', { userId: from.id })
    expectStatus(200, await shop.post('/api/events', first))
    await merge(world, from, into)
    const { balance } = await pointsOf(into)
    const repeated = expectStatus(200, await shop.post('/api/events', first))
    expect(repeated.results[0].outcome).toBe('duplicate')
    for (const [id, fan] of [
      ['by-id', { userId: from.id }],
      ['by-subject', { provider, subject: from.subject }],
    ] as const)
      expect(expectStatus(200, await shop.post('/api/events', event(id, fan))).results[0].outcome).toBe(
        'applied',
      )
    expect((await pointsOf(into)).balance).toBeGreaterThan(balance)
    await expectSound(world)
  })

  test('a free pack that the merged fan had sealed is opened by the other', async () => {
    const [from, into] = [await namedFan(world), await namedFan(world)]
    const { userPack } = await buy(from, await addPack(world, { price: FREE }))
    await merge(world, from, into)
    expectStatus(200, await open(into, userPack.id))
    await expectSound(world)
  })
})
