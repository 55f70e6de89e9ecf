/** Every operation that writes, with a request of a fan, or about one. The subject of the fan is in all texts. */

import { documentKind } from '../../../src/club/documents/document-kind.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import type { ServerScope } from '../../../src/identity/server-keys/scopes.ts'
import { newPng, upload } from '../../club/pictures/pictures-world.ts'
import { eventOf } from '../../economy/events/events-world.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import { fetchDocument, operationsOf } from '../../platform/docs/document.ts'
import { addCampaign, generateOne } from '../../play/codes/codes-world.ts'
import { create, join, leave, POINTS } from '../../play/leagues/leagues-world.ts'
import { addMembershipKind, endMembership, putMembership } from '../../play/memberships/memberships-world.ts'
import { addPack, buy, EUROS, expectStatus, FREE, receipt, start } from '../../play/packs/packs-world.ts'
import { addQuestion, sendVote } from '../../play/questions/questions-world.ts'
import { addQuest, happen } from '../../play/quests/quests-world.ts'
import {
  addStock,
  buyWithMoney,
  cancelOrder,
  checkout,
  completeOrder,
  pay,
} from '../../play/shop/orders-world.ts'
import { completeTopUp, startTopUp } from '../../play/top-ups/cash-world.ts'
import { drawnItem, offer, offeredTo } from '../../play/trades/trades-world.ts'
import {
  challenge,
  link,
  linkAccount,
  newAccount,
  requestChallenge,
  unlink,
} from '../../play/wallets/wallets-world.ts'
import type { Answer } from '../../support/client.ts'
import { overrideSettings } from '../../support/settings.ts'
import type { Fan, World } from '../../support/world.ts'
import { addNotification, happens, inboxOf } from '../messages/messages-world.ts'

let made = 0

const MEMBERSHIP = { startsAt: '2026-07-01T00:00:00Z', endsAt: '2099-07-01T00:00:00Z' }

interface WritingRequest {
  send(): Promise<Answer>
  /** The response after the fan was erased: 401 `invalid_token` by default. */
  refusal?: [status: number, code: string | undefined]
}

/** Prepares a fan for the operation of this id. A new operation that writes needs a line here, or in `WITHOUT_FAN`. */
export const operations: Record<
  string,
  (world: World, fan: Fan) => Promise<WritingRequest> | WritingRequest
> = {
  writeProfile: async (world, fan) => {
    const profile = await profileOf(world, fan)
    return { send: () => fan.post('/api/user/profile', profile) }
  },
  updateProfile: async (world, fan) => {
    const profile = await profileOf(world, fan)
    return { send: () => fan.patch('/api/user/profile', profile, { 'idempotency-key': fan.subject }) }
  },
  registerDevice: (_, fan) => ({
    send: () => fan.put(`/api/user/devices/${fan.subject}`, { kind: 'fcm', token: fan.subject }),
  }),
  removeDevice: async (_, fan) => {
    const path = `/api/user/devices/${fan.subject}`
    expectStatus(201, await fan.put(path, { kind: 'fcm', token: fan.subject }))
    return { send: () => fan.send(path, { method: 'DELETE' }) }
  },
  completeOnboarding: (_, fan) => ({
    send: () => fan.post('/api/user/onboarding', { profile: { bio: fan.subject } }),
  }),
  syncIdentity: (_, fan) => ({ send: () => fan.post('/api/user/sync-identity') }),
  syncNamedIdentity: (_, fan) => ({ send: () => fan.post('/api/user/sync-mock-idp') }),
  joinLeaderboard: (_, fan) => ({ send: () => fan.put('/api/user/leaderboard-membership') }),
  leaveLeaderboard: async (_, fan) => {
    expectStatus(204, await fan.put('/api/user/leaderboard-membership'))
    return { send: () => fan.send('/api/user/leaderboard-membership', { method: 'DELETE' }) }
  },
  followFan: async (world, fan) => {
    const { handle } = await namedFan(world)
    return { send: () => fan.put(`/api/user/following/${handle}`) }
  },
  unfollowFan: async (world, fan) => {
    const { handle } = await namedFan(world)
    expectStatus(204, await fan.put(`/api/user/following/${handle}`))
    return { send: () => fan.send(`/api/user/following/${handle}`, { method: 'DELETE' }) }
  },
  muteFan: async (world, fan) => {
    const { handle } = await namedFan(world)
    return { send: () => fan.put(`/api/user/mutes/${handle}`) }
  },
  unmuteFan: async (world, fan) => {
    const { handle } = await namedFan(world)
    expectStatus(204, await fan.put(`/api/user/mutes/${handle}`))
    return { send: () => fan.send(`/api/user/mutes/${handle}`, { method: 'DELETE' }) }
  },
  blockFan: async (world, fan) => {
    const { handle } = await namedFan(world)
    return { send: () => fan.put(`/api/user/blocks/${handle}`) }
  },
  unblockFan: async (world, fan) => {
    const { handle } = await namedFan(world)
    expectStatus(204, await fan.put(`/api/user/blocks/${handle}`))
    return { send: () => fan.send(`/api/user/blocks/${handle}`, { method: 'DELETE' }) }
  },
  fileReport: async (world, fan) => {
    const { handle } = await namedFan(world)
    const report = { subject: { kind: 'fan', id: handle }, reason: 'spam', note: fan.subject }
    return { send: () => fan.post('/api/reports', report) }
  },
  fileAppeal: async (world, fan) => {
    const { id: fanId } = (await fan.post('/api/user/profile', {})).body
    const decision = { fanId, kind: 'hide', reason: 'spam', decidedBy: 'Ana' } as const
    const { id: sanctionId } = await world.db.write(tx => recordDecision(tx, decision))
    return { send: () => fan.post('/api/user/appeals', { sanctionId, text: fan.subject }) }
  },
  writeConsents: async (world, fan) => {
    const purpose = `purpose-${++made}`
    const document = { id: purpose, version: '1', purpose, text: 'I agree.' }
    await world.db.write(tx => documentKind.upsert(tx, document))
    return { send: () => fan.put('/api/user/consents', { [purpose]: { granted: true, version: '1' } }) }
  },
  writeAgeBand: async (world, fan) => {
    const system = await serverClient(world, 'age:write')
    const named = { provider: world.config.identity.name, subject: fan.subject }
    const assuredAt = world.clock.now().toISOString()
    const age = { fan: named, ageBand: 'adult', source: fan.subject, assuredAt }
    return { send: () => system.put('/api/age-bands', age), refusal: [404, 'fan_not_found'] }
  },
  acceptTerms: (world, fan) => {
    const end = overrideSettings(world.db, { termsVersion: '2026-08' })
    const send = async () => {
      const answer = await fan.put('/api/user/terms', { version: '2026-08' })
      // Other operations of the world need no terms.
      end()
      return answer
    }
    return { send }
  },
  writeLocker: (_, fan) => ({
    send: () => fan.put('/api/user/locker', { title: fan.subject.slice(0, 50), theme: 'night', shelves: [] }),
  }),
  createLeague: (_, fan) => ({
    send: () => fan.post('/api/leagues', { ...POINTS, name: fan.subject.slice(0, 50) }),
  }),
  joinLeague: async (world, fan) => {
    const { code } = await create(await world.fan())
    return { send: () => join(fan, code) }
  },
  changeLeague: async (_, fan) => {
    const { id } = await create(fan)
    return { send: () => fan.patch(`/api/leagues/${id}`, { name: fan.subject.slice(0, 50) }) }
  },
  removeLeagueMember: async (_, fan) => {
    const { id } = await create(fan)
    return { send: () => leave(fan, id) }
  },
  banFromLeague: async (world, fan) => {
    const [{ id }, { handle }] = [await create(fan), await namedFan(world)]
    return { send: () => fan.put(`/api/leagues/${id}/bans/${handle}`) }
  },
  endLeagueBan: async (world, fan) => {
    const [{ id }, { handle }] = [await create(fan), await namedFan(world)]
    await fan.put(`/api/leagues/${id}/bans/${handle}`)
    return { send: () => fan.send(`/api/leagues/${id}/bans/${handle}`, { method: 'DELETE' }) }
  },
  readMessages: (world, fan) => ({
    send: () => fan.post('/api/user/inbox/read', { until: world.clock.now().toISOString() }),
  }),
  deleteMessage: async (world, fan) => {
    const { id: userId } = (await fan.post('/api/user/profile', {})).body
    await addNotification(world, { id: 'deleted', eventType: 'message.wanted' })
    await happens(world, userId, {}, 'message.wanted')
    const [message] = (await inboxOf(fan)).messages
    return { send: () => fan.send(`/api/user/inbox/${message?.id}`, { method: 'DELETE' }) }
  },
  setOwnLimits: (_, fan) => ({
    send: () => fan.patch('/api/user/limits', { spending: { amount: 0, currency: 'EUR', per: 'day' } }),
  }),
  changeNotificationPreferences: (_, fan) => ({
    send: () => fan.patch('/api/user/notifications', { match: { push: false } }),
  }),
  requestExport: (_, fan) => ({ send: () => fan.post('/api/user/export') }),
  changePrivacy: (_, fan) => ({ send: () => fan.patch('/api/user/privacy', { profile: 'private' }) }),
  claimReward: async (world, fan) => {
    const rewardId = await world.reward({ pointsRequired: 0 })
    return { send: () => fan.post('/api/rewards/claim', { rewardId }) }
  },
  redeemCode: async (world, fan) => {
    const code = await generateOne(world, await addCampaign(world))
    return { send: () => fan.post('/api/codes', { code }) }
  },
  redeemReward: async (world, fan) => {
    const rewardId = await claimed(world, fan)
    return { send: () => fan.post('/api/rewards/redeem', { rewardId }) }
  },
  useRedemption: async (world, fan) => {
    const rewardId = await claimed(world, fan)
    const { reward } = expectStatus(200, await fan.post('/api/rewards/redeem', { rewardId }))
    const desk = await serverClient(world, 'redemptions:write')
    return {
      send: () => desk.post(`/api/redemptions/${reward.redemptionCode}/use`),
      refusal: [404, 'redemption_not_found'],
    }
  },
  claimQuest: async (world, fan) => {
    const quest = await addQuest(world, { claim: 'manual', reward: { points: 5 } })
    await happen(world, fan, quest.type)
    return { send: () => fan.post('/api/quests/claim', { questId: quest.id }) }
  },
  startPurchase: async (world, fan) => {
    const packId = await addPack(world, { price: FREE })
    return { send: () => start(fan, packId) }
  },
  completePurchase: async (world, fan) => {
    const { id: purchaseId } = expectStatus(201, await start(fan, await addPack(world, { price: FREE })))
    return { send: () => fan.put('/api/packs/purchase', { purchaseId }) }
  },
  cancelPurchase: async (world, fan) => {
    const { id } = expectStatus(201, await start(fan, await addPack(world, { price: FREE })))
    return { send: () => fan.post(`/api/packs/purchases/${id}/cancel`) }
  },
  startTopUp: async (_, fan) => ({ send: () => startTopUp(fan, 500) }),
  prepareTopUpPayment: async (_, fan) => {
    const { id: topUpId } = expectStatus(201, await startTopUp(fan, 500))
    return { send: () => fan.post('/api/cash/top-ups/payment', { topUpId }) }
  },
  completeTopUp: async (_, fan) => {
    const { id } = expectStatus(201, await startTopUp(fan, 500))
    const reference = await receipt(fan, id)
    return { send: () => completeTopUp(fan, id, reference) }
  },
  preparePayment: async (world, fan) => {
    const { id: purchaseId } = expectStatus(201, await start(fan, await addPack(world, { price: EUROS })))
    return { send: () => fan.post('/api/packs/purchase/payment', { purchaseId }) }
  },
  issueSandboxReceipt: async (world, fan) => {
    const { id: purchaseId } = expectStatus(201, await start(fan, await addPack(world, { price: EUROS })))
    return { send: () => fan.post('/api/sandbox/receipts', { purchaseId }) }
  },
  openPack: async (world, fan) => {
    const { userPack } = await buy(fan, await addPack(world, { price: FREE }))
    return { send: () => fan.post('/api/packs/open', { userPackId: userPack.id, clientSeed: 'x' }) }
  },
  startCheckout: async (world, fan) => {
    const productId = await addStock(world, null)
    return { send: () => checkout(fan, productId) }
  },
  completeCheckout: async (world, fan) => {
    const { id } = expectStatus(201, await checkout(fan, await addStock(world, null)))
    const reference = await pay(fan, id)
    return { send: () => completeOrder(fan, id, reference) }
  },
  prepareOrderPayment: async (world, fan) => {
    const { id } = expectStatus(201, await checkout(fan, await addStock(world, null)))
    return { send: () => fan.post('/api/checkout/payment', { orderId: id, method: 'gateway' }) }
  },
  cancelCheckout: async (world, fan) => {
    const { id } = expectStatus(201, await checkout(fan, await addStock(world, null)))
    return { send: () => cancelOrder(fan, id) }
  },
  withdrawOrder: async (world, fan) => {
    const { id } = await buyWithMoney(fan, await addStock(world, null))
    return { send: () => fan.post(`/api/user/orders/${id}/withdrawal`) }
  },
  changeOrderLine: async (world, fan) => {
    const warehouse = await serverClient(world, 'orders:write')
    const { id } = await buyWithMoney(fan, await addStock(world, null))
    return {
      send: () => warehouse.put(`/api/orders/${id}/lines/1`, { state: 'ready' }),
      refusal: [200, undefined],
    }
  },
  offerTrade: async (world, fan) => {
    const [{ handle }, item] = [await namedFan(world), await drawnItem(world, fan)]
    return { send: () => offer(fan, handle, [item]) }
  },
  acceptTrade: async (world, fan) => {
    const { id, version } = await offeredTo(world, fan)
    // Open trades become void when one of the fans is erased.
    return { send: () => fan.post(`/api/trades/${id}/accept`, { version }) }
  },
  declineTrade: async (world, fan) => {
    const { id } = await offeredTo(world, fan)
    return { send: () => fan.post(`/api/trades/${id}/decline`) }
  },
  cancelTrade: async (world, fan) => {
    const [{ handle }, item] = [await namedFan(world), await drawnItem(world, fan)]
    const { id } = expectStatus(201, await offer(fan, handle, [item]))
    return { send: () => fan.post(`/api/trades/${id}/cancel`) }
  },
  issueWalletChallenge: (_, fan) => ({ send: () => requestChallenge(fan, newAccount().address) }),
  linkWallet: async (_, fan) => {
    const account = newAccount()
    const { message, nonce } = await challenge(fan, account.address)
    const signature = await account.signMessage({ message })
    // An erasure deletes the challenge.
    return { send: () => link(fan, nonce, signature) }
  },
  unlinkWallet: async (_, fan) => {
    const { address } = expectStatus(201, await linkAccount(fan))
    return { send: () => unlink(fan, address) }
  },
  uploadPicture: (_, fan) => ({ send: () => upload(fan, newPng()) }),
  checkIn: async (world, fan) => {
    const { code } = world.deps.checkInCodes.issue(await world.match(), world.clock.now())
    return { send: () => fan.post('/api/check-ins', { code }) }
  },
  writePrediction: async (world, fan) => {
    const matchId = await world.match({ kickoffAt: new Date(world.clock.ms + 60_000) })
    const scores = { homeScore: 2, awayScore: 1 }
    return { send: () => fan.put(`/api/matches/${matchId}/prediction`, scores) }
  },
  writeVote: async (world, fan) => {
    const questionId = await addQuestion(world)
    return { send: () => sendVote(fan, questionId, 'home') }
  },
  createNativeToken: (_, fan) => ({
    send: () => fan.post('/api/auth/native-token', { deviceName: fan.subject }),
  }),
  refreshNativeToken: async (world, fan) => {
    const { refreshToken } = expectStatus(200, await fan.post('/api/auth/native-token', {}))
    return {
      send: () => world.anonymous.post('/api/auth/native-token/refresh', { refreshToken }),
      refusal: [401, 'invalid_refresh_token'],
    }
  },
  logOut: (_, fan) => ({ send: () => fan.post('/api/auth/logout', {}), refusal: [204, undefined] }),
  endSession: async (_, fan) => {
    const { sessionId } = expectStatus(200, await fan.post('/api/auth/native-token', {}))
    return {
      send: () => fan.send(`/api/auth/sessions/${sessionId}`, { method: 'DELETE' }),
      refusal: [404, 'session_not_found'],
    }
  },
  deleteAccount: (_, fan) => ({
    send: () => fan.send('/api/user', { method: 'DELETE' }),
    refusal: [204, undefined],
  }),
  receiveIdentityEvent: (world, { subject }) => ({
    send: () => deliver(world, updated(world, subject, { name: subject })),
    refusal: [204, undefined],
  }),
  grantPoints: async (world, { subject }) => {
    const desk = await serverClient(world, 'points:write')
    const fan = { provider: world.config.identity.name, subject }
    const grant = { fan, delta: 5, ref: `grant-${++made}`, note: `About ${subject}` }
    return { send: () => desk.post('/api/points/grants', grant), refusal: [404, 'fan_not_found'] }
  },
  writeMembership: async (world, { subject }) => {
    const office = await serverClient(world, 'memberships:write')
    await addMembershipKind(world)
    const terms = { ...MEMBERSHIP, holder: `Name of ${subject}` }
    return {
      send: () => putMembership(office, world, { subject }, terms),
      refusal: [404, 'fan_not_found'],
    }
  },
  endMembership: async (world, { subject }) => {
    const office = await serverClient(world, 'memberships:write')
    await addMembershipKind(world)
    const ref = `ended-${++made}`
    expectStatus(201, await putMembership(office, world, { subject }, { ...MEMBERSHIP, ref }))
    return { send: () => endMembership(office, ref), refusal: [404, 'membership_not_found'] }
  },
  grantCash: async (world, { subject }) => {
    const desk = await serverClient(world, 'cash:write')
    const fan = { provider: world.config.identity.name, subject }
    const promotion = { fan, amount: 5, currency: 'EUR', ref: `cash-${++made}`, note: `About ${subject}` }
    return { send: () => desk.post('/api/cash/promotions', promotion), refusal: [404, 'fan_not_found'] }
  },
  recordEvents: async (world, { subject }) => {
    const gate = await serverClient(world, 'events:write')
    const events = [eventAbout(world, subject)]
    return { send: () => gate.post('/api/events', { events }), refusal: [200, undefined] }
  },
  voidEvent: async (world, { subject }) => {
    const gate = await serverClient(world, 'events:write')
    const event = eventAbout(world, subject)
    expectStatus(200, await gate.post('/api/events', { events: [event] }))
    return {
      // The erasure has replaced the id: a later void is that of an event that has not come.
      send: () => gate.post('/api/events/void', { id: event.id, note: 'The ticket was refunded' }),
      refusal: [404, 'event_not_found'],
    }
  },
}

/** They write no row of a fan. */
export const WITHOUT_FAN: Record<string, string> = {
  updateMatch: 'its predictions are settled later, in the background',
  writeQuestion: 'its votes are settled later, in the background',
  fileNotice: 'a person without an account writes it; the erasure of its fan is in `notices.test.ts`',
  createStreamTicket: 'a ticket is encrypted, not stored',
}

/** The ids of all operations that write, by the OpenAPI document. */
export async function writingOperations(world: World): Promise<string[]> {
  const all = operationsOf(await fetchDocument(world))
  return all.flatMap(({ method, operation }) => (method === 'GET' ? [] : operation.operationId)).toSorted()
}

/** A value for every field. */
const profileOf = async (world: World, { subject }: Fan) => ({
  ...{ displayName: subject, handle: `fan_${++made}`, bio: subject, country: 'PT', locale: 'pt-PT' },
  avatarUrl: `https://images.example.com/${subject}.png`,
  favoriteTeamId: await world.team(),
})

/** A system whose key was used in this hour: a request with it writes no time of its last use. */
export async function serverClient(world: World, scope: ServerScope) {
  const key = await world.serverKey([scope])
  const { serverKeys } = world.db.tables
  await world.db.write(tx => tx.update(serverKeys).set({ lastUsedAt: tx.now() }))
  return world.withToken(key)
}

const claimed = async (world: World, fan: Fan) => {
  const rewardId = await world.reward({ pointsRequired: 0 })
  expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
  return rewardId
}

const eventAbout = (world: World, subject: string) => {
  const fan = { provider: world.config.identity.name, subject }
  return eventOf(world, { fan, data: { about: subject } })
}
