/** A write is visible at the next read: it invalidates the cached responses that show it, after its commit only. */
import { beforeAll, expect, spyOn, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import {
  addPack,
  buy,
  complete,
  expectStatus,
  open,
  patientFan,
  start,
  userIdOf,
} from '../../play/packs/packs-world.ts'
import { refundPack } from '../../play/packs/refund-pack.ts'
import { countQueries } from '../../support/queries.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

interface Entry {
  userId: string
  displayName: string | null
  avatarUrl: string | null
  points: number
  rank: number
}

onEachEngine('Cached responses after a write', world => {
  let fan: Fan
  let userId: string

  beforeAll(async () => {
    fan = await patientFan(world, 500)
    await fan.post('/api/user/onboarding', {})
    userId = (await userIdOf(world, fan)) ?? ''
  })

  const dashboard = async (of = fan) => expectStatus(200, await of.get('/api/dashboard'))
  const listed = async (client: { get: Fan['get'] } = world.anonymous, query = ''): Promise<Entry> => {
    const { entries } = expectStatus(200, await client.get(`/api/leaderboard${query}`))
    return entries.find((entry: Entry) => entry.userId === userId)
  }
  /** Caches every response about the fan before the change, and reads it again after. The clock stands still. */
  async function around(change: () => Promise<unknown>) {
    const read = async () => ({
      dashboard: await dashboard(),
      entry: await listed(),
      weekly: await listed(world.anonymous, '?period=week'),
      nearby: await listed(fan, '?around=me&limit=1'),
      me: expectStatus(200, await fan.get('/api/leaderboard?limit=1&period=month')).me,
    })
    const before = await read()
    expect(await read()).toEqual(before)
    await change()
    const after = await read()
    expect(after.nearby).toEqual(after.entry)
    return { before, after }
  }

  test('a profile write', async () => {
    const { before, after } = await around(() =>
      fan.patch('/api/user/profile', { displayName: 'Ada', avatarUrl: 'https://example.com/ada.png' }),
    )
    expect(before.dashboard.profile.displayName).not.toBe('Ada')
    const profile = { displayName: 'Ada', avatarUrl: 'https://example.com/ada.png' }
    expect(after.dashboard.profile).toEqual({ id: userId, ...profile })
    for (const shown of [after.entry, after.weekly, after.me]) expect(shown).toMatchObject(profile)
    const cleared = await around(() => fan.post('/api/user/profile', { displayName: 'Eve', avatarUrl: null }))
    expect(cleared.after.entry.displayName).toBe('Eve')
    expect(cleared.after.dashboard.profile.avatarUrl).not.toBe(profile.avatarUrl)
  })

  test('a completed onboarding', async () => {
    const newcomer = await patientFan(world)
    expect(await dashboard(newcomer)).toMatchObject({ profile: { id: null }, points: 0, rank: null })
    const before = (await newcomer.get('/api/leaderboard?around=me')).body
    expect([before.entries, before.me]).toEqual([[], null])
    const week = (await world.anonymous.get('/api/leaderboard?period=week')).body
    await newcomer.post('/api/user/onboarding', { profile: { displayName: 'Newcomer' } })
    expect(await dashboard(newcomer)).toMatchObject({
      profile: { displayName: 'Newcomer' },
      points: 100,
      rank: before.total + 1,
      recentPoints: [{ reason: 'onboarding', delta: 100 }],
    })
    const after = (await newcomer.get('/api/leaderboard?around=me')).body
    expect([after.total, after.me]).toMatchObject([before.total + 1, { displayName: 'Newcomer' }])
    expect(after.entries).toContainEqual(after.me)
    const nextWeek = (await world.anonymous.get('/api/leaderboard?period=week')).body
    expect(nextWeek.total).toBe(week.total + 1)
  })

  test('an onboarding of a fan who has a record and requested around=me before', async () => {
    const late = await patientFan(world, 5)
    expect((await late.get('/api/leaderboard?around=me')).body.entries).toEqual([])
    expect(await dashboard(late)).toMatchObject({ rank: null, points: 5 })
    await late.post('/api/user/onboarding', {})
    expect((await late.get('/api/leaderboard?around=me')).body.me).toMatchObject({ points: 105 })
    expect((await dashboard(late)).rank).toBeGreaterThan(0)
  })

  test('points earned and spent', async () => {
    const earned = await around(() => world.grant(fan, 50))
    expect(earned.after.dashboard.points).toBe(earned.before.dashboard.points + 50)
    expect(earned.after.entry.points).toBe(earned.before.entry.points + 50)
    expect(earned.after.weekly.points).toBe(earned.before.weekly.points + 50)
    expect(earned.after.me.points).toBe(earned.before.me.points + 50)
    const spent = await around(() => world.grant(fan, -50))
    expect(spent.after.dashboard.points).toBe(spent.before.dashboard.points - 50)
    expect(spent.after.dashboard.recentPoints[0]).toMatchObject({ delta: -50 })
    expect(spent.after.entry).toEqual(spent.before.entry)
  })

  test('points of another fan lower the caller’s rank', async () => {
    const rival = await patientFan(world)
    await rival.post('/api/user/onboarding', {})
    const { before, after } = await around(() => world.grant(rival, 1_000_000))
    expect(after.dashboard.rank).toBe(before.dashboard.rank + 1)
    expect(after.entry.rank).toBe(before.entry.rank + 1)
    expect(after.me.rank).toBe(before.me.rank + 1)
  })

  test('a claim and a redemption', async () => {
    const rewardId = await world.reward({ pointsRequired: 100 })
    world.clock.advance(1000)
    const claimed = await around(() => fan.post('/api/rewards/claim', { rewardId }))
    const { claimable } = claimed.before.dashboard.rewards
    expect(claimed.after.dashboard.rewards).toEqual({ claimable: claimable - 1, claimed: 1, redeemed: 0 })
    const redeemed = await around(() => fan.post('/api/rewards/redeem', { rewardId }))
    expect(redeemed.after.dashboard.rewards).toEqual({ claimable: claimable - 1, claimed: 0, redeemed: 1 })
  })

  test('the last item of a reward, claimed by another fan', async () => {
    const rewardId = await world.reward({ pointsRequired: 0, stockRemaining: 1 })
    world.clock.advance(1000)
    const rival = await patientFan(world, 1)
    const newcomer = await patientFan(world)
    const before = (await dashboard(newcomer)).rewards.claimable
    const own = await around(() => rival.post('/api/rewards/claim', { rewardId }))
    expect(own.after.dashboard.rewards.claimable).toBe(own.before.dashboard.rewards.claimable - 1)
    expect((await dashboard(newcomer)).rewards.claimable).toBe(before - 1)
  })

  test('a purchase, its opening and its refund', async () => {
    const packId = await addPack(world)
    let purchase: { id: string; userPack: { id: string } } = { id: '', userPack: { id: '' } }
    const bought = await around(async () => {
      purchase = await buy(fan, packId)
    })
    const { points, packs } = bought.before.dashboard
    expect(bought.after.dashboard).toMatchObject({
      points: points - 100,
      packs: { sealed: packs.sealed + 1, opened: packs.opened },
    })
    expect(bought.after.entry).toEqual(bought.before.entry)
    const opened = await around(() => open(fan, purchase.userPack.id))
    expect(opened.after.dashboard.packs).toEqual({ sealed: packs.sealed, opened: packs.opened + 1 })
    const refunded = await around(() => world.db.write(tx => refundPack(tx, purchase.id)))
    expect(refunded.after.dashboard.points).toBe(points)
    expect(refunded.after.entry).toEqual(bought.before.entry)

    const sealed = await buy(fan, packId)
    const revoked = await around(() => world.db.write(tx => refundPack(tx, sealed.id)))
    expect(revoked.before.dashboard.packs.sealed).toBe(packs.sealed + 1)
    expect(revoked.after.dashboard.packs.sealed).toBe(packs.sealed)
  })

  test('a pack without a price', async () => {
    const packId = await addPack(world, { price: { amount: 0, currency: 'POINTS' } })
    const { id } = expectStatus(201, await start(fan, packId))
    const { before, after } = await around(() => complete(fan, id))
    expect(after.dashboard.packs.sealed).toBe(before.dashboard.packs.sealed + 1)
  })

  test('a webhook delivery of the provider, and a sync', async () => {
    await fan.patch('/api/user/profile', { displayName: null, avatarUrl: null })
    world.clock.advance(60_000)
    const claims = { name: 'Renamed upstream', updated_at: Math.floor(world.clock.ms / 1000) }
    const { after } = await around(async () => {
      expect((await deliver(world, updated(world, fan.subject, claims))).status).toBe(204)
    })
    expect(after.dashboard.profile.displayName).toBe('Renamed upstream')
    for (const shown of [after.entry, after.weekly, after.me])
      expect(shown.displayName).toBe('Renamed upstream')

    world.clock.advance(60_000)
    await world.idp.handle(
      new Request(`http://localhost:4000/_mock/users/${fan.subject}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Renamed again' }),
      }),
    )
    const synced = await around(() => fan.post(`/api/user/sync-${world.config.identity.name}`))
    expect(synced.after.dashboard.profile.displayName).toBe('Renamed again')
    expect(synced.after.entry.displayName).toBe('Renamed again')
  })
})

onEachEngine('Tags of a unit of work', world => {
  const invalidated: string[] = []
  let fan: Fan
  let userId: string

  beforeAll(async () => {
    fan = await patientFan(world, 10)
    await fan.post('/api/user/onboarding', {})
    userId = (await userIdOf(world, fan)) ?? ''
    world.db.onInvalidate(tag => invalidated.push(tag))
  })

  const earn = (ref: string, fail = false) =>
    world.db.write(async tx => {
      await appendEntry(tx, { userId, delta: 1, reason: 'activity', ref })
      expect(invalidated).toEqual([])
      if (fail) throw new Error('rolled back')
    })

  test('are invalidated after the commit and before the response, when the write is visible', async () => {
    invalidated.length = 0
    const balances: Promise<number | undefined>[] = []
    const { pointsAccounts } = world.db.tables
    let listening = true
    world.db.onInvalidate(() => {
      if (!listening) return
      const rows = world.db.read.select().from(pointsAccounts).where(eq(pointsAccounts.userId, userId))
      balances.push(Promise.resolve(rows).then(([row]) => row?.balance))
    })
    const before = (await fan.get('/api/user/points')).body.balance
    await earn('committed')
    listening = false
    expect(new Set(invalidated)).toEqual(new Set(['board all', 'board 2026-08', 'board 2026-W33']))
    expect(new Set(await Promise.all(balances))).toEqual(new Set([before + 1]))
  })

  test('are not invalidated by a rollback, and cached responses stay', async () => {
    const read = async () => [
      (await fan.get('/api/dashboard')).body,
      (await world.anonymous.get('/api/leaderboard')).body,
    ]
    const before = await read()
    const warm = await countQueries(world.db, read)
    invalidated.length = 0
    await expect(earn('rolled back', true)).rejects.toThrow('rolled back')
    expect(invalidated).toEqual([])
    const again = async () => expect(await read()).toEqual(before)
    expect(await countQueries(world.db, again)).toBe(warm)
  })

  test('are not invalidated by a refused request: an invalid profile, a claim without enough points', async () => {
    const rewardId = await world.reward({ pointsRequired: 1_000_000 })
    invalidated.length = 0
    const teamless = await fan.patch('/api/user/profile', {
      displayName: 'X',
      favoriteTeamId: 'no-such-team',
    })
    expect(teamless.status).toBe(422)
    expect((await fan.post('/api/rewards/claim', { rewardId })).status).toBe(409)
    expect(invalidated).toEqual([])
  })

  test('are invalidated once by a unit of work that is retried', async () => {
    invalidated.length = 0
    let tries = 0
    const tag = `tried ${world.db.engine}`
    await world.db.write(async tx => {
      tx.invalidate(tag)
      // The error of PostgreSQL for a deadlock: the unit of work runs again.
      if (world.db.engine === 'postgres' && ++tries === 1)
        throw Object.assign(new Error('deadlock detected'), {
          errno: '40P01',
          code: 'ERR_POSTGRES_SERVER_ERROR',
        })
    })
    expect(invalidated).toEqual([tag])
  })
})

onEachEngine('Concurrent readers', world => {
  const queries = (read: () => Promise<unknown>) => countQueries(world.db, read)
  const hundred = (read: () => Promise<unknown>) => () => Promise.all(Array.from({ length: 100 }, read))

  test('compute the leaderboard once, for a hundred of them', async () => {
    for (let n = 0; n < 3; n++) await (await patientFan(world)).post('/api/user/onboarding', {})
    const read = () => world.anonymous.get('/api/leaderboard')
    await read()
    world.clock.advance(1000)
    const cold = await queries(read)
    expect(cold).toBeGreaterThan(1)
    expect(await queries(read)).toBe(0)
    world.clock.advance(1000)
    expect(await queries(hundred(read))).toBe(cold)
  })

  test('fail with a failing database, and later readers do not', async () => {
    world.clock.advance(1000)
    const broken = spyOn(world.db.read.statements, 'get').mockImplementation(() => {
      throw new Error('the database is away')
    })
    const answers = await Promise.all([1, 2, 3].map(() => world.anonymous.get('/api/leaderboard')))
    broken.mockRestore()
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 500])
    expect((await world.anonymous.get('/api/leaderboard')).status).toBe(200)
  })
})
