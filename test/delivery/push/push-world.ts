/** Devices for tests of pushes. */
import { createECDH } from 'node:crypto'
import { asc, eq } from 'drizzle-orm'
import { userIdOf } from '../../play/quests/quests-world.ts'
import type { Fan, World } from '../../support/world.ts'

let made = 0

/** A subscription as a browser makes it, with the key to read its pushes. */
export function newSubscription(endpoint = `https://push.example/${++made}`) {
  const pair = createECDH('prime256v1')
  const p256dh = pair.generateKeys('base64url')
  const auth = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')
  return { subscription: { endpoint, keys: { p256dh, auth } }, pair, auth }
}

export const putDevice = (fan: Fan, deviceId: string, input: object) =>
  fan.put(`/api/user/devices/${deviceId}`, input)

export const removeDevice = (fan: Fan, deviceId: string) =>
  fan.send(`/api/user/devices/${deviceId}`, { method: 'DELETE' })

export const devicesOf = async (fan: Fan): Promise<{ deviceId: string }[]> =>
  (await fan.get('/api/user/devices')).body.devices

/** A push as a message makes it. */
export function pushOf(userId: string, more: object = {}) {
  const messageId = `message-${++made}`
  const text = { title: 'Goal', body: 'Home 1, Away 0', url: '/matches/1', imageUrl: null }
  return {
    userId,
    messageId,
    category: 'match' as const,
    ...text,
    collapseKey: null,
    notBefore: null,
    ...more,
  }
}

/** A fan with a record. */
export async function knownFan(world: World): Promise<Fan & { id: string }> {
  const fan = await world.fan()
  await fan.post('/api/user/profile', {})
  return { ...fan, id: await userIdOf(world, fan) }
}

export const deliveriesOf = (world: World, userId: string) => {
  const { pushDeliveries } = world.db.tables
  return world.db.read
    .select()
    .from(pushDeliveries)
    .where(eq(pushDeliveries.userId, userId))
    .orderBy(asc(pushDeliveries.position), asc(pushDeliveries.deviceId))
}
