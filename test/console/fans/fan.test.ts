/** One fan in the console: the head, the timeline in words, the explanation of an event, and what each role sees. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { APPLICATION, applicationEvents } from '../../../src/economy/events/types.ts'
import { grantPoints } from '../../../src/economy/points/grants.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { addRule, unique } from '../../economy/rules/rules-world.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import { addPack, buy, expectStatus, FREE, open } from '../../play/packs/packs-world.ts'
import {
  addCompetition,
  addMatch,
  addPredictor,
  HOUR,
  predict,
  settleAll,
} from '../../play/predictions/match-world.ts'
import { addStock, buyWithMoney } from '../../play/shop/orders-world.ts'
import { drawnItem, offer } from '../../play/trades/trades-world.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { consoleOf } from '../support.ts'

interface Item {
  kind: string
  title: string
  detail: string | null
  state: string | null
  points: number | null
  facts: { name: string; value: string }[]
  event: { source: string; eventId: string } | null
}

/** Without the isolates around names. */
const plain = (text: string) => text.replace(/[\u2068\u2069]/g, '')

onEachEngine('A fan in the console', world => {
  const { as } = consoleOf(world)
  let fan: NamedFan
  let id: string
  let shop: Client
  let type: string
  let orderId: string
  beforeAll(async () => {
    fan = await namedFan(world)
    id = (await fan.get('/api/user/profile')).body.id
    await fan.post('/api/user/onboarding', { profile: { displayName: 'Ana Ruiz' } })
    world.clock.advance(1_000)
    const claims = {
      updated_at: Math.floor(world.clock.ms / 1_000),
      name: 'Ana Maria Ruiz',
      email: 'ana@x.io',
    }
    await deliver(world, updated(world, fan.subject, claims))
    type = unique('shop.purchase')
    const ruleId = unique('rule')
    await addRule(world, { id: ruleId, name: 'Buy in the shop', eventType: type, points: { fixed: 25 } })
    await addRule(world, {
      ...{ id: unique('rule'), name: 'Big spender', eventType: type },
      when: [{ path: '/amount', op: 'gte', value: 10_000 }],
    })
    shop = world.withToken(await world.serverKey(['events:write'], { source: 'shop' }))
    await shop.post('/api/events', {
      events: [
        {
          ...{ id: 'sale/1', type, fan: { userId: id }, data: { amount: 500, card: 'secret-4711' } },
          occurredAt: world.clock.now().toISOString(),
        },
      ],
    })
    await world.db.write(tx =>
      grantPoints(
        tx,
        { source: 'operator', provider: 'mock-idp' },
        { fan: { userId: id }, delta: 40, ref: unique('grant'), note: 'A late bus' },
      ),
    )
    const rewardId = await world.reward({ title: 'Signed shirt', pointsRequired: 0 })
    await fan.post('/api/rewards/claim', { rewardId })
    await fan.post('/api/rewards/redeem', { rewardId })
    const packId = await addPack(world, { price: FREE, itemsPerPack: 1 })
    await open(fan, (await buy(fan, packId)).userPack.id)
    const productId = await addStock(world, 5, {
      name: 'Home shirt',
      price: { amount: 500, currency: 'EUR' },
    })
    orderId = (await buyWithMoney(fan, productId)).id
    const other = await namedFan(world)
    expectStatus(201, await offer(fan, other.handle, [await drawnItem(world, fan)]))
    await world.db.write(tx =>
      recordDecision(tx, {
        fanId: id,
        kind: 'mute',
        reason: 'spam',
        decidedBy: 'Moderator Mo',
        note: 'Links',
      }),
    )
  })

  const get = async (path: string, role: Parameters<typeof as>[0] = 'support') =>
    expectStatus(200, await as(role).get(`/api/fans/${id}${path}`))
  const timeline = async (query = '', role: Parameters<typeof as>[0] = 'support'): Promise<Item[]> =>
    (await get(`/timeline?limit=100${query}`, role)).items
  const titles = async (kind: string, role?: Parameters<typeof as>[0]) =>
    (await timeline(`&kind=${kind}`, role)).map(({ title }) => plain(title))

  test('the head has the main facts about the fan', async () => {
    const head = await get('')
    expect(head).toMatchObject({
      ...{ id, handle: fan.handle, displayName: 'Ana Ruiz', states: ['muted'] },
      identity: { name: 'Ana Maria Ruiz', email: 'ana@x.io' },
      points: { balance: 165, lifetime: 165 },
      leaderboard: { rank: expect.any(Number), leftAt: null },
      sanctions: [{ kind: 'mute', reason: 'spam', decidedBy: 'Moderator Mo' }],
      blockers: [{ code: 'muted' }],
      privacy: { profile: 'public' },
    })
    expect(head.counts).toMatchObject({
      ...{ rewardsClaimed: 1, rewardsRedeemed: 1, packsOpened: 2, packsSealed: 0, items: 2 },
      ...{ orders: 1, openTrades: 1, openReports: 0 },
    })
    expect(Date.parse(head.lastEventAt)).toBeGreaterThan(Date.parse(head.createdAt))
  })

  test('the timeline describes what happened', async () => {
    const [sale] = await timeline('&kind=events').then(items =>
      items.filter(({ event }) => event?.source === 'shop'),
    )
    expect(plain(sale?.title ?? '')).toBe(
      `Shop ${type.slice('shop.'.length).replaceAll('-', ' ')}, reported by shop`,
    )
    expect(plain(sale?.detail ?? '')).toBe('Rule “Buy in the shop” granted 25 points.')
    expect(await titles('rewards')).toEqual([
      'Redeemed the reward “Signed shirt”',
      'Claimed the reward “Signed shirt”',
    ])
    expect(await titles('orders')).toEqual(['Paid an order', 'Placed an order of 1 unit'])
    expect((await timeline('&kind=orders')).map(({ detail }) => plain(detail ?? ''))).toEqual([
      '1 × Home shirt',
      '1 × Home shirt',
    ])
    expect(await titles('moderation')).toEqual(['Muted by the club'])
    const points = await titles('points')
    expect(points[0]).toBe('Granted by the club')
    expect(points).toContain('Rule “Buy in the shop”')
    expect((await titles('trades'))[0]).toMatch(/^Offered a gift to “Name of /)
    expect((await titles('packs'))[0]).toMatch(/^Opened the pack “/)
  })

  test('a prediction is told with its match and its result', async () => {
    const { matchId, finish } = await addMatch(world)
    const predictor = await addPredictor(world, matchId, 2, 1)
    world.clock.advance(2 * HOUR)
    await finish(2, 1)
    await settleAll(world)
    const { id: predictorId } = (await predictor.get('/api/user/profile')).body
    const told = async (path: string) =>
      expectStatus(200, await as('support').get(`/api/fans/${predictorId}${path}`))
    const { items } = await told('/timeline?kind=events')
    expect(items.map(({ title }: Item) => plain(title))).toContainEqual(
      expect.stringMatching(/^Predicted 2:1 for team-\S+ – team-\S+, which ended 2:1$/),
    )
    const { entries } = await told('/points')
    expect(plain(entries[0].title)).toMatch(/^Prediction of team-\S+ – team-\S+$/)
  })

  test('a prediction is told with what the crowd and a joker did to its points', async () => {
    const points = { exact: 40, difference: 20, outcome: 10 }
    const competition = await addCompetition(world, { joker: 1, crowd: true, points })
    const { matchId, finish } = await addMatch(world, { competition })
    const predictor = await addPredictor(world, matchId, 2, 1)
    await predict(predictor, matchId, 2, 1, true)
    await addPredictor(world, matchId, 0, 1)
    world.clock.advance(2 * HOUR)
    await finish(4, 1)
    await settleAll(world)
    const { id } = (await predictor.get('/api/user/profile')).body
    const { items } = expectStatus(200, await as('support').get(`/api/fans/${id}/timeline?kind=events`))
    expect(items.map(({ detail }: Item) => detail)).toContain(
      '5 points more, since other fans chose another outcome; doubled by a joker.',
    )
  })

  test('the timeline shows what is still known about an event whose data was deleted', async () => {
    const old = await namedFan(world)
    const { id: oldId } = (await old.get('/api/user/profile')).body
    const { events } = world.db.tables
    const at = world.clock.now()
    const rows = Object.keys(applicationEvents).map((type, nth) => ({
      ...{ source: APPLICATION, eventId: unique(type), userId: oldId, sequence: 1_000 + nth, type },
      ...{ occurredAt: at, recordedAt: at, data: null },
    }))
    await world.db.write(tx => tx.insert(events).values(rows))
    const { items } = expectStatus(200, await as('support').get(`/api/fans/${oldId}/timeline?limit=100`))
    const shown: string[] = items.map(({ title }: Item) => plain(title))
    expect(shown.filter(title => /unknown|undefined|dismissed|refused/.test(title))).toEqual([])
    expect(shown).toContain('The club decided an appeal')
    expect(items.filter(({ isBare }: { isBare: boolean }) => isBare).length).toBeGreaterThan(10)
  })

  test('an event is explained rule by rule', async () => {
    const query = `source=shop&eventId=${encodeURIComponent('sale/1')}`
    const explained = await get(`/event?${query}`)
    expect(explained).toMatchObject({ type, granted: 25, voidedAt: null, taken: null })
    expect(explained.rules.map(({ name, words }: { name: string; words: string }) => [name, words])).toEqual([
      ['Buy in the shop', 'granted 25 points'],
      ['Big spender', 'nothing: /amount is 500, must be gte 10000'],
    ])
    expect(JSON.parse(explained.data)).toEqual({ amount: 500, card: 'secret-4711' })
    const other = await namedFan(world)
    const otherId = (await other.get('/api/user/profile')).body.id
    expect((await as('support').get(`/api/fans/${otherId}/event?${query}`)).body.code).toBe('event_not_found')
  })

  test('points, cards and the record are lists of their own', async () => {
    const { entries } = await get('/points')
    expect(entries[0]).toMatchObject({
      title: 'Granted by the club',
      note: expect.stringContaining('A late bus'),
      delta: 40,
    })
    expect((await get('/points', 'finance')).entries[0]).toMatchObject({ note: null })
    const titled = entries.map(({ title }: { title: string }) => plain(title))
    expect(titled).toContain('Completed the onboarding')
    expect(titled).toContain('Rule “Buy in the shop”')
    expect((await get('/cards')).items).toHaveLength(2)
    const record = await get('/record')
    expect(record.user).toMatchObject({ id, handle: fan.handle, displayName: 'Ana Ruiz' })
    expect(record.identity).toMatchObject({ email: 'ana@x.io' })
    expect(JSON.stringify(record)).not.toMatch(/nameKey|emailKey|emailHash"/)
  })

  describe('a role without fans.personal', () => {
    test('sees masked names and addresses, and neither codes, notes nor data of events', async () => {
      const head = await get('', 'finance')
      expect(head.identity).toMatchObject({ name: 'A. M. R.', email: 'a…@x.io' })
      const all = JSON.stringify([
        ...(await timeline('', 'finance')),
        await get('/record', 'finance'),
        await get('/event?source=shop&eventId=sale%2F1', 'finance'),
      ])
      const { userRewards } = world.db.tables
      const [claim] = await world.db.read.select().from(userRewards).where(eq(userRewards.userId, id))
      for (const secret of [
        'ana@x.io',
        'Ana Maria',
        'A late bus',
        'secret-4711',
        claim?.redemptionCode ?? '?',
      ])
        expect([secret, all.includes(secret)]).toEqual([secret, false])
      const full = JSON.stringify(await timeline())
      for (const shown of ['A late bus', claim?.redemptionCode ?? '?']) expect(full).toContain(shown)
    })

    test('does not see who decided without moderation.read', async () => {
      expect(JSON.stringify([await get('', 'finance'), await timeline('', 'finance')])).not.toMatch(
        /Moderator Mo|Links/,
      )
      expect(JSON.stringify(await timeline('', 'moderator'))).toMatch(/Links.*Moderator Mo/)
    })
  })

  test('a cursor is of one fan and one filter', async () => {
    const { nextCursor } = await get('/timeline?limit=1')
    const other = await namedFan(world)
    const otherId = (await other.get('/api/user/profile')).body.id
    const cursor = `cursor=${nextCursor}`
    expect((await get(`/timeline?limit=1&${cursor}`)).items).toHaveLength(1)
    for (const path of [`${otherId}/timeline?${cursor}`, `${id}/timeline?kind=points&${cursor}`])
      expect((await as('support').get(`/api/fans/${path}`)).body.code).toBe('invalid_cursor')
  })

  test('an unknown fan is not found', async () => {
    for (const path of ['', '/timeline', '/points', '/cards', '/record'])
      expect((await as('owner').get(`/api/fans/nobody${path}`)).body.code).toBe('fan_not_found')
  })

  test('the remaining data of an erased fan is shown', async () => {
    const gone = await namedFan(world)
    const goneId = (await gone.get('/api/user/profile')).body.id
    await gone.post('/api/user/onboarding', {})
    await world.db.write(tx => eraseUser(tx, { provider: 'mock-idp', subject: gone.subject }))
    const head = expectStatus(200, await as('support').get(`/api/fans/${goneId}`))
    expect(head).toMatchObject({
      states: ['erased'],
      subject: null,
      handle: null,
      blockers: [{ code: 'erased' }],
    })
    const { items } = expectStatus(200, await as('support').get(`/api/fans/${goneId}/timeline`))
    expect(items.map(({ title }: Item) => title)).toContain('Completed the onboarding')
  })

  test('the order of the fan is named in the timeline', async () => {
    const facts = (await timeline('&kind=orders')).flatMap(({ facts }) => facts)
    expect(facts).toContainEqual({ name: 'Order', value: orderId, format: 'id' } as (typeof facts)[number])
  })
})
