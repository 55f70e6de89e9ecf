/** Web Push: messages encrypted for one browser (RFC 8291, aes128gcm of RFC 8188), by the identity of this server (RFC 8292). */
import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  type ECDH,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import type { Sources } from '../../../db/index.ts'
import type { GuardedFetch } from '../../core/ssrf-guard.ts'
import type { VapidConfig } from '../../platform/config/push.ts'
import type { Subscription } from './devices.ts'
import { type Attempt, attemptOf, fitted, type Message } from './sender.ts'

const TTL_SECONDS = 86_400
/** A token of RFC 8292 is valid for at most 24 hours. */
const TOKEN_SECONDS = 12 * 3_600
/** Each service accepts a record of 4,096 bytes: less the header of 86 bytes, the tag of 16 and the delimiter. */
const MAX_BYTES = 4_096 - 86 - 16 - 1
const SALT_BYTES = 16

interface Ephemeral {
  salt: Uint8Array
  /** With a key pair of this message. */
  pair: ECDH
}

/** The body of a push: a header with salt and public key, and one encrypted record. */
export function encrypt(
  text: Buffer,
  { p256dh, auth }: Subscription['keys'],
  { salt, pair }: Ephemeral,
): Buffer {
  const [receiver, sender] = [Buffer.from(p256dh, 'base64url'), pair.getPublicKey()]
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, sender])
  const shared = hkdfSync('sha256', pair.computeSecret(receiver), Buffer.from(auth, 'base64url'), keyInfo, 32)
  const derive = (info: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', new Uint8Array(shared), salt, `Content-Encoding: ${info}\0`, bytes))
  const cipher = createCipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  // 2: the last record.
  const record = Buffer.concat([
    cipher.update(text),
    cipher.update(Buffer.of(2)),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(4_096)
  return Buffer.concat([salt, size, Buffer.of(sender.length), sender, record])
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The private key as node reads it. */
function keyOf({ privateKey, publicKey }: VapidConfig): KeyObject {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(half => half.toString('base64url'))
  const key = { kty: 'EC', crv: 'P-256', d: Buffer.from(privateKey, 'base64url').toString('base64url'), x, y }
  return createPrivateKey({ key, format: 'jwk' })
}

interface WebPushDeps extends Pick<Sources, 'now' | 'randomBytes'> {
  vapid: VapidConfig
  fetch: GuardedFetch
}

/** Tokens are shared by the messages to a service, and renewed when half of their time has passed. */
export function createVapid({ vapid, now }: Pick<WebPushDeps, 'vapid' | 'now'>) {
  const key = keyOf(vapid)
  const tokens = new Map<string, { token: string; expiresAt: number }>()
  return (audience: string): string => {
    const seconds = Math.floor(now().getTime() / 1_000)
    const known = tokens.get(audience)
    if (known && known.expiresAt - seconds > TOKEN_SECONDS / 2)
      return `vapid t=${known.token}, k=${vapid.publicKey}`
    const expiresAt = seconds + TOKEN_SECONDS
    const content = `${encoded({ typ: 'JWT', alg: 'ES256' })}.${encoded({ aud: audience, exp: expiresAt, sub: vapid.subject })}`
    const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' })
    const token = `${content}.${signature.toString('base64url')}`
    tokens.set(audience, { token, expiresAt })
    return `vapid t=${token}, k=${vapid.publicKey}`
  }
}

export function createWebPush({ vapid, fetch, now, randomBytes }: WebPushDeps) {
  const authorize = createVapid({ vapid, now })
  return async (token: string, message: Message, signal: AbortSignal): Promise<Attempt> => {
    // Guarantee of the cast: `putDevice` stored it.
    const { endpoint, keys } = JSON.parse(token) as Subscription
    const pair = createECDH('prime256v1')
    pair.generateKeys()
    const body = encrypt(fitted(message, MAX_BYTES), keys, { salt: randomBytes(SALT_BYTES), pair })
    const headers = new Headers({
      authorization: authorize(new URL(endpoint).origin),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(TTL_SECONDS),
      urgency: 'normal',
    })
    // At most 32 characters of base64url.
    if (message.tag !== null) headers.set('topic', message.tag)
    const request = new Request(endpoint, { method: 'POST', headers, body: new Uint8Array(body), signal })
    const response = await fetch(request)
    await response.body?.cancel()
    return attemptOf(response.status, response.headers)
  }
}
