/** One bounded request to the provider: it always ends, and reports the kind of failure. */
import { describe, expect, test } from 'bun:test'
import {
  type Fetch,
  fetchJson,
  type JsonRequest,
  ProviderError,
} from '../../../src/platform/identity-provider/fetch-json.ts'

const ask = (fetch: Fetch, options: Partial<JsonRequest> = {}) =>
  fetchJson({ fetch, url: 'https://login.example.com/keys', deadlineMs: 5_000, maxBytes: 1000, ...options })

async function failureOf(fetch: Fetch, options: Partial<JsonRequest> = {}) {
  const error = await ask(fetch, options).then(
    () => 'it succeeded',
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ProviderError)) throw new Error(`not a ProviderError: ${error}`)
  return error
}

const answer =
  (body: BodyOf, init?: ResponseInit): Fetch =>
  async () =>
    new Response(body, init)
type BodyOf = ConstructorParameters<typeof Response>[0]

describe('fetchJson', () => {
  test('returns the object and the headers, and sends the token and follows no redirects', async () => {
    const asked: Request[] = []
    const { body, headers } = await ask(
      async request => {
        asked.push(request)
        return Response.json({ keys: ['ü'] }, { headers: { etag: 'x' } })
      },
      { token: 'a-token' },
    )
    expect([body, headers.get('etag')]).toEqual([{ keys: ['ü'] }, 'x'])
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer a-token')
    expect(asked[0]?.redirect).toBe('manual')
  })

  test('sends no Authorization without a token', async () => {
    const asked: Request[] = []
    await ask(async request => {
      asked.push(request)
      return Response.json({})
    })
    expect(asked[0]?.headers.has('authorization')).toBe(false)
  })

  test('ends at the deadline without a response, and aborts the request', async () => {
    const signals: AbortSignal[] = []
    const failure = await failureOf(
      request => {
        signals.push(request.signal)
        return new Promise(() => {})
      },
      { deadlineMs: 1 },
    )
    expect([failure.kind, failure.message]).toEqual(['unavailable', 'no complete response within 1 ms'])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  test('ends at the deadline if the body never ends', async () => {
    const endless = new ReadableStream({ pull: () => new Promise(() => {}) })
    const failure = await failureOf(answer(endless), { deadlineMs: 1 })
    expect(failure.kind).toBe('unavailable')
  })

  test('reads no further than the limit', async () => {
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 100
        controller.enqueue(new Uint8Array(100).fill(0x20))
      },
    })
    const failure = await failureOf(answer(endless))
    expect([failure.kind, failure.message]).toEqual(['invalid', 'its response is larger than 1000 bytes'])
    expect(sent).toBeLessThan(2000)
    const padded = `{}${' '.repeat(998)}`
    expect((await ask(answer(padded))).body).toEqual({})
  })

  test('refuses a response with a larger declared size, or a compressed one, before it reads the body', async () => {
    for (const [headers, message] of [
      [{ 'content-length': '1001' }, 'its response is larger than 1000 bytes'],
      [{ 'content-encoding': 'gzip' }, 'its response is compressed'],
      [{ 'content-encoding': 'zstd, identity' }, 'its response is compressed'],
    ] as const) {
      let pulled = 0
      const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
      const failure = await failureOf(answer(body, { headers }))
      expect([failure.kind, failure.message, pulled]).toEqual(['invalid', message, 0])
    }
    const plain = answer('{}', { headers: { 'content-encoding': 'Identity' } })
    expect((await ask(plain)).body).toEqual({})
  })

  test('maps statuses to refused, unavailable or invalid', async () => {
    for (const [status, kind] of [
      [401, 'refused'],
      [403, 'refused'],
      [408, 'unavailable'],
      [429, 'unavailable'],
      [500, 'unavailable'],
      [503, 'unavailable'],
      [301, 'invalid'],
      [302, 'invalid'],
      [404, 'invalid'],
    ] as const) {
      const failure = await failureOf(answer('{}', { status }))
      expect([failure.kind, failure.message]).toEqual([kind, `it responded with ${status}`])
    }
  })

  test('reads Retry-After as seconds or date, at most five minutes', async () => {
    const retryAfter = async (value: string) =>
      (await failureOf(answer('', { status: 503, headers: { 'retry-after': value } }))).retryAfter
    expect(await retryAfter('120')).toBe(120)
    expect(await retryAfter('99999999')).toBe(300)
    const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
    const dated = answer('', {
      status: 503,
      headers: { 'retry-after': date, date: 'Wed, 21 Oct 2026 07:27:50 GMT' },
    })
    expect((await failureOf(dated)).retryAfter).toBe(10)
    for (const value of ['-1', '1.5', date, '']) {
      expect(await retryAfter(value)).toBeUndefined()
    }
  })

  test('reports anything but a JSON object as invalid', async () => {
    for (const body of ['', '{', '[]', 'null', '7', '"text"', '<html>', '\u0000']) {
      expect([body, (await failureOf(answer(body))).kind]).toEqual([body, 'invalid'])
    }
  })

  test('reports a failed connection as unavailable, without the network error', async () => {
    const failure = await failureOf(async () => {
      throw new TypeError('connect ECONNREFUSED 10.0.0.7:443')
    })
    expect([failure.kind, failure.message]).toEqual(['unavailable', 'no response: the connection failed'])
  })

  test.each([
    ['ENOTFOUND', 'no response: its host name does not resolve'],
    ['ECONNREFUSED', 'no response: nothing accepts connections at its address'],
    ['CERT_HAS_EXPIRED', 'its certificate has expired (CERT_HAS_EXPIRED)'],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'its certificate is for another host name (ERR_TLS_CERT_ALTNAME_INVALID)',
    ],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'its certificate is not trusted (SELF_SIGNED_CERT_IN_CHAIN); NODE_EXTRA_CA_CERTS names a file with further CAs',
    ],
  ])('names %s', async (code, message) => {
    const failure = await failureOf(async () => {
      throw Object.assign(new Error('at https://login.example.com/?secret'), { code })
    })
    expect([failure.kind, failure.message]).toEqual(['unavailable', message])
  })
})
