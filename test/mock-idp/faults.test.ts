import { describe, expect, test } from 'bun:test'
import { createWorld, issuer } from './world.ts'

const jwks = '/.well-known/jwks.json'

describe('a fault of kind', () => {
  test('status responds with that status and Retry-After, `count` times', async () => {
    const { get, json } = createWorld()
    await json('POST', '/_mock/faults', {
      match: 'jwks',
      kind: 'status',
      status: 429,
      retryAfter: 7,
      count: 2,
    })
    for (let n = 0; n < 2; n++) {
      const response = await get(jwks)
      expect(response.status).toBe(429)
      expect(response.headers.get('retry-after')).toBe('7')
    }
    expect((await get(jwks)).status).toBe(200)
    expect(await json('GET', '/_mock/faults')).toEqual({ faults: [] })
  })

  test('status without a status is 503', async () => {
    const { get, json } = createWorld()
    await json('POST', '/_mock/faults', { match: 'discovery', kind: 'status' })
    expect((await get('/.well-known/openid-configuration')).status).toBe(503)
    expect((await get(jwks)).status).toBe(200)
  })

  test('delay gives the normal response after the time has passed on the provider’s clock', async () => {
    const { idp, get, json } = createWorld()
    await json('POST', '/_mock/faults', { match: 'jwks', kind: 'delay', delayMs: 60_000 })
    const pending = get(jwks)
    await settled()
    await idp.advance(60_000)
    expect(((await (await pending).json()) as { keys: unknown[] }).keys).toHaveLength(1)
  })

  test('hang never responds, notices an aborted client, and ends with 503 when it is deleted', async () => {
    const { idp, get, json } = createWorld()
    const { id } = await json('POST', '/_mock/faults', { match: 'userinfo', kind: 'hang' })
    const impatient = new AbortController()
    const abandoned = idp.fetch(`${issuer}/userinfo`, { signal: impatient.signal })
    const waiting = get('/userinfo')
    await settled()
    impatient.abort(new Error('enough'))
    await expect(abandoned).rejects.toThrow('enough')
    await json('DELETE', `/_mock/faults/${id}`)
    expect((await waiting).status).toBe(503)
    expect((await get('/userinfo')).status).toBe(401)
  })

  test('hang with its count used up still ends when it is deleted', async () => {
    const { get, json } = createWorld()
    const { id } = await json('POST', '/_mock/faults', { match: '*', kind: 'hang', count: 1 })
    const waiting = get(jwks)
    await settled()
    expect((await get(jwks)).status).toBe(200)
    expect(await json('DELETE', `/_mock/faults/${id}`)).toEqual({ deleted: 1 })
    expect((await waiting).status).toBe(503)
  })

  test('drip starts at once and never ends by itself', async () => {
    const { idp, json } = createWorld()
    await json('POST', '/_mock/faults', { match: 'jwks', kind: 'drip', delayMs: 60_000 })
    const impatient = new AbortController()
    const response = await idp.fetch(issuer + jwks, { signal: impatient.signal })
    expect(response.status).toBe(200)
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('{')
    const next = reader?.read()
    await settled()
    await idp.advance(60_000)
    expect(new TextDecoder().decode((await next)?.value)).toBe(' ')
    const last = reader?.read()
    impatient.abort(new Error('enough'))
    await expect(last).rejects.toThrow('enough')
  })

  test('reset fails in process as the network would', async () => {
    const { get, json } = createWorld()
    await json('POST', '/_mock/faults', { match: 'token', kind: 'reset', count: 1 })
    await json('POST', '/_mock/faults', { match: 'jwks', kind: 'reset', count: 1 })
    await expect(get(jwks)).rejects.toThrow(TypeError)
    expect((await get(jwks)).status).toBe(200)
  })

  test('malformed is truncated JSON', async () => {
    const { get, json } = createWorld()
    await json('POST', '/_mock/faults', { match: 'jwks', kind: 'malformed' })
    const response = await get(jwks)
    expect(response.headers.get('content-type')).toContain('application/json')
    await expect(response.json()).rejects.toThrow()
  })

  test('empty_keys is a key set without keys', async () => {
    const { get, json } = createWorld()
    await json('POST', '/_mock/faults', { match: 'jwks', kind: 'empty_keys' })
    expect(await (await get(jwks)).json()).toEqual({ keys: [] })
  })

  test('huge is several MiB of valid JSON', async () => {
    const { get, json } = createWorld()
    await json('POST', '/_mock/faults', { match: 'jwks', kind: 'huge' })
    const text = await (await get(jwks)).text()
    expect(text.length).toBeGreaterThan(4 * 1024 * 1024)
    expect((JSON.parse(text) as { keys: unknown[] }).keys.length).toBeGreaterThan(1000)
  })

  test('html is a page with status 200', async () => {
    const { get, json } = createWorld()
    await json('POST', '/_mock/faults', { match: 'userinfo', kind: 'html' })
    const response = await get('/userinfo')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/html')
  })

  test('redirect points to the given location', async () => {
    const { get, json } = createWorld()
    await json('POST', '/_mock/faults', {
      match: 'jwks',
      kind: 'redirect',
      location: 'http://127.0.0.1:9/keys',
    })
    const response = await get(jwks)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe('http://127.0.0.1:9/keys')
  })

  test('json responds with the given body', async () => {
    const { get, json } = createWorld()
    await json('POST', '/_mock/faults', { match: 'userinfo', kind: 'json', body: { sub: 7 } })
    expect(await (await get('/userinfo')).json()).toEqual({ sub: 7 })
  })
})

test('one fault applies to a request, the oldest that matches, and the log names it', async () => {
  const { get, json } = createWorld()
  const first = await json('POST', '/_mock/faults', { match: '*', kind: 'status', status: 500, count: 1 })
  await json('POST', '/_mock/faults', { match: 'jwks', kind: 'status', status: 502, count: 1 })
  expect([(await get(jwks)).status, (await get(jwks)).status, (await get(jwks)).status]).toEqual([
    500, 502, 200,
  ])
  const { requests } = await json<{ requests: { fault?: string }[] }>('GET', `/_mock/requests?path=${jwks}`)
  expect(requests.map(({ fault }) => fault)).toEqual([String(first.id), 'fault-2', undefined])
})

test('faults never apply to control calls and pages', async () => {
  const { get, json } = createWorld()
  await json('POST', '/_mock/faults', { match: '*', kind: 'status' })
  for (const path of ['/', '/_mock/users', '/avatars/fan-0001.png', '/end-session', '/assets/base.css']) {
    expect((await get(path)).status).toBe(200)
  }
  expect((await get('/revoke')).status).toBe(404)
})

test('an invalid fault is rejected with a list of the accepted members', async () => {
  const { send } = createWorld()
  for (const body of [
    { match: 'everything', kind: 'status' },
    { match: 'jwks', kind: 'explode' },
    { match: 'jwks', kind: 'status', status: '503' },
    { match: 'jwks', kind: 'status', count: 0 },
    { match: 'jwks', kind: 'status', colour: 'red' },
    { kind: 'status' },
  ]) {
    const response = await send('POST', '/_mock/faults', body)
    expect(response.status).toBe(400)
    expect(((await response.json()) as { error_description: string }).error_description).toContain(
      'Accepted: match',
    )
  }
})

/** Lets started requests run until they wait. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
}
