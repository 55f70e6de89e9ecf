/** Firebase Cloud Messaging, in the documented shapes, by a server on this machine. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt } from 'jose'
import { createFcm } from '../../../src/delivery/push/fcm.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const assertions: string[] = []
const sent: { path: string; authorization: string | null; body: unknown }[] = []
const unregistered = { error: { code: 404, status: 'NOT_FOUND', details: [{ errorCode: 'UNREGISTERED' }] } }
const refusalOf = (code: number, status: string, message: string, errorCode = status) => ({
  error: {
    ...{ code, message, status },
    details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }],
  },
})
const MALFORMED = 'The registration token is not a valid FCM registration token'
const violationOf = (field: string) => ({
  error: {
    ...{ code: 400, status: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' },
    details: [
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description: '' }] },
    ],
  },
})
/** What FCM answers about a token, as it is documented. */
const REFUSALS: Record<string, { error: { code: number } }> = {
  malformed: refusalOf(400, 'INVALID_ARGUMENT', MALFORMED),
  field: violationOf('message.token'),
  foreign: refusalOf(403, 'PERMISSION_DENIED', 'SenderId mismatch', 'SENDER_ID_MISMATCH'),
  large: refusalOf(400, 'INVALID_ARGUMENT', 'Android message is too big'),
  value: violationOf('message.data[0].value'),
  disabled: refusalOf(403, 'PERMISSION_DENIED', 'Firebase Cloud Messaging API has not been used', ''),
}
/** What the token endpoint answers in place of a token. */
let refusedAccount = (): Response | undefined => undefined
const revoked = new Set<string>()
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname: path } = new URL(request.url)
    if (path === '/token') {
      assertions.push(String((await request.formData()).get('assertion')))
      const refused = refusedAccount()
      if (refused) return refused
      return Response.json({ access_token: `access-${assertions.length}`, expires_in: 3_600 })
    }
    // Guarantee of the cast: the sender wrote it.
    const body = (await request.json()) as { message: { token: string } }
    const authorization = request.headers.get('authorization')
    sent.push({ path, authorization, body })
    const { token } = body.message
    if (token === 'unauthorized' || revoked.has(String(authorization)))
      return Response.json(refusalOf(401, 'UNAUTHENTICATED', 'Request had invalid credentials.'), {
        status: 401,
      })
    if (token === 'dead') return Response.json(unregistered, { status: 404 })
    if (token === 'lost') return Response.json({ error: { status: 'NOT_FOUND' } }, { status: 404 })
    const refusal = REFUSALS[token]
    if (refusal) return Response.json(refusal, { status: refusal.error.code })
    if (token === 'page') return new Response('<html>', { status: 400 })
    if (token === 'quota') return new Response(null, { status: 429 })
    if (token === 'busy') return new Response(null, { status: 503, headers: { 'retry-after': '30' } })
    return Response.json({ name: 'projects/club/messages/1' })
  },
})
afterAll(() => server.stop(true))
afterEach(() => {
  refusedAccount = () => undefined
})

const message = {
  ...{ id: 'm', category: 'match', title: 'Goal', body: '1:0', url: '/m' },
  ...{ imageUrl: null, tag: 't' },
}

function fcmAt(time = { ms: Date.UTC(2026, 7, 15) }) {
  const send = createFcm({
    fcm: {
      projectId: 'club',
      clientEmail: 'push@club.example',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      tokenUrl: `${server.url.href}token`,
    },
    fetch,
    origin: server.url.origin,
    now: () => new Date(time.ms),
  })
  return (token: string) => send(token, message, new AbortController().signal)
}

test('sends a message by a shared token, and reads what FCM answers', async () => {
  const time = { ms: Date.UTC(2026, 7, 15) }
  const to = fcmAt(time)
  const before = assertions.length
  const outcomes = await Promise.all(['phone', 'dead', 'lost', 'busy', 'quota'].map(to))
  expect(outcomes).toMatchObject([
    { outcome: 'sent', status: 200 },
    { outcome: 'gone', status: 404 },
    { outcome: 'wrong', status: 404 },
    { outcome: 'retry', status: 503, retryAfter: 30 },
    { outcome: 'retry', status: 429, retryAfter: 60 },
  ])
  expect(assertions).toHaveLength(before + 1)
  expect(decodeJwt(assertions[before] ?? '')).toEqual({
    ...{
      iss: 'push@club.example',
      aud: `${server.url.href}token`,
      iat: time.ms / 1_000,
      exp: time.ms / 1_000 + 3_600,
    },
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
  })
  expect(sent.findLast(({ body }) => JSON.stringify(body).includes('phone'))).toEqual({
    path: '/v1/projects/club/messages:send',
    authorization: `Bearer access-${before + 1}`,
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
  time.ms += 56 * 60_000
  await to('phone')
  expect(assertions).toHaveLength(before + 2)
})

test.each([
  ['malformed', 400],
  ['field', 400],
  ['foreign', 403],
])(
  'takes a token that FCM refuses as gone only after another one was accepted: %s',
  async (token, status) => {
    const to = fcmAt()
    expect(await to(token)).toMatchObject({ outcome: 'wrong', status })
    await to('other')
    expect(await to(token)).toEqual({ outcome: 'gone', status })
  },
)

test.each([
  ['large', 400, 'INVALID_ARGUMENT'],
  ['value', 400, 'INVALID_ARGUMENT'],
  ['disabled', 403, 'PERMISSION_DENIED'],
  ['page', 400, '400'],
])('keeps the device when FCM refuses something else: %s', async (token, status, refusal) => {
  const to = fcmAt()
  await to('other')
  expect(await to(token)).toEqual({ outcome: 'wrong', status, refusal })
})

test.each([
  ['invalid_grant', 400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }],
  ['unauthorized_client', 401, { error: 'unauthorized_client' }],
  ['403', 403, { error: { code: 403, message: 'The account is disabled.' } }],
])('takes a refused service account as wrong, and asks for a token a minute later: %s', async (...of) => {
  const [refusal, status, body] = of
  const time = { ms: Date.UTC(2026, 7, 15) }
  const to = fcmAt(time)
  const before = [assertions.length, sent.length]
  refusedAccount = () => Response.json(body, { status })
  const wrong = { outcome: 'wrong' as const, status, refusal }
  expect(await Promise.all([to('phone'), to('tablet')])).toEqual([wrong, wrong])
  refusedAccount = () => undefined
  expect(await to('phone')).toEqual(wrong)
  expect([assertions.length, sent.length]).toEqual([(before[0] ?? 0) + 1, before[1] ?? 0])
  time.ms += 60_000
  expect(await to('phone')).toMatchObject({ outcome: 'sent' })
})

test.each([429, 500, 503])('tries again when the token endpoint answers %d', async status => {
  const to = fcmAt()
  refusedAccount = () => new Response(null, { status, headers: { 'retry-after': '20' } })
  expect(await to('phone')).toEqual({ outcome: 'retry', status, retryAfter: 20 })
  refusedAccount = () => undefined
  expect(await to('phone')).toMatchObject({ outcome: 'sent' })
})

test('makes another token when FCM refuses one, and takes a second refusal as wrong', async () => {
  const to = fcmAt()
  await to('phone')
  const before = assertions.length
  revoked.add(`Bearer access-${before}`)
  expect(await Promise.all(['phone', 'tablet'].map(to))).toEqual(
    Array(2).fill({ outcome: 'sent', status: 200 }),
  )
  expect(assertions).toHaveLength(before + 1)
  expect(await to('unauthorized')).toEqual({ outcome: 'wrong', status: 401, refusal: 'UNAUTHENTICATED' })
})
