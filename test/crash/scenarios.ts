/** A scenario for every verb that writes in several statements: prepares the data, and returns the call of the verb. */

import { refundPurchase } from '../../src/packs/refund.ts'
import { joinLeaderboard } from '../../src/points/join-leaderboard.ts'
import { addPack, buy, expectStatus, patientFan, start, userIdOf } from '../packs/packs-world.ts'
import type { Answer } from '../support/client.ts'
import type { World } from '../support/world.ts'

/** Initial stock of every reward. */
export const STOCK = 5

/** Calls the verb; can be repeated after a fault. Returns the status: 200 for a verb without a route. */
export type Act = () => Promise<Pick<Answer, 'status' | 'body'>>

const keyed = () => ({ 'idempotency-key': crypto.randomUUID() })
const done = async (work: Promise<unknown>) => {
  await work
  return { status: 200, body: null }
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
  async redeem(world) {
    const fan = await patientFan(world, 500)
    const rewardId = await world.reward({ id: crypto.randomUUID(), stockRemaining: STOCK })
    expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
    const headers = keyed()
    return () => fan.post('/api/rewards/redeem', { rewardId }, headers)
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
  async 'an opening'(world) {
    const fan = await patientFan(world, 500)
    const { userPack } = await buy(fan, await addPack(world, { id: crypto.randomUUID() }))
    const headers = keyed()
    return () => fan.post('/api/packs/open', { userPackId: userPack.id }, headers)
  },
  async 'a refund'(world) {
    const fan = await patientFan(world, 500)
    const { id } = await buy(fan, await addPack(world, { id: crypto.randomUUID(), supply: 5 }))
    return () => done(world.db.write(tx => refundPurchase(tx, id)))
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
}
