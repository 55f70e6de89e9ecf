/** Devices for tests of pushes. */
import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto'
import { asc, eq } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import { encryptToken, hashOfToken } from '../../../src/delivery/push/tokens.ts'
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
  const messageId = Bun.randomUUIDv7()
  const text = { title: 'Goal', body: 'Home 1, Away 0', url: '/matches/1', imageUrl: null }
  return {
    userId,
    messageId,
    category: 'match' as const,
    ...text,
    collapseKey: null,
    notBefore: null,
    senderId: null,
    ...more,
  }
}

/** A fan with a record. */
export async function knownFan(world: World): Promise<Fan & { id: string }> {
  const fan = await world.fan()
  await fan.post('/api/user/profile', {})
  return { ...fan, id: await userIdOf(world, fan) }
}

/** As many fans with a browser each, at this push service; returns their ids. Not by requests, which take as many seconds. */
export async function manyFans({ db, deps }: World, count: number, origin: string): Promise<string[]> {
  const [provider, createdAt] = ['mock', db.read.now()]
  const ids = Array.from({ length: count }, () => db.read.newId())
  await db.write(async tx => {
    const times = { createdAt, updatedAt: createdAt }
    const users = ids.map(id => ({ id, provider, subject: id, ...times }))
    await insertRows(tx, tx.tables.users, users)
    const service = `webpush:${new URL(origin).host}`
    await insertRows(tx, tx.tables.pushServices, [{ name: service }], 'skip')
    const devices = ids.map(userId => {
      const token = JSON.stringify(newSubscription(`${origin}${userId}`).subscription)
      const tokenHash = hashOfToken('webpush', token)
      const encryptedToken = encryptToken(deps.deviceEncryption, tx, tokenHash, token)
      const device = { userId, deviceId: 'browser', kind: 'webpush', service, tokenHash, encryptedToken }
      return { ...device, createdAt, lastUsedAt: createdAt }
    })
    await insertRows(tx, tx.tables.devices, devices)
  })
  return ids
}

export const deliveriesOf = (world: World, userId: string) => {
  const { pushDeliveries } = world.db.tables
  return world.db.read
    .select()
    .from(pushDeliveries)
    .where(eq(pushDeliveries.userId, userId))
    .orderBy(asc(pushDeliveries.position), asc(pushDeliveries.messageId), asc(pushDeliveries.deviceId))
}

/** What a browser reads of a push: RFC 8291, from the side of the receiver. */
function decrypt(body: Buffer, { pair, auth }: Pick<ReturnType<typeof newSubscription>, 'pair' | 'auth'>) {
  const [salt, sender, record] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)]
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender])
  const shared = hkdfSync('sha256', pair.computeSecret(sender), Buffer.from(auth, 'base64url'), info, 32)
  const derive = (name: string, size: number) =>
    Buffer.from(hkdfSync('sha256', new Uint8Array(shared), salt, `Content-Encoding: ${name}\0`, size))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(record.subarray(-16))
  const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  return JSON.parse(text.subarray(0, text.lastIndexOf(2)).toString())
}

/** A push service of browsers: it answers as the test says, and keeps what it got. */
export function servePushes() {
  const got: { path: string; topic: string | null; authorization: string | null; body: Buffer }[] = []
  const answers = new Map<string, () => Response | Promise<Response>>()
  const waiting = new Set<Request>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      const { headers } = request
      const body = Buffer.from(await request.arrayBuffer())
      got.push({ path, topic: headers.get('topic'), authorization: headers.get('authorization'), body })
      waiting.add(request)
      request.signal.addEventListener('abort', () => waiting.delete(request))
      const answer = (await answers.get(path)?.()) ?? new Response(null, { status: 201 })
      waiting.delete(request)
      return answer
    },
  })
  /** What a subscription got, in their order. */
  const messagesOf = (path: string, of: ReturnType<typeof newSubscription>) =>
    got.filter(push => push.path === path).map(({ body }) => decrypt(body, of))
  return {
    got,
    answers,
    /** Requests that have no answer, and whose sender still waits. */
    waiting,
    url: server.url.href,
    messagesOf,
    /** The titles that a subscription got, in their order. */
    titlesOf: (path: string, of: ReturnType<typeof newSubscription>): string[] =>
      messagesOf(path, of).map(({ title }) => title),
    stop: () => server.stop(true),
  }
}
