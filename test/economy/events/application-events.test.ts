/** Events of the application: which verb records which event, once, with data that fits its schema. */
import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { asc, eq } from 'drizzle-orm'
import { applicationEvents, isReservedType } from '../../../src/economy/events/types.ts'
import { addPack, buy, expectStatus, open, patientFan, userIdOf } from '../../play/packs/packs-world.ts'
import { refundPack } from '../../play/packs/refund-pack.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'

const isApplicationEvent = (type: string): type is keyof typeof applicationEvents =>
  Object.hasOwn(applicationEvents, type)

async function eventsOf(world: World, fan: Fan) {
  const { events } = world.db.tables
  const userId = (await userIdOf(world, fan)) ?? ''
  return world.db.read.select().from(events).where(eq(events.userId, userId)).orderBy(asc(events.sequence))
}

/** Type and data of the events of a fan, in their order, without entries of the ledger. Checks what all of them have in common. */
async function toldOf(world: World, fan: Fan) {
  const rows = await eventsOf(world, fan)
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, at) => at + 1))
  const told = rows.map(({ source, type, data, occurredAt, recordedAt }) => {
    expect(source).toBe('matchday')
    expect(occurredAt).toEqual(recordedAt)
    const parsed = JSON.parse(data ?? 'null')
    if (type === null || !isApplicationEvent(type)) throw new Error(`${type} is not in the list of events`)
    expect([type, [...Value.Errors(applicationEvents[type], parsed)]]).toEqual([type, []])
    return [type, parsed]
  })
  return told.filter(([type]) => type !== 'points.changed')
}

const WHOLE = {
  displayName: 'Ada',
  avatarUrl: 'https://images.example.com/ada.png',
  bio: 'North stand.',
  country: 'GB',
  locale: 'en-GB',
}

test.each([
  ...Object.keys(applicationEvents),
  ...['match.updated', 'order.paid', 'order.refunded', 'points.changed'],
  ...['wallet.linked', 'trade.completed', 'cash.topped_up', 'reward.expired', 'webhook.test'],
])('%s is reserved for the application', type => expect(isReservedType(type)).toBe(true))

test.each([
  ...['shop.purchase', 'shop.order.paid', 'ticket.scanned', 'stadium.entered', 'match.attended'],
  ...['orders.paid', 'ordering.begun'],
])('%s can be reported by a server key', type => expect(isReservedType(type)).toBe(false))

onEachEngine('An event of the application', world => {
  test('is recorded when a fan completes the onboarding, once', async () => {
    const fan = await patientFan(world)
    for (const _ of [1, 2]) expectStatus(200, await fan.post('/api/user/onboarding', {}))
    expect(await toldOf(world, fan)).toEqual([['onboarding.completed', { points: 100 }]])
  })

  test('is recorded when the last field of a profile gets its value, and never again', async () => {
    const [fan, favoriteTeamId] = [await patientFan(world), await world.team()]
    const write = (change: object) => fan.post('/api/user/profile', change)
    expectStatus(201, await write({ ...WHOLE, handle: `h${crypto.randomUUID().slice(0, 8)}` }))
    expect(await toldOf(world, fan)).toEqual([])
    for (const bio of ['East stand.', null, 'West stand.'])
      expectStatus(200, await write({ favoriteTeamId, bio }))
    expect(await toldOf(world, fan)).toEqual([['profile.completed', {}]])
  })

  test('for a profile that is written with the onboarding comes before the event of the onboarding', async () => {
    const [fan, favoriteTeamId] = [await patientFan(world), await world.team()]
    const profile = { ...WHOLE, favoriteTeamId, handle: `h${crypto.randomUUID().slice(0, 8)}` }
    expectStatus(200, await fan.post('/api/user/onboarding', { profile }))
    const types = (await toldOf(world, fan)).map(([type]) => type)
    expect(types).toEqual(['profile.completed', 'onboarding.completed'])
  })

  test('is recorded for a claim and its redemption, but not for refused ones', async () => {
    const [fan, rewardId] = [await patientFan(world), await world.reward({ pointsRequired: 0 })]
    for (const verb of ['claim', 'claim', 'redeem', 'redeem'])
      await fan.post(`/api/rewards/${verb}`, { rewardId })
    expect(await toldOf(world, fan)).toEqual([
      ['reward.claimed', { rewardId }],
      ['reward.redeemed', { rewardId }],
    ])
  })

  test('is recorded for a purchase, its opening and its refund, each once', async () => {
    const fan = await patientFan(world, 50)
    const price = { amount: 30, currency: 'POINTS' }
    const packId = await addPack(world, { price })
    const { id: purchaseId, userPack } = await buy(fan, packId)
    expectStatus(200, await fan.put('/api/packs/purchase', { purchaseId }))
    for (const _ of [1, 2]) await open(fan, userPack.id)
    const { items } = expectStatus(200, await open(fan, userPack.id))
    await world.db.write(tx => refundPack(tx, purchaseId))
    const drawn: { id: string; rarity: string }[] = items
    const rarities = Map.groupBy(drawn, ({ rarity }) => rarity)
    expect(await toldOf(world, fan)).toEqual([
      ['purchase.completed', { purchaseId, packId, userPackId: userPack.id, price }],
      [
        'pack.opened',
        {
          userPackId: userPack.id,
          packId,
          items: drawn.map(({ id }) => id),
          rarities: Object.fromEntries([...rarities].map(([rarity, own]) => [rarity, own.length])),
        },
      ],
      ['purchase.refunded', { purchaseId, packId, price }],
    ])
  })
})
