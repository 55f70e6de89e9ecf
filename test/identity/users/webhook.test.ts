import { expect, test } from 'bun:test'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { deleted, deliver, type Envelope, sign, updated } from './deliveries.ts'

const OTHER_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

onEachEngine('POST /api/webhooks/identity', world => {
  async function synced(): Promise<Fan> {
    const fan = await world.fan()
    expect((await fan.post('/api/user/sync-mock-idp')).status).toBe(200)
    return fan
  }
  const identityOf = async (fan: Fan) => (await fan.get('/api/user/profile')).body.identity
  /** The current time, newer than the provider's seed data. */
  const news = (fan: Fan, claims: object = {}) =>
    updated(world, fan.subject, {
      updated_at: Math.floor(world.clock.ms / 1000),
      name: 'News',
      ...claims,
    })

  test('a signed user.updated changes the claims that it contains, and returns 204', async () => {
    const fan = await synced()
    const { emailVerified, picture } = await identityOf(fan)
    const { status, body } = await deliver(world, news(fan, { email: 'news@example.net' }))
    expect([status, body]).toEqual([204, undefined])
    expect([typeof emailVerified, typeof picture]).toEqual(['boolean', 'string'])
    expect(await identityOf(fan)).toMatchObject({
      name: 'News',
      email: 'news@example.net',
      emailVerified,
      picture,
      updatedAt: new Date(world.clock.ms).toISOString(),
    })
  })

  test('null clears a claim, and a claim of the wrong type keeps its value', async () => {
    const fan = await synced()
    const { emailVerified, picture } = await identityOf(fan)
    const claims = { name: null, email: null, email_verified: 'maybe', picture: 7 }
    expect((await deliver(world, news(fan, claims))).status).toBe(204)
    expect(await identityOf(fan)).toMatchObject({ name: null, email: null, emailVerified, picture })
  })

  test('events with different claims end in the same mirror in either order', async () => {
    const now = Math.floor(world.clock.ms / 1000)
    const events = (fan: Fan) => [
      updated(world, fan.subject, { updated_at: now - 2, email: 'one@example.net', picture: null }),
      updated(world, fan.subject, { updated_at: now - 1, name: 'Two' }),
      updated(world, fan.subject, { updated_at: now, email_verified: false }),
    ]
    const ends = []
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2, 1, 0],
    ]) {
      const fan = await synced()
      for (const at of order) expect((await deliver(world, events(fan)[at])).status).toBe(204)
      const { subject: _, ...end } = await identityOf(fan)
      ends.push(end)
    }
    const end = { email: 'one@example.net', emailVerified: false, name: 'Two', picture: null }
    expect(ends).toEqual(ends.map(() => expect.objectContaining(end)))
  })

  test('times in the year 2999 do not block later changes', async () => {
    const fan = await synced()
    const event = news(fan, { name: 'Of 2999', updated_at: 32_472_144_000 })
    expect((await deliver(world, { ...event, timestamp: '2999-01-01T00:00:00.000Z' })).status).toBe(204)
    expect(await identityOf(fan)).toMatchObject({
      name: 'Of 2999',
      updatedAt: new Date(world.clock.ms).toISOString(),
    })
    world.clock.advance(1_000)
    expect((await deliver(world, news(fan, { name: 'Of today' }))).status).toBe(204)
    expect((await identityOf(fan)).name).toBe('Of today')
  })

  test('an event older than the mirror is accepted and changes nothing', async () => {
    const fan = await synced()
    const before = await identityOf(fan)
    const updated_at = Date.parse(before.updatedAt) / 1000 - 1
    expect((await deliver(world, news(fan, { updated_at }))).status).toBe(204)
    expect(await identityOf(fan)).toEqual(before)
  })

  const forgeries: [why: string, envelope: (world: { ms: number }) => Envelope][] = [
    ['has no webhook-id', () => ({ headers: { 'webhook-id': null } })],
    ['has no webhook-timestamp', () => ({ headers: { 'webhook-timestamp': null } })],
    ['has no webhook-signature', () => ({ headers: { 'webhook-signature': null } })],
    ['has another webhook-id than was signed', () => ({ headers: { 'webhook-id': 'msg_2' } })],
    [
      'has another webhook-timestamp than was signed',
      clock => ({ headers: { 'webhook-timestamp': String(Math.floor(clock.ms / 1000) + 1) } }),
    ],
    ['has a timestamp that is none', () => ({ headers: { 'webhook-timestamp': 'now' } })],
    ['has a signature that is none', () => ({ headers: { 'webhook-signature': 'v1,' } })],
    ['has a signature of another scheme', () => ({ headers: { 'webhook-signature': 'v1a,AAAA' } })],
    ['is signed with another secret', () => ({ secret: OTHER_SECRET })],
    ['is more than five minutes old', () => ({ skew: -301 })],
    ['is more than five minutes ahead', () => ({ skew: 301 })],
  ]
  for (const [why, envelope] of forgeries) {
    test(`refuses with 401 a delivery that ${why}`, async () => {
      const fan = await synced()
      const before = await identityOf(fan)
      const { status, body } = await deliver(world, news(fan), envelope(world.clock))
      expect([status, body.code]).toEqual([401, 'invalid_signature'])
      expect(await identityOf(fan)).toEqual(before)
    })
  }

  test('tolerates a clock difference of five minutes', async () => {
    const fan = await synced()
    for (const skew of [-300, 300])
      expect((await deliver(world, news(fan, { name: `${skew}` }), { skew })).status).toBe(204)
  })

  test('refuses a body with one changed byte', async () => {
    const fan = await synced()
    const before = await identityOf(fan)
    const body = JSON.stringify(news(fan)).replace('News', 'Newt')
    expect((await deliver(world, news(fan), { body })).status).toBe(401)
    // The same JSON in different bytes.
    expect((await deliver(world, news(fan), { body: `${JSON.stringify(news(fan))} ` })).status).toBe(401)
    expect(await identityOf(fan)).toEqual(before)
  })

  test('accepts one valid signature among several, as sent during the rotation of a secret', async () => {
    const fan = await synced()
    const event = news(fan, { name: 'Rotated' })
    const at = String(Math.floor(world.clock.ms / 1000))
    const signed = (secret: string) => sign(secret, 'msg_1', at, JSON.stringify(event))
    const right = signed(world.config.identity.webhookSecret)
    const wrong = signed(OTHER_SECRET)
    const send = (signatures: string[]) =>
      deliver(world, event, { headers: { 'webhook-signature': signatures.join(' ') } })
    expect((await send([wrong, 'v1a,AAAA', wrong])).status).toBe(401)
    expect((await send([wrong, right])).status).toBe(204)
    expect((await send([right, wrong])).status).toBe(204)
    expect((await identityOf(fan)).name).toBe('Rotated')
  })

  test('an unsigned request does not disclose the schema, and a signed invalid one is 422', async () => {
    for (const garbage of [{}, { type: 5 }, [], 'text', { type: 'user.updated', data: {} }]) {
      const unsigned = await deliver(world, garbage, { headers: { 'webhook-signature': null } })
      expect([unsigned.status, unsigned.body.code]).toEqual([401, 'invalid_signature'])
      const signed = await deliver(world, garbage)
      expect([signed.status, signed.body.code]).toEqual([422, 'validation_failed'])
    }
  })

  test('a number that is not exact is refused only in a member that is read', async () => {
    const fan = await synced()
    const send = (claims: object) => {
      const body = JSON.stringify(news(fan, claims)).replaceAll('"LONG"', '12345678901234567890')
      const { webhookSecret } = world.config.identity
      const signature = sign(webhookSecret, 'msg_1', String(Math.floor(world.clock.ms / 1000)), body)
      return deliver(world, {}, { body, headers: { 'webhook-signature': signature } })
    }
    expect((await send({ membership: 'LONG', nested: { ids: ['LONG'] } })).status).toBe(204)
    const refused = await send({ sub: 'LONG' })
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, '/data/sub'])
  })

  test('names the invalid member of a signed event', async () => {
    const fan = await synced()
    const before = await identityOf(fan)
    const { data, ...rest } = news(fan)
    for (const [event, pointer] of [
      [{ ...rest, data: { ...data, sub: undefined } }, '/data/sub'],
      [{ ...rest, data: { ...data, sub: 7 } }, '/data/sub'],
      [{ ...rest, data: { ...data, sub: '' } }, '/data/sub'],
      [{ ...rest, data: { ...data, iss: 'https://elsewhere.example' } }, '/data/iss'],
      [{ ...rest, data, timestamp: 'lately' }, '/timestamp'],
      [{ ...rest, data, timestamp: 'Aug 15 2026 18:30' }, '/timestamp'],
      [{ ...rest, data, timestamp: '2026-08-15T18:30:00' }, '/timestamp'],
      [{ ...rest, data, timestamp: undefined }, '/timestamp'],
    ] as const) {
      const { status, body } = await deliver(world, event)
      expect([status, body.errors[0].pointer]).toEqual([422, pointer])
    }
    expect(await identityOf(fan)).toEqual(before)
  })

  test('lists every error of an event at once, those of its schema and of its content', async () => {
    const { data, ...rest } = news(await synced())
    const event = {
      ...rest,
      timestamp: 'lately',
      data: { ...data, sub: 7, iss: 'https://elsewhere.example' },
    }
    const { status, body } = await deliver(world, event)
    expect([status, body.errors]).toEqual([
      422,
      [
        { pointer: '/timestamp', message: 'must be an RFC 3339 instant' },
        { pointer: '/data/iss', message: 'must be the issuer of this API' },
        { pointer: '/data/sub', message: 'must be a string of 1 to 255 characters' },
      ],
    ])
  })

  test.each(['2026-08-15t18:30:00z', '2026-08-15T20:30:00.123456789+02:00'])(
    'reads the RFC 3339 instant %s',
    async timestamp => {
      const fan = await synced()
      const { status } = await deliver(world, { ...news(fan, { name: timestamp }), timestamp })
      expect(status).toBe(204)
    },
  )

  test('accepts the issuer with a trailing slash, and an event without an issuer', async () => {
    const fan = await synced()
    for (const iss of [`${world.config.identity.issuer}/`, undefined])
      expect((await deliver(world, news(fan, { iss, name: String(iss) }))).status).toBe(204)
  })

  test('accepts and ignores other types', async () => {
    const fan = await synced()
    const before = await identityOf(fan)
    for (const event of [
      { ...news(fan), type: 'user.created' },
      { ...news(fan), type: 'organization.created', data: { id: 'org_1' } },
    ])
      expect((await deliver(world, event)).status).toBe(204)
    expect(await identityOf(fan)).toEqual(before)
  })

  test('an update of an unknown user creates no record', async () => {
    const fan = await world.fan()
    expect((await deliver(world, news(fan))).status).toBe(204)
    expect((await fan.get('/api/user/profile')).status).toBe(404)
  })

  test('each invalid claim keeps its value and is reported by name', async () => {
    const fan = await synced()
    world.logged.length = 0
    const { email, picture } = await identityOf(fan)
    const claims = { name: 'Fine', email: 'x'.repeat(400), picture: 'javascript:alert(1)' }
    expect((await deliver(world, news(fan, claims))).status).toBe(204)
    expect(await identityOf(fan)).toMatchObject({ name: 'Fine', email, picture })
    expect(world.logged.some(line => line.includes('"claims":["email","picture"]'))).toBe(true)
    expect(world.logged.join()).not.toMatch(/xxxx|alert/)
  })

  test('without updated_at, an event is ordered by its timestamp', async () => {
    const fan = await synced()
    const { type, timestamp, data } = updated(world, fan.subject, { name: 'Sent Now' })
    expect((await deliver(world, { type, timestamp, data })).status).toBe(204)
    const late = { ...data, name: 'Sent Before' }
    await deliver(world, { type, timestamp: new Date(world.clock.ms - 1).toISOString(), data: late })
    expect(await identityOf(fan)).toMatchObject({ name: 'Sent Now', updatedAt: timestamp })
  })

  test('a delivery that is repeated within five minutes ends in the same state', async () => {
    const fan = await synced()
    const event = news(fan, { name: 'Once' })
    await deliver(world, event)
    const once = await identityOf(fan)
    expect((await deliver(world, event)).status).toBe(204)
    expect(await identityOf(fan)).toEqual(once)
  })

  test('is authenticated by its signature only: a bearer token is ignored', async () => {
    const fan = await synced()
    const headers = { authorization: `Bearer ${fan.token}`, 'webhook-signature': null }
    expect((await deliver(world, news(fan), { headers })).status).toBe(401)
    expect((await deliver(world, deleted(world, 'nobody'), { headers: { authorization: 'x' } })).status).toBe(
      204,
    )
  })
})
