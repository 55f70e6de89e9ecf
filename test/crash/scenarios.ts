/** A scenario for every verb that writes in several statements: prepares the data, and returns the call of the verb. */
import { eq } from 'drizzle-orm'
import { addEndpoint } from '../../src/delivery/webhooks/endpoints.ts'
import { takeTurn } from '../../src/delivery/webhooks/turn.ts'
import { distributeEvents } from '../../src/economy/events/distribute.ts'
import { joinLeaderboard } from '../../src/economy/points/join-leaderboard.ts'
import { decide } from '../../src/fan/moderation/cases.ts'
import { decideAppeal, listAppeals } from '../../src/identity/sanctions/appeals.ts'
import { recordDecision } from '../../src/identity/sanctions/decisions.ts'
import { rotateServerKey } from '../../src/identity/server-keys/keys.ts'
import { settlePredictions } from '../../src/play/predictions/settle.ts'
import { refund } from '../../src/play/purchases/refund.ts'
import { rewardCodes, useRedemption } from '../../src/play/rewards/redemptions.ts'
import { changeLine } from '../../src/play/shop/change-line.ts'
import { orderKind } from '../../src/play/shop/order-kind.ts'
import { distributeAll, newFan, happen as report } from '../delivery/webhooks/webhooks-world.ts'
import { addAccount } from '../economy/accounts/accounts-world.ts'
import { eventOf } from '../economy/events/events-world.ts'
import { addRule } from '../economy/rules/rules-world.ts'
import { follow, namedFan } from '../identity/relations/relations-world.ts'
import { addCampaign, addShared, generateOne } from '../play/codes/codes-world.ts'
import { addPack, buy, expectStatus, FREE, patientFan, start, userIdOf } from '../play/packs/packs-world.ts'
import { refundPack } from '../play/packs/refund-pack.ts'
import { addMatch, addPredictor } from '../play/predictions/match-world.ts'
import { addQuest, happen } from '../play/quests/quests-world.ts'
import { addSet } from '../play/sets/sets-world.ts'
import { ADDRESS, addStock, buyWithMoney, checkout, pay } from '../play/shop/orders-world.ts'
import { drawnItem } from '../play/trades/trades-world.ts'
import { challenge, newAccount } from '../play/wallets/wallets-world.ts'
import type { Answer } from '../support/client.ts'
import type { World } from '../support/world.ts'
import { cashScenarios } from './cash-scenarios.ts'

/** Initial stock of every reward. */
export const STOCK = 5

/** Calls the verb; can be repeated after a fault. Returns the status: 200 for a verb without a route. */
export type Act = () => Promise<Pick<Answer, 'status' | 'body'>>

const keyed = () => ({ 'idempotency-key': crypto.randomUUID() })
const done = async (work: Promise<unknown>) => {
  await work
  return { status: 200, body: null }
}

async function anyCollectible(world: World): Promise<string> {
  const { packItems } = world.db.tables
  const packId = await addPack(world, { id: crypto.randomUUID() })
  const [item] = await world.db.read.select().from(packItems).where(eq(packItems.packId, packId))
  return item?.collectibleId ?? ''
}

/** An event of an enrolled fan by which two rules grant points. */
async function prepareEvent(world: World) {
  const gate = world.withToken(await world.serverKey(['events:write'], { source: crypto.randomUUID() }))
  const fan = await patientFan(world)
  expectStatus(200, await fan.post('/api/user/onboarding', {}))
  const eventType = `test.${crypto.randomUUID()}`
  const limit = { count: 1, per: 'day' } as const
  await addRule(world, { id: crypto.randomUUID(), eventType, limit, budget: 100 })
  await addRule(world, { id: crypto.randomUUID(), eventType })
  const name = { provider: world.config.identity.name, subject: fan.subject }
  // The first use of a key is stored by a unit of work of its own.
  expectStatus(200, await gate.post('/api/events', { events: [eventOf(world, { fan: name })] }))
  return { gate, event: eventOf(world, { id: crypto.randomUUID(), type: eventType, fan: name }) }
}

export const scenarios: Record<string, (world: World) => Promise<Act>> = {
  async onboarding(world) {
    const fan = await patientFan(world)
    const headers = keyed()
    return () => fan.post('/api/user/onboarding', { profile: { bio: 'struck' } }, headers)
  },
  async 'a profile write'(world) {
    const fan = await patientFan(world)
    const headers = keyed()
    return () => fan.post('/api/user/profile', { bio: 'struck' }, headers)
  },
  async sync(world) {
    const fan = await patientFan(world)
    const headers = keyed()
    return () => fan.post('/api/user/sync-mock-idp', {}, headers)
  },
  async claim(world) {
    const fan = await patientFan(world, 500)
    const rewardId = await world.reward({ id: crypto.randomUUID(), stockRemaining: STOCK })
    const headers = keyed()
    return () => fan.post('/api/rewards/claim', { rewardId }, headers)
  },
  async 'a generated code that gives everything'(world) {
    const fan = await patientFan(world)
    const rewardId = await world.reward({ id: crypto.randomUUID(), stockRemaining: STOCK })
    const packId = await addPack(world, { id: crypto.randomUUID(), price: FREE, supply: 5 })
    const gives = { points: 7, rewardId, packId, collectibleId: `${packId}-common` }
    const campaign = await addCampaign(world, { id: crypto.randomUUID(), gives, total: 1 })
    const body = { code: await generateOne(world, campaign) }
    const headers = keyed()
    return () => fan.post('/api/codes', body, headers)
  },
  async 'a shared code that pays into an account'(world) {
    const fan = await patientFan(world)
    const account = await addAccount(world, { id: crypto.randomUUID(), window: null })
    const gives = { points: 150, account }
    const { code } = await addShared(world, { id: crypto.randomUUID(), gives })
    const headers = keyed()
    return () => fan.post('/api/codes', { code }, headers)
  },
  async 'the link of a wallet'(world) {
    const [fan, account] = [await patientFan(world), newAccount()]
    const { message, nonce } = await challenge(fan, account.address)
    const body = { nonce, signature: await account.signMessage({ message }) }
    const headers = keyed()
    return () => fan.post('/api/wallets', body, headers)
  },
  async 'a reported event that earns points'(world) {
    const { gate, event } = await prepareEvent(world)
    return () => gate.post('/api/events', { events: [event] })
  },
  async 'the void of an event'(world) {
    const { gate, event } = await prepareEvent(world)
    expectStatus(200, await gate.post('/api/events', { events: [event] }))
    return () => gate.post('/api/events/void', { id: event.id })
  },
  async 'an event that completes quests'(world) {
    const fan = await patientFan(world)
    const rewardId = await world.reward({ id: crypto.randomUUID(), stockRemaining: STOCK })
    const collectibleId = await anyCollectible(world)
    const reward = { points: 5, rewardId, collectibleId }
    const quest = await addQuest(world, { id: crypto.randomUUID(), reward })
    const steps = [{ eventType: quest.type }]
    await addQuest(world, {
      id: crypto.randomUUID(),
      kind: 'streak',
      period: 'day',
      steps,
      requires: [quest.id],
    })
    const eventId = crypto.randomUUID()
    await world.grant(fan, 1)
    return () => done(happen(world, fan, quest.type, { eventId }))
  },
  async 'a claim of a quest'(world) {
    const fan = await patientFan(world)
    const collectibleId = await anyCollectible(world)
    const reward = { points: 5, collectibleId }
    const quest = await addQuest(world, { id: crypto.randomUUID(), claim: 'manual', reward })
    await happen(world, fan, quest.type)
    const headers = keyed()
    return () => fan.post('/api/quests/claim', { questId: quest.id }, headers)
  },
  async 'a claim that is sent to webhook endpoints'(world) {
    const fan = await patientFan(world, 500)
    const rewardId = await world.reward({ id: crypto.randomUUID(), stockRemaining: STOCK })
    for (const url of ['http://127.0.0.1:9/one', 'http://127.0.0.1:9/two']) {
      await world.db.write(tx => addEndpoint(tx, world.deps.webhookSecrets, { url, types: ['reward.*'] }))
    }
    const headers = keyed()
    return () => fan.post('/api/rewards/claim', { rewardId }, headers)
  },
  async 'the distribution of events'(world) {
    const add = { url: 'http://127.0.0.1:9/four', types: ['distributed.*'] }
    await world.db.write(tx => addEndpoint(tx, world.deps.webhookSecrets, add))
    const fans = [await newFan(world), await newFan(world)]
    for (const fan of [...fans, ...fans]) await report(world, fan, { type: 'distributed.happened' })
    return () => done(world.db.write(tx => distributeEvents(tx, '')))
  },
  async 'the end of deliveries, and the claim of the next ones'(world) {
    const { webhookSecrets } = world.deps
    const add = { url: 'http://127.0.0.1:9/three', types: ['webhook-scenario.*'] }
    const { id } = await world.db.write(tx => addEndpoint(tx, webhookSecrets, add))
    const fans = [await newFan(world), await newFan(world), await newFan(world)]
    const limits = { maxInFlight: 8, maxClaimed: 8, held: [], leaseMs: 30_000 }
    for (const fan of [...fans, ...fans]) await report(world, fan, { type: 'webhook-scenario.happened' })
    await distributeAll(world)
    const turn = await world.db.write(tx => takeTurn(tx, id, [], limits))
    const results = [{ status: 200, response: '' }, { status: 500, response: 'no' }, null]
    const finished = (turn?.claims ?? []).map((claim, n) => ({ ...claim, result: results[n] ?? null }))
    return () => done(world.db.write(tx => takeTurn(tx, id, finished, limits)))
  },
  async redeem(world) {
    const fan = await patientFan(world, 500)
    const rewardId = await world.reward({ id: crypto.randomUUID(), stockRemaining: STOCK })
    expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
    const headers = keyed()
    return () => fan.post('/api/rewards/redeem', { rewardId }, headers)
  },
  async 'the use of a redemption code'(world) {
    const fan = await patientFan(world, 500)
    const rewardId = await world.reward({ id: crypto.randomUUID(), stockRemaining: STOCK })
    expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
    const { reward } = expectStatus(200, await fan.post('/api/rewards/redeem', { rewardId }))
    return () => done(world.db.write(tx => useRedemption(tx, [rewardCodes], 'desk', reward.redemptionCode)))
  },
  async 'the rotation of a server key'(world) {
    const source = crypto.randomUUID()
    await world.serverKey(['events:write'], { source })
    return () => done(world.db.write(tx => rotateServerKey(tx, source)))
  },
  async 'the start of a purchase'(world) {
    const fan = await patientFan(world, 500)
    const packId = await addPack(world, { id: crypto.randomUUID(), supply: 5 })
    const headers = keyed()
    return () => fan.post('/api/packs/purchase', { packId }, headers)
  },
  async 'the completion of a purchase'(world) {
    const fan = await patientFan(world, 500)
    const packId = await addPack(world, { id: crypto.randomUUID(), supply: 5 })
    const { id: purchaseId } = expectStatus(201, await start(fan, packId))
    const headers = keyed()
    return () => fan.put('/api/packs/purchase', { purchaseId }, headers)
  },
  async 'an opening that completes a set'(world) {
    const fan = await patientFan(world)
    const id = crypto.randomUUID()
    const packId = await addPack(world, { id, price: FREE, weights: { common: 1_000_000 } })
    const rewardId = await world.reward({ id: crypto.randomUUID(), stockRemaining: STOCK })
    const collectibleIds = [`${packId}-common`]
    await addSet(world, { id: crypto.randomUUID(), collectibleIds, reward: { points: 50, rewardId } })
    const { userPack } = await buy(fan, packId)
    const headers = keyed()
    return () => fan.post('/api/packs/open', { userPackId: userPack.id }, headers)
  },
  async 'an opening'(world) {
    const fan = await patientFan(world, 500)
    const { userPack } = await buy(fan, await addPack(world, { id: crypto.randomUUID() }))
    const headers = keyed()
    return () => fan.post('/api/packs/open', { userPackId: userPack.id }, headers)
  },
  async 'an offer of a trade'(world) {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const [give, want] = [[await drawnItem(world, fan)], [await drawnItem(world, other)]]
    const headers = keyed()
    return () => fan.post('/api/trades', { to: other.handle, give, want }, headers)
  },
  async 'the acceptance of a trade'(world) {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const [give, want] = [[await drawnItem(world, fan)], [await drawnItem(world, other)]]
    const { id } = expectStatus(201, await fan.post('/api/trades', { to: other.handle, give, want }))
    const headers = keyed()
    return () => other.post(`/api/trades/${id}/accept`, { version: 1 }, headers)
  },
  async 'a locker'(world) {
    const fan = await namedFan(world)
    const shelves = [{ title: '', items: [await drawnItem(world, fan)] }]
    const headers = keyed()
    return () => fan.put('/api/user/locker', { title: 'struck', theme: 'night', shelves }, headers)
  },
  async 'a report'(world) {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const subject = { kind: 'fan', id: other.handle }
    const headers = keyed()
    return () => fan.post('/api/reports', { subject, reason: 'spam' }, headers)
  },
  async 'a decision about a case'(world) {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const subject = { kind: 'fan', id: other.handle }
    expectStatus(201, await fan.post('/api/reports', { subject, reason: 'spam' }))
    const until = new Date(world.clock.ms + 60_000)
    const decision = { kind: 'suspend', until, reason: 'spam', decidedBy: 'Ana', note: 'Twice.' } as const
    return () => done(world.db.write(tx => decide(tx, other.id, decision)))
  },
  async 'the decision about an appeal'(world) {
    const fan = await namedFan(world)
    const by = { reason: 'spam', decidedBy: 'Ana' } as const
    const { id } = await world.db.write(tx => recordDecision(tx, { ...by, fanId: fan.id, kind: 'hide' }))
    expectStatus(201, await fan.post('/api/user/appeals', { sanctionId: id, text: 'It was not me.' }))
    const [appeal] = await listAppeals(world.db.read, fan.id)
    const decision = { reason: 'other', decidedBy: 'Bruno', granted: true } as const
    return () => done(world.db.write(tx => decideAppeal(tx, appeal?.id ?? '', decision)))
  },
  async 'a block that ends follows'(world) {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    await follow(fan, other.handle)
    await follow(other, fan.handle)
    const headers = keyed()
    return () => fan.put(`/api/user/blocks/${other.handle}`, {}, headers)
  },
  async 'a refund'(world) {
    const fan = await patientFan(world, 500)
    const { id } = await buy(fan, await addPack(world, { id: crypto.randomUUID(), supply: 5 }))
    return () => done(world.db.write(tx => refundPack(tx, id)))
  },
  async 'a checkout'(world) {
    const fan = await patientFan(world, 500)
    const productIds = [await addStock(world, 5), await addStock(world, null, { maxPerFan: 3 })]
    const lines = productIds.map(productId => ({ productId, quantity: 1 }))
    const headers = keyed()
    return () => fan.post('/api/checkout', { lines, address: ADDRESS }, headers)
  },
  async 'the completion of an order of all kinds'(world) {
    const fan = await patientFan(world, 500)
    const packId = await addPack(world, { id: crypto.randomUUID() })
    const collectibleId = await anyCollectible(world)
    const price = { amount: 10, currency: 'POINTS' }
    const { id: orderId } = expectStatus(
      201,
      await checkout(
        fan,
        await addStock(world, 5, { price }),
        await addStock(world, 5, { price, kind: 'pack', delivers: { packId } }),
        await addStock(world, 5, { price, kind: 'digital', delivers: { collectibleId } }),
        await addStock(world, 5, { price, kind: 'voucher' }),
      ),
    )
    const headers = keyed()
    return () => fan.put('/api/checkout', { orderId }, headers)
  },
  async 'the completion of an order with money'(world) {
    const fan = await patientFan(world)
    const { id: orderId } = expectStatus(201, await checkout(fan, await addStock(world, 5)))
    const paymentReference = await pay(fan, orderId)
    const headers = keyed()
    return () => fan.put('/api/checkout', { orderId, paymentReference }, headers)
  },
  async 'the cancellation of an order'(world) {
    const fan = await patientFan(world)
    const { id: orderId } = expectStatus(201, await checkout(fan, await addStock(world, 5)))
    const headers = keyed()
    return () => fan.post('/api/checkout/cancel', { orderId }, headers)
  },
  async 'the refund of an order'(world) {
    const fan = await patientFan(world)
    const packId = await addPack(world, { id: crypto.randomUUID() })
    const pack = await addStock(world, 5, { kind: 'pack', delivers: { packId } })
    const voucher = await addStock(world, 5, { kind: 'voucher' })
    const { id } = await buyWithMoney(fan, await addStock(world, 5), pack, voucher)
    return () => done(world.db.write(tx => refund(tx, orderKind, id)))
  },
  async 'a parcel that comes back'(world) {
    const fan = await patientFan(world)
    const { id } = await buyWithMoney(fan, await addStock(world, 5))
    const change = (state: 'ready' | 'shipped' | 'returned') =>
      world.db.write(tx =>
        changeLine(tx, id, 1, { state, ...(state === 'shipped' ? { carrier: 'CTT' } : {}) }),
      )
    await change('ready')
    await change('shipped')
    return () => done(change('returned'))
  },
  async 'the enrolment in the leaderboards'(world) {
    const fan = await patientFan(world, 500)
    const userId = (await userIdOf(world, fan)) ?? ''
    return () => done(world.db.write(tx => joinLeaderboard(tx, userId)))
  },
  async 'points for one who is enrolled'(world) {
    const fan = await patientFan(world)
    expectStatus(200, await fan.post('/api/user/onboarding', {}))
    return () => done(world.grant(fan, 70))
  },
  async 'a check-in'(world) {
    const fan = await patientFan(world)
    const matchId = await world.match({ id: crypto.randomUUID() })
    const headers = keyed()
    return () => {
      const { code } = world.deps.checkInCodes.issue(matchId, world.clock.now())
      return fan.post('/api/check-ins', { code }, headers)
    }
  },
  async 'a prediction'(world) {
    const fan = await patientFan(world)
    const kickoffAt = new Date(world.clock.now().getTime() + 86_400_000)
    const matchId = await world.match({ id: crypto.randomUUID(), kickoffAt })
    const headers = keyed()
    return () => fan.put(`/api/matches/${matchId}/prediction`, { homeScore: 2, awayScore: 1 }, headers)
  },
  async 'the settlement of a prediction, and of its correction'(world) {
    const match = await addMatch(world)
    await addPredictor(world, match.matchId, 2, 1)
    await match.finish(2, 1)
    await settlePredictions(world.deps)
    await match.finish(1, 0)
    return () => done(settlePredictions(world.deps))
  },
  async 'a sign-in'(world) {
    const fan = await patientFan(world)
    return () => fan.post('/api/auth/native-token', {})
  },
  async 'a refresh'(world) {
    const fan = await patientFan(world)
    const { refreshToken } = expectStatus(200, await fan.post('/api/auth/native-token', {}))
    return () => world.anonymous.post('/api/auth/native-token/refresh', { refreshToken })
  },
  async 'a logout everywhere'(world) {
    const fan = await patientFan(world)
    expectStatus(200, await fan.post('/api/auth/native-token', {}))
    return () => fan.post('/api/auth/logout', { everywhere: true })
  },
  ...cashScenarios,
}
