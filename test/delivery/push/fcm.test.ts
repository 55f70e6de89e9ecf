/** Firebase Cloud Messaging, in the documented shapes, by a server on this machine. */
import { afterAll, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt } from 'jose'
import { createFcm } from '../../../src/delivery/push/fcm.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const assertions: string[] = []
const sent: { path: string; authorization: string | null; body: unknown }[] = []
const unregistered = { error: { code: 404, status: 'NOT_FOUND', details: [{ errorCode: 'UNREGISTERED' }] } }
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname: path } = new URL(request.url)
    if (path === '/token') {
      assertions.push(String((await request.formData()).get('assertion')))
      return Response.json({ access_token: `access-${assertions.length}`, expires_in: 3_600 })
    }
    // Guarantee of the cast: the sender wrote it.
    const body = (await request.json()) as { message: { token: string } }
    sent.push({ path, authorization: request.headers.get('authorization'), body })
    const { token } = body.message
    if (token === 'dead') return Response.json(unregistered, { status: 404 })
    if (token === 'lost') return Response.json({ error: { status: 'NOT_FOUND' } }, { status: 404 })
    if (token === 'busy') return new Response(null, { status: 503, headers: { 'retry-after': '30' } })
    return Response.json({ name: 'projects/club/messages/1' })
  },
})
afterAll(() => server.stop(true))

test('sends a message by a shared token, and reads what FCM answers', async () => {
  let at = Date.UTC(2026, 7, 15)
  const send = createFcm({
    fcm: {
      projectId: 'club',
      clientEmail: 'push@club.example',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      tokenUrl: `${server.url.href}token`,
    },
    fetch,
    origin: server.url.origin,
    now: () => new Date(at),
  })
  const message = {
    id: 'm',
    category: 'match',
    title: 'Goal',
    body: '1:0',
    url: '/m',
    imageUrl: null,
    tag: 't',
  }
  const to = (token: string) => send(token, message, new AbortController().signal)
  const outcomes = await Promise.all(['phone', 'dead', 'lost', 'busy'].map(to))
  expect(outcomes).toMatchObject([
    { outcome: 'sent', status: 200 },
    { outcome: 'gone', status: 404 },
    { outcome: 'wrong', status: 404 },
    { outcome: 'retry', status: 503, retryAfter: 30 },
  ])
  expect(assertions).toHaveLength(1)
  expect(decodeJwt(assertions[0] ?? '')).toEqual({
    ...{ iss: 'push@club.example', aud: `${server.url.href}token`, iat: at / 1_000, exp: at / 1_000 + 3_600 },
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
  })
  expect(sent.find(({ body }) => JSON.stringify(body).includes('phone'))).toEqual({
    path: '/v1/projects/club/messages:send',
    authorization: 'Bearer access-1',
    body: {
      message: {
        token: 'phone',
        notification: { title: 'Goal', body: '1:0' },
        data: { messageId: 'm', category: 'match', url: '/m' },
        android: { ttl: '86400s', collapse_key: 't', notification: { tag: 't' } },
        apns: { headers: { 'apns-collapse-id': 't' } },
      },
    },
  })
  at += 56 * 60_000
  await to('phone')
  expect(assertions).toHaveLength(2)
})
