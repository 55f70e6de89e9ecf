/** Accounts: what rules and grants pay into them, in which season it counts, and the tiers that fans reach and lose. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { segmentKind } from '../../../src/club/segments/segment-kind.ts'
import { accountKind } from '../../../src/economy/accounts/account-kind.ts'
import { findWrongAccounts } from '../../../src/economy/accounts/audit.ts'
import { settleAccounts } from '../../../src/economy/accounts/settle.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { voidEvent } from '../../../src/economy/events/void-event.ts'
import { grantPoints } from '../../../src/economy/points/grants.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { rewardKind } from '../../../src/play/rewards/reward-kind.ts'
import { addReward, blockersOf, claim } from '../../play/eligibility/eligibility-world.ts'
import { expectStatus, patientFan, refusal } from '../../play/packs/packs-world.ts'
import { addQuest, happen, userIdOf } from '../../play/quests/quests-world.ts'
import { readToldEvents } from '../../support/told-events.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { addAccount, addAccountRule, addSeasons, DAY } from './accounts-world.ts'

let made = 0

onEachEngine('An account', world => {
  async function setUp(entry: Parameters<typeof addAccount>[1] = {}) {
    if ((await world.db.read.select().from(world.db.tables.seasons)).length === 0) await addSeasons(world)
    const account = await addAccount(world, entry)
    const type = await addAccountRule(world, account)
    const fan = await patientFan(world)
    const userId = await userIdOf(world, fan)
    /** Earns points `days` ago. */
    const earn = async (points: number, { days = 0, of = userId } = {}) => {
      const eventId = `event-${++made}`
      const occurredAt = new Date(world.clock.ms - days * DAY)
      await world.db.write(tx =>
        writeEvent(tx, { source: 'gate', eventId, userId: of, type, occurredAt, data: { points } }),
      )
      return eventId
    }
    const take = (eventId: string) => world.db.write(tx => voidEvent(tx, { source: 'gate', eventId }))
    const shown = async (of: Fan = fan) => {
      const { accounts } = expectStatus(200, await of.get('/api/user/accounts'))
      return accounts.find(({ id }: { id: string }) => id === account)
    }
    const told = async () => {
      const isTheirs = eq(world.db.tables.events.userId, userId)
      const events = await readToldEvents(world.db.read, isTheirs)
      return events.flatMap(({ type, data }) =>
        type?.startsWith('tier.') ? [`${type.slice(5)} ${JSON.parse(data ?? '').tierId}`] : [],
      )
    }
    const check = async () => expect(await findWrongAccounts(world.db.read, { only: userId })).toEqual([])
    return { account, fan, userId, type, earn, take, shown, told, check }
  }

  test('stays, with its tiers, while active entries name it', async () => {
    const id = await addAccount(world)
    const tiers = [{ id: 'silver', name: 'Silver', from: 100 }]
    const silver = { id, name: `Account ${id}`, unit: 'points', window: { seasons: 1 }, public: true, tiers }
    const save = (entry: object) => world.db.write(tx => accountKind.upsert(tx, { ...silver, ...entry }))
    const refused = (pointer: string, message: string) => ({
      code: 'catalogue_conflict',
      explanation: { errors: [{ pointer, message }] },
    })
    const rewardId = await addReward(world, { tier: { account: id, atLeast: 'gold' } })
    await expect(save({})).rejects.toMatchObject(
      refused('/tiers', `must have gold: named by reward ${rewardId}`),
    )
    const off = refused('/active', `must stay true: named by reward ${rewardId}`)
    await expect(
      save({ tiers: [...tiers, { id: 'gold', name: 'Gold', from: 200 }], active: false }),
    ).rejects.toMatchObject(off)
    await expect(world.db.write(tx => accountKind.deactivate(tx, id))).rejects.toMatchObject(off)
    await world.db.write(tx => rewardKind.deactivate(tx, rewardId))
    await save({})
    const when = [{ fact: `tier.${id}`, op: 'eq' as const, value: 'silver' }]
    await world.db.write(tx => segmentKind.upsert(tx, { id: `of-${id}`, name: 'Silver', when }))
    await expect(save({ tiers: [] })).rejects.toMatchObject(
      refused('/tiers', `must have silver: named by segment of-${id}`),
    )
    await world.db.write(tx => segmentKind.deactivate(tx, `of-${id}`))
    await save({ active: false })
  })

  test('keeps what a rule pays, by season, apart from the points that fans spend', async () => {
    const { fan, account, earn, shown, check } = await setUp({ window: { seasons: 2 } })
    await earn(30)
    await earn(50, { days: 20 })
    await earn(7, { days: 200 })
    expect(await shown()).toMatchObject({
      // Before the first season counts for it.
      total: 87,
      seasons: [
        { seasonId: 'this', total: 30 },
        { seasonId: 'last', total: 57 },
      ],
      tier: null,
      next: { tier: { id: 'silver', name: 'Silver' }, missing: 13 },
    })
    expect((await fan.get('/api/user/points')).body).toMatchObject({ balance: 0, lifetime: 0 })
    const { entries } = expectStatus(200, await fan.get(`/api/user/accounts/${account}/entries?limit=2`))
    expect(entries).toMatchObject([
      {
        seq: 3,
        delta: 7,
        seasonId: 'last',
        explanation: { kind: 'rule', name: 'Attended', takesBack: false },
      },
      { seq: 2, delta: 50, balanceAfter: 80 },
    ])
    await check()
  })

  test('counts the running season alone, or as many as its window', async () => {
    const { earn, shown } = await setUp()
    await earn(30)
    await earn(50, { days: 20 })
    expect(await shown()).toMatchObject({ total: 30 })
    const all = await setUp({ window: null })
    await all.earn(30)
    await all.earn(50, { days: 200 })
    expect(await all.shown()).toMatchObject({ total: 80 })
  })

  test('gives a tier at once, told once, and takes it back with the entry that raised it', async () => {
    const { earn, take, shown, told, check } = await setUp()
    await earn(90)
    const raised = await earn(20)
    expect(await shown()).toMatchObject({
      total: 110,
      tier: { id: 'silver', benefits: ['Early entry'], until: null },
    })
    await earn(5)
    expect(await told()).toEqual(['reached silver'])
    await take(raised)
    expect(await shown()).toMatchObject({ total: 95, tier: null })
    await take(raised)
    await earn(200)
    expect(await told()).toEqual(['reached silver', 'lost silver', 'reached gold'])
    await check()
  })

  test('falls after its season, with days of grace, told as at risk before', async () => {
    const { earn, shown, told, check } = await setUp()
    await earn(150)
    await settleAccounts(world)
    expect(await told()).toEqual(['reached silver'])
    world.clock.advance(65 * DAY)
    await Promise.all([settleAccounts(world), settleAccounts(world)])
    await settleAccounts(world)
    expect(await told()).toEqual(['reached silver', 'at_risk silver'])
    world.clock.advance(26 * DAY)
    // Before the task has run.
    expect(await shown()).toMatchObject({ total: 0, tier: { id: 'silver' } })
    await settleAccounts(world)
    const graced = await shown()
    expect(graced).toMatchObject({ total: 0, tier: { id: 'silver' } })
    expect(graced.tier.until).not.toBeNull()
    await check()
    world.clock.advance(10 * DAY)
    expect(await shown()).toMatchObject({ tier: null })
    await settleAccounts(world)
    await settleAccounts(world)
    expect(await told()).toEqual(['reached silver', 'at_risk silver', 'lost silver'])
    await check()
    world.clock.advance(-101 * DAY)
  })

  test('settles each fan once when the catalogue changes meanwhile', async () => {
    const { account, earn } = await setUp()
    const silverFrom = (from: number) =>
      addAccount(world, { id: account, tiers: [{ id: 'silver', name: 'Silver', from }] })
    await earn(150)
    await settleAccounts(world)
    await silverFrom(120)
    let writes = 0
    const db = Object.assign(Object.create(world.db), {
      write: async (work: Parameters<typeof world.db.write>[0]) => {
        if (++writes === 1) await silverFrom(130)
        return world.db.write(work)
      },
    })
    expect(await settleAccounts({ db }, () => writes > 20)).toBe(1)
  })

  test('keeps a lower tier for its days of grace where the higher one has none', async () => {
    const { earn, shown, told } = await setUp()
    await earn(250)
    world.clock.advance(91 * DAY)
    await settleAccounts(world)
    expect((await shown()).tier).toMatchObject({ id: 'silver', until: expect.any(String) })
    world.clock.advance(10 * DAY)
    await settleAccounts(world)
    expect((await shown()).tier).toBeNull()
    expect(await told()).toEqual(['reached gold', 'lost gold', 'lost silver'])
    world.clock.advance(-101 * DAY)
  })

  test('loses a tier within its days of grace with the entries that it rests on, and no other', async () => {
    const { earn, take, shown, told, check } = await setUp()
    const rested = await earn(120)
    await earn(20)
    world.clock.advance(91 * DAY)
    await settleAccounts(world)
    const other = await earn(30)
    await take(other)
    expect((await shown()).tier).toMatchObject({ id: 'silver' })
    await take(rested)
    expect((await shown()).tier).toBeNull()
    expect(await told()).toEqual(['reached silver', 'lost silver'])
    await check()
    world.clock.advance(-91 * DAY)
  })

  test('tells a change once, also if a repeat reads the fan before the task does', async () => {
    const { account, userId, earn, told } = await setUp({
      tiers: [{ id: 'silver', name: 'Silver', from: 100 }],
    })
    await earn(120)
    const grant = { fan: { userId }, delta: 5, ref: `repeated-${++made}`, account }
    const give = () => world.db.write(tx => grantPoints(tx, { source: 'desk', provider: '' }, grant))
    await give()
    world.clock.advance(91 * DAY)
    expect((await give()).created).toBe(false)
    expect(await told()).toEqual(['reached silver'])
    await settleAccounts(world)
    await settleAccounts(world)
    expect(await told()).toEqual(['reached silver', 'lost silver'])
    world.clock.advance(-91 * DAY)
  })

  test('shows tiers in the profile and the dashboard, and those of public accounts on the page of the fan', async () => {
    const { fan, account, userId, earn } = await setUp()
    const hidden = await addAccount(world, { public: false })
    await earn(120)
    const grant = { fan: { userId }, delta: 250, ref: `hidden-${++made}`, account: hidden }
    await world.db.write(tx => grantPoints(tx, { source: 'desk', provider: '' }, grant))
    const handle = `tiers_${made}`
    const silver = { account, id: 'silver', name: 'Prata' }
    const own = [silver, { account: hidden, id: 'gold', name: 'Gold' }].toSorted((a, b) =>
      a.account < b.account ? -1 : 1,
    )
    expect(expectStatus(200, await fan.patch('/api/user/profile?lang=pt', { handle })).tier).toEqual(own)
    for (const path of ['/api/user/profile', '/api/dashboard'])
      expect(expectStatus(200, await fan.get(`${path}?lang=pt`)).tier).toEqual(own)
    const page = async () => expectStatus(200, await world.anonymous.get(`/api/fans/${handle}?lang=pt`))
    expect((await page()).tier).toEqual([silver])
    expectStatus(200, await fan.patch('/api/user/privacy', { profile: 'private' }))
    expect((await page()).tier).toEqual([])
  })

  test('is required by tier', async () => {
    const { fan, account, earn } = await setUp()
    const tier = { account, atLeast: 'silver' }
    const rewardId = await addReward(world, { tier })
    expect(await blockersOf(fan, rewardId)).toEqual(['tier_required'])
    expect((await claim(fan, rewardId)).body).toMatchObject({ code: 'tier_required', tier })
    await earn(250)
    expect(await blockersOf(fan, rewardId)).toEqual([])
    expectStatus(200, await claim(fan, rewardId))
  })

  test('takes grants by reference and rewards of quests', async () => {
    const { fan, account, userId, shown, check } = await setUp()
    const desk = world.withToken(await world.serverKey(['points:write'], { source: `desk-${++made}` }))
    const grant = { fan: { userId }, delta: 40, ref: `moved-${made}`, account }
    expectStatus(201, await desk.post('/api/points/grants', grant))
    expectStatus(200, await desk.post('/api/points/grants', grant))
    expect(refusal(await desk.post('/api/points/grants', { ...grant, delta: 41 }))).toEqual([
      409,
      'ref_reused',
    ])
    const { account: _, ...spendable } = grant
    expect(refusal(await desk.post('/api/points/grants', spendable))).toEqual([409, 'ref_reused'])
    expect(refusal(await desk.post('/api/points/grants', { ...grant, account: 'unknown' }))).toEqual([
      404,
      'account_not_found',
    ])
    expect(refusal(await desk.post('/api/points/grants', { ...grant, delta: -41, ref: 'x' }))).toEqual([
      409,
      'insufficient_points',
    ])
    const quest = await addQuest(world, { reward: { points: 7, account } })
    await happen(world, fan, quest.type)
    expect(await shown()).toMatchObject({ total: 47 })
    await check()
    const found: string[] = []
    await verifyQuests(world.db, { onFinding: ({ what }) => void found.push(what) })
    expect(found).toEqual([])
    const unknown = addQuest(world, { reward: { points: 7, account: 'no-such-account' } })
    const pointer = await unknown.then(
      () => null,
      error => error.explanation?.errors?.[0]?.pointer,
    )
    expect(pointer).toBe('/reward/account')
  })

  test('is carried over by a merge, in its seasons, and taken back of the fan who remains', async () => {
    const { account, userId: from, earn, take } = await setUp({ window: { seasons: 2 } })
    const into = await patientFan(world)
    const to = await userIdOf(world, into)
    await earn(60, { days: 20 })
    const late = await earn(50)
    await earn(5, { of: to })
    await world.db.write(tx => mergeFans(tx, { from, into: to, mergedBy: 'Ana', reason: null }))
    const of = async () => {
      const { accounts } = expectStatus(200, await into.get('/api/user/accounts'))
      return accounts.find(({ id }: { id: string }) => id === account)
    }
    expect(await of()).toMatchObject({
      total: 115,
      tier: { id: 'silver' },
      seasons: [{ total: 55 }, { total: 60 }],
    })
    await take(late)
    expect(await of()).toMatchObject({ total: 65, tier: null })
    expect(await exportUser(world.db.read, { id: to })).toMatchObject({
      accounts: { accounts: [{ balance: 65 }] },
    })
    for (const only of [from, to]) expect(await findWrongAccounts(world.db.read, { only })).toEqual([])
  })

  test('has bands of at least five fans, for anyone if it is public', async () => {
    const { account, type } = await setUp()
    const hidden = await addAccount(world, { public: false })
    expect(refusal(await world.anonymous.get(`/api/accounts/${hidden}/bands`))).toEqual([
      404,
      'account_not_found',
    ])
    for (const points of [3, 3, 4, 90, 91, 92, 93, 94, 95]) {
      const userId = await userIdOf(world, await patientFan(world))
      const event = { source: 'gate', eventId: `band-${++made}`, userId, type, occurredAt: world.clock.now() }
      await world.db.write(tx => writeEvent(tx, { ...event, data: { points } }))
    }
    const { fans, bands } = expectStatus(200, await world.anonymous.get(`/api/accounts/${account}/bands`))
    expect(fans).toBe(9)
    for (const band of bands) expect(band.fans).toBeGreaterThanOrEqual(5)
    expect(bands[0].from).toBeLessThanOrEqual(3)
    expect(bands.at(-1).to).toBeGreaterThanOrEqual(95)
    expect(bands.reduce((sum: number, band: { fans: number }) => sum + band.fans, 0)).toBe(fans)
  })

  test('is verified with all else', async () => {
    const findings: unknown[] = []
    await verifyLedger(world.db, { onFinding: finding => findings.push(finding) })
    expect(findings).toEqual([])
  })
})

onEachEngine('The instant at which a season ends', world => {
  test('is of the next season, and the task at that instant tells each change once', async () => {
    await addSeasons(world)
    const tiers = [{ id: 'silver', name: 'Silver', from: 100, graceDays: 10 }]
    const account = await addAccount(world, { tiers })
    const type = await addAccountRule(world, account)
    const fan = await patientFan(world)
    const userId = await userIdOf(world, fan)
    const end = world.clock.ms + 90 * DAY
    const earn = (points: number, at: number) => {
      const event = { source: 'gate', eventId: `instant-${++made}`, userId, type }
      return world.db.write(tx => writeEvent(tx, { ...event, occurredAt: new Date(at), data: { points } }))
    }
    const shown = async () =>
      expectStatus(200, await fan.get('/api/user/accounts')).accounts.map(
        ({ total, tier }: { total: number; tier: { id: string; until: string | null } | null }) => [
          total,
          tier && [tier.id, tier.until && Date.parse(tier.until)],
        ],
      )
    const settleTwice = () => Promise.all([settleAccounts(world), settleAccounts(world)])

    world.clock.advance(90 * DAY - 1)
    await earn(60, world.clock.ms)
    await earn(40, world.clock.ms)
    expect(await shown()).toEqual([[100, ['silver', null]]])
    world.clock.advance(1)
    await settleTwice()
    expect(await shown()).toEqual([[0, ['silver', end + 10 * DAY]]])
    await earn(30, end)
    // A result of the season before that arrives late.
    await earn(500, end - 1)
    expect(await shown()).toEqual([[30, ['silver', end + 10 * DAY]]])
    world.clock.advance(10 * DAY - 1)
    await settleTwice()
    expect(await shown()).toEqual([[30, ['silver', end + 10 * DAY]]])
    world.clock.advance(1)
    expect(await shown()).toEqual([[30, null]])
    await settleTwice()
    expect(await shown()).toEqual([[30, null]])
    const told = await readToldEvents(world.db.read, eq(world.db.tables.events.userId, userId))
    const types = told.flatMap(({ type }) => (type?.startsWith('tier.') ? [type] : []))
    expect(types).toEqual(['tier.reached', 'tier.lost'])
    expect(await findWrongAccounts(world.db.read, { only: userId })).toEqual([])
  })
})
