/** Errors of a body before validation, and errors of its schema. */
import { expect, test } from 'bun:test'
import { createApp } from '../../../src/app/app.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { type Fan, onEngine } from '../../support/world.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const PATH = '/api/user/profile'
type Body = RequestInit['body']

onEngine(sqliteEngine, 'request bodies', world => {
  const post = async (body: Body, headers: Record<string, string> = JSON_TYPE, fan?: Fan) =>
    (fan ?? (await world.fan())).send(PATH, { method: 'POST', body, headers })

  test('malformed JSON is 400 malformed_request', async () => {
    for (const body of [
      '{',
      '{"bio":}',
      "{'bio':'x'}",
      '{"bio":"x"} more',
      'undefined',
      '[1,]',
      '{"a":NaN}',
    ]) {
      const answer = await post(body)
      expect([body, answer.status, answer.body.code]).toEqual([body, 400, 'malformed_request'])
    }
  })

  test('an empty body with the media type of JSON is 400, and no body is an empty object', async () => {
    const answer = await post('')
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
      400,
      'malformed_request',
      'The body is empty.',
    ])
    expect((await post(null, {})).status).toBe(201)
  })

  test('bytes that are not UTF-8 are 400 malformed_request', async () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]]) {
      const body = Buffer.concat([Buffer.from('{"bio":"'), Buffer.from(bytes), Buffer.from('"}')])
      const answer = await post(body)
      expect([bytes, answer.status, answer.body.code]).toEqual([bytes, 400, 'malformed_request'])
      expect(answer.body.detail).toBe('The body is not UTF-8.')
    }
    const utf16 = await post(Buffer.from('{"bio":"x"}', 'utf16le'))
    expect([utf16.status, utf16.body.code]).toEqual([400, 'malformed_request'])
  })

  test('nesting past 32 levels is 400, and 32 levels are left to the schema', async () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    const lists = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`
    for (const body of [nested(33), lists(33), lists(30_000)]) {
      const answer = await post(body)
      expect([answer.status, answer.body.code]).toEqual([400, 'malformed_request'])
    }
    expect((await post(nested(32))).status).toBe(422)
    expect((await post(lists(32))).status).toBe(422)
  })

  test('the maximum depth of a body is a setting', async () => {
    const config = { ...world.config, maxBodyLevels: 4 }
    const app = createApp({ ...world.deps, config })
    const statusOf = async (body: string) => {
      const headers = { ...JSON_TYPE, authorization: `Bearer ${(await world.fan()).token}` }
      const request = new Request(`http://localhost${PATH}`, { method: 'POST', headers, body })
      return (await app.handle(request)).status
    }
    expect(await statusOf('[[[[1]]]]')).toBe(422)
    expect(await statusOf('[[[[[1]]]]]')).toBe(400)
  })

  test('a body beyond the limit is 413, with Content-Length or in chunks', async () => {
    const limit = world.config.maxBodyBytes
    const filled = (bytes: number) => `{"bio":"${'x'.repeat(bytes - 10)}"}`
    expect(Buffer.byteLength(filled(limit))).toBe(limit)
    const over = await post(filled(limit + 1))
    expect([over.status, over.body.code]).toEqual([413, 'payload_too_large'])
    expect((await post(filled(limit))).status).toBe(422)

    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 4096
        controller.enqueue(new Uint8Array(4096).fill(0x20))
        if (sent >= 100 * limit) controller.close()
      },
    })
    const chunked = await post(endless)
    expect([chunked.status, chunked.body.code]).toEqual([413, 'payload_too_large'])
    expect(sent).toBeLessThan(2 * limit)
    const lying = await post('{}', { ...JSON_TYPE, 'content-length': String(limit + 1) })
    expect(lying.status).toBe(413)
  })

  test('a body of exactly the limit with a Content-Length is read, and one byte more is 413', async () => {
    const limit = world.config.maxBodyBytes
    const padded = (bytes: number) => '{"bio":"x"}'.padEnd(bytes)
    const announced = (bytes: number) =>
      post(padded(bytes), { ...JSON_TYPE, 'content-length': String(bytes) })
    expect((await announced(limit)).status).toBe(201)
    expect((await announced(limit + 1)).body.code).toBe('payload_too_large')
  })

  test('of duplicate members the last counts, at any depth, also for the fingerprint of a repeat', async () => {
    const fan = await world.fan()
    const send = (body: string, path = PATH) =>
      fan.send(path, { method: 'POST', body, headers: { ...JSON_TYPE, 'idempotency-key': 'last' } })
    const twice = await send('{"bio":"first","bio":"last","country":7,"country":"GB"}')
    expect([twice.status, twice.body.bio, twice.body.country]).toEqual([201, 'last', 'GB'])
    const once = await send('{"bio":"last","country":"GB"}')
    expect([once.status, once.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect((await send('{"bio":"last","bio":"first","country":"GB"}')).status).toBe(422)
    const nested = await send('{"profile":{"bio":"a","bio":"b"}}', '/api/user/onboarding')
    expect([nested.status, (await fan.get(PATH)).body.bio]).toEqual([200, 'b'])
    const refused = await post('{"bio":"first","bio":7}', JSON_TYPE, fan)
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/bio'])
  })

  test('another media type than JSON is 415', async () => {
    const form = new FormData()
    form.set('bio', 'x')
    for (const [body, headers] of [
      [Buffer.from('{"bio":"x"}'), {}],
      ['{"bio":"x"}', { 'content-type': 'text/plain' }],
      ['{"bio":"x"}', { 'content-type': 'application/jsonp' }],
      ['{"bio":"x"}', { 'content-type': 'application/problem+json' }],
      ['bio=x', { 'content-type': 'application/x-www-form-urlencoded' }],
      [form, {}],
      ['<bio/>', { 'content-type': 'application/xml' }],
      ['{"bio":"x"}', { 'content-type': '' }],
      ['{"bio":"x"}', { 'content-type': 'application/json; charset=latin1' }],
      ['{"bio":"x"}', { 'content-type': 'application/json;charset="utf-16"' }],
      ['{"bio":"x"}', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
      ['{"bio":"x"}', { ...JSON_TYPE, 'content-encoding': 'br' }],
    ] as [Body, Record<string, string>][]) {
      const answer = await post(body, headers)
      expect([headers, answer.status, answer.body.code]).toEqual([headers, 415, 'unsupported_media_type'])
    }
  })

  test('JSON is accepted with any spelling of its media type, and with a byte order mark', async () => {
    for (const type of [
      'application/json;charset=utf-8',
      'Application/JSON; Charset="UTF-8"',
      'application/json ; profile=x',
    ]) {
      const { status, body } = await post('{"bio":"x"}', { 'content-type': type })
      expect([type, status, body.bio]).toEqual([type, 201, 'x'])
    }
    expect((await post('{"bio":"x"}', { ...JSON_TYPE, 'content-encoding': 'identity' })).status).toBe(201)
    expect((await post('\ufeff{"bio":"x"}')).status).toBe(201)
  })

  test('unknown members are 422 by name, prototypes and their like included, and nothing is written', async () => {
    const fan = await world.fan()
    for (const [body, pointer] of [
      ['{"points":5}', '/points'],
      ['{"bio":"x","id":"me"}', '/id'],
      ['{"__proto__":{"points":5}}', '/__proto__'],
      ['{"__proto__":null}', '/__proto__'],
      ['{"constructor":{"prototype":{}}}', '/constructor'],
      ['{"toString":"x"}', '/toString'],
      ['{"bio":{"toString":"x"}}', '/bio/toString'],
      ['{"bio":[{"valueOf":1}]}', '/bio/0/valueOf'],
      ['{"a/b~c":1}', '/a~1b~0c'],
      ['{"":1}', '/'],
    ] as const) {
      const answer = await post(body, JSON_TYPE, fan)
      expect([body, answer.status, answer.body.code]).toEqual([body, 422, 'validation_failed'])
      expect(answer.body.errors).toContainEqual({ pointer, message: 'is not a member of this request' })
    }
    expect(({} as Record<string, unknown>).points).toBeUndefined()
    expect((await fan.get(PATH)).status).toBe(404)
  })

  test('wrong types are 422 and never coerced, at any depth', async () => {
    for (const body of [
      '{"bio":7}',
      '{"bio":true}',
      '{"bio":["x"]}',
      '{"bio":{}}',
      '[]',
      '"text"',
      'null',
      '7',
      'true',
      '[{"bio":"x"}]',
    ]) {
      const answer = await post(body)
      expect([body, answer.status, answer.body.code]).toEqual([body, 422, 'validation_failed'])
      expect(answer.body.errors.length).toBeGreaterThan(0)
    }
    const fan = await world.fan()
    for (const joinLeaderboard of ['true', 1, null, {}]) {
      const answer = await fan.post('/api/user/onboarding', { joinLeaderboard })
      expect([joinLeaderboard, answer.status]).toEqual([joinLeaderboard, 422])
      expect(answer.body.errors[0].pointer).toBe('/joinLeaderboard')
    }
  })

  test('NUL and lone surrogates are 422 in values and in keys, at any depth, and the response is well-formed', async () => {
    for (const [body, pointer] of [
      ['{"bio":"a\\u0000b"}', '/bio'],
      ['{"bio":"\\ud800"}', '/bio'],
      ['{"bio":"\\udc00\\ud800"}', '/bio'],
      ['{"\\u0000":1}', ''],
      ['{"bio":{"\\ud83d":1}}', '/bio'],
      ['{"x":[["ok","\\udfff"]]}', '/x/0/1'],
    ] as const) {
      const answer = await post(body)
      expect([body, answer.status, answer.body.code]).toEqual([body, 422, 'validation_failed'])
      expect(answer.body.errors[0].pointer).toBe(pointer)
      expect(JSON.stringify(answer.body).isWellFormed()).toBe(true)
    }
    expect((await post('{"bio":"\\ud83c\\udfdf"}')).body.bio).toBe('🏟')
  })

  test('text that cannot be stored is listed with the other errors of the body', async () => {
    const { status, body } = await post(
      '{"bio":"a\\u0000b","locale":"\\ud800","country":"UK","toString":1,"x":1}',
    )
    expect([status, body.code]).toEqual([422, 'validation_failed'])
    expect(body.errors).toEqual([
      { pointer: '/bio', message: 'must not contain NUL or lone surrogates' },
      { pointer: '/locale', message: 'must not contain NUL or lone surrogates' },
      { pointer: '/toString', message: 'is not a member of this request' },
      { pointer: '/x', message: 'is not a member of this request' },
      { pointer: '/country', message: 'must be an ISO 3166-1 alpha-2 code in capitals, such as GB or null' },
    ])
  })

  test('NUL in a member that the schema accepts is refused, and nothing is written', async () => {
    const fan = await world.fan()
    const { status, body } = await fan.post('/api/rewards/claim', { rewardId: 'a\0b' })
    expect([status, body.errors]).toEqual([
      422,
      [{ pointer: '/rewardId', message: 'must not contain NUL or lone surrogates' }],
    ])
    expect((await fan.get(PATH)).status).toBe(404)
  })

  test('text that cannot be stored tells an anonymous caller only to sign in', async () => {
    const { status, body } = await world.anonymous.post(PATH, { bio: '\0' })
    expect([status, body.code]).toEqual([401, 'unauthenticated'])
  })

  test('at most twenty errors are listed, without the invalid values', async () => {
    const members = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`member${n}`, 'hunter2']))
    const { status, body } = await post(JSON.stringify({ ...members, handle: 'HUNTER2 !' }))
    expect([status, body.errors.length]).toEqual([422, 20])
    expect(JSON.stringify(body).toLowerCase()).not.toContain('hunter2')
  })

  test('a long name and thousands of faults make a short answer, and an anonymous caller gets 401', async () => {
    const faults = Array.from({ length: 11_000 }, () => '"\\u0000"').join(',')
    const body = `{"${'k'.repeat(100_000)}":[${faults}]}`
    const send = async (credential?: string) => {
      const headers = new Headers(JSON_TYPE)
      if (credential) headers.set('authorization', `Bearer ${credential}`)
      const request = new Request('http://localhost/api/events', { method: 'POST', headers, body })
      const response = await world.app.handle(request)
      return { status: response.status, text: await response.text() }
    }
    const refused = await send(await world.serverKey(['events:write']))
    expect(refused.status).toBe(422)
    expect(refused.text.length).toBeLessThan(2_000)
    // All of them are at the same place, as far as it is told.
    expect(JSON.parse(refused.text).errors).toHaveLength(1)
    expect((await send()).status).toBe(401)
  })

  test('an unknown member with a long name is reported by the start of its name', async () => {
    const { status, body } = await post(`{"${'k'.repeat(60_000)}":1}`)
    expect([status, body.errors]).toEqual([
      422,
      [{ pointer: `/${'k'.repeat(254)}…`, message: 'is not a member of this request' }],
    ])
  })

  test('a syntax error has its position in a short body, and a long body is not parsed again to find it', async () => {
    const detailOf = async (length: number) => (await post(`{"bio":"${'x'.repeat(length)}",}`)).body.detail
    expect(await detailOf(10)).toBe('The body is not JSON: line 1, column 21.')
    expect(await detailOf(17_000)).toBe('The body is not JSON.')
  })

  test('a caller without a token gets 401 before the body is validated', async () => {
    const { status, body } = await world.anonymous.post(PATH, { points: 5 })
    expect([status, body.code]).toEqual([401, 'unauthenticated'])
  })
})
