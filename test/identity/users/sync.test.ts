import { afterEach, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { control, tokenOf } from '../auth/provider-controls.ts'

onEachEngine('POST /api/user/sync-mock-idp', world => {
  const now = () => new Date(world.clock.ms).toISOString()
  const pull = (client: Client) => client.post('/api/user/sync-mock-idp')
  const atProvider = (subject: string) => control(world, 'GET', `/users/${subject}`)
  const change = (subject: string, claims: object) => control(world, 'PATCH', `/users/${subject}`, claims)
  const answerWith = (body: unknown) =>
    control(world, 'POST', '/faults', { match: 'userinfo', kind: 'json', body })

  afterEach(() => control(world, 'DELETE', '/faults'))

  test('the path without a provider’s name does the same', async () => {
    const fan = await world.fan()
    const neutral = await fan.post('/api/user/sync-identity')
    const named = await pull(fan)
    expect([neutral.status, named.status]).toEqual([200, 200])
    expect(neutral.body).toEqual({ ...named.body, changed: ['email', 'emailVerified', 'name', 'picture'] })
    expect(named.body.changed).toEqual([])
  })

  test('the first sync creates the record, mirrors the claims, and lists the changed fields', async () => {
    const fan = await world.fan()
    expect((await fan.get('/api/user/profile')).status).toBe(404)
    const { email, email_verified, name, picture, updated_at } = await atProvider(fan.subject)
    const { status, body } = await pull(fan)
    expect([status, body]).toEqual([
      200,
      {
        identity: {
          provider: 'mock-idp',
          subject: fan.subject,
          email,
          emailVerified: email_verified,
          name,
          picture,
          updatedAt: new Date(updated_at * 1000).toISOString(),
          syncedAt: now(),
        },
        changed: ['email', 'emailVerified', 'name', 'picture'],
        syncedAt: now(),
      },
    ])
    expect((await fan.get('/api/user/profile')).body.identity).toEqual(body.identity)
  })

  test('a repetition changes only syncedAt', async () => {
    const fan = await world.fan()
    const first = (await pull(fan)).body
    world.clock.advance(60_000)
    const again = (await pull(fan)).body
    expect(again).toEqual({
      identity: { ...first.identity, syncedAt: now() },
      changed: [],
      syncedAt: now(),
    })
  })

  test('lists only the fields that changed at the provider, and clears removed values', async () => {
    const fan = await world.fan()
    await pull(fan)
    await change(fan.subject, { name: 'Marta Nova', email: null })
    const { changed, identity } = (await pull(fan)).body
    expect(changed).toEqual(['email', 'name'])
    expect(identity).toMatchObject({ email: null, name: 'Marta Nova' })
  })

  test('never overwrites values of the fan, and supplies the missing ones', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { displayName: 'The Twelfth Man', bio: 'Away days' })
    await change(fan.subject, { name: 'Someone Else' })
    await pull(fan)
    const { displayName, bio, avatarUrl, identity } = (await fan.get('/api/user/profile')).body
    expect([displayName, bio]).toEqual(['The Twelfth Man', 'Away days'])
    expect([identity.name, avatarUrl]).toEqual(['Someone Else', identity.picture])

    await fan.patch('/api/user/profile', { displayName: null })
    expect((await fan.get('/api/user/profile')).body.displayName).toBe('Someone Else')
    await change(fan.subject, { name: 'Another One' })
    await pull(fan)
    expect((await fan.get('/api/user/profile')).body.displayName).toBe('Another One')
  })

  test('a response older than the mirror changes nothing', async () => {
    const fan = await world.fan()
    const { identity } = (await pull(fan)).body
    const updated_at = Date.parse(identity.updatedAt) / 1000 - 1
    await answerWith({ sub: fan.subject, name: 'Of Yesterday', updated_at })
    world.clock.advance(1_000)
    const late = (await pull(fan)).body
    expect([late.changed, late.identity]).toEqual([[], identity])
  })

  test('a response with the same updated_at is applied, because it is stated later', async () => {
    const fan = await world.fan()
    const { identity } = (await pull(fan)).body
    const updated_at = Date.parse(identity.updatedAt) / 1000
    await answerWith({ sub: fan.subject, name: 'Aaron', updated_at })
    world.clock.advance(1)
    expect((await pull(fan)).body.identity.name).toBe('Aaron')
  })

  test('without updated_at, a response is ordered by the time of the request', async () => {
    const fan = await world.fan()
    await answerWith({ sub: fan.subject, name: 'Timeless' })
    expect((await pull(fan)).body.identity).toMatchObject({ name: 'Timeless', updatedAt: now() })
  })

  test('refuses a native token, which the provider does not accept', async () => {
    const fan = await world.fan()
    const { token } = (await fan.post('/api/auth/native-token', {})).body
    const { status, body } = await pull(world.withToken(token))
    expect([status, body.code]).toEqual([403, 'session_required'])
    expect((await fan.get('/api/user/profile')).status).toBe(404)
  })

  test('refuses an anonymous caller', async () => {
    const { status, body } = await pull(world.anonymous)
    expect([status, body.code]).toEqual([401, 'unauthenticated'])
  })

  test('reports that the provider refuses the token, and creates no record', async () => {
    const fan = await world.fan()
    await fan.get('/api/user/onboarding')
    await control(world, 'DELETE', `/users/${fan.subject}`)
    const { status, body } = await pull(fan)
    expect([status, body.code]).toEqual([502, 'identity_provider_refused'])
    expect((await fan.get('/api/user/profile')).status).toBe(404)
  })

  test('twenty concurrent syncs of a new fan create one record', async () => {
    const fan = await world.fan()
    const answers = await Promise.all(Array.from({ length: 20 }, () => pull(fan)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const { users, identities } = world.db.tables
    const made = await world.db.read.select().from(users).where(eq(users.subject, fan.subject))
    expect(made).toHaveLength(1)
    const mirrors = await world.db.read
      .select()
      .from(identities)
      .where(eq(identities.userId, made[0]?.id ?? ''))
    expect(mirrors).toHaveLength(1)
  })

  const member: Record<string, string> = {
    email: 'email',
    email_verified: 'emailVerified',
    name: 'name',
    picture: 'picture',
  }
  const good = {
    email: 'kop@example.net',
    email_verified: true,
    name: 'Kop End',
    picture: 'https://example.net/kop.png',
  }
  const bad: [claim: keyof typeof good, values: unknown[]][] = [
    ['email', [17, true, ['a@example.net'], { a: 1 }, '', `${'m'.repeat(320)}@example.net`]],
    ['email_verified', ['yes', 1, 0, {}, []]],
    ['name', [17, false, {}, [], '   ', 'bell\u0007', 'n'.repeat(201), '\u202e\u2066', '\u200b']],
    [
      'picture',
      [
        'javascript:alert(1)',
        'kop.png',
        9,
        `https://example.net/${'p'.repeat(2048)}`,
        `https://example.net/${'é'.repeat(400)}`,
        'https://kop@example.net/kop.png',
      ],
    ],
  ]
  for (const [claim, values] of bad) {
    test(`an invalid ${claim} is left out, and only its name is reported`, async () => {
      for (const value of values) {
        const fan = await world.fan()
        world.logged.length = 0
        await control(world, 'DELETE', '/faults')
        await answerWith({ sub: fan.subject, ...good, [claim]: value })
        const { status, body } = await pull(fan)
        expect(status).toBe(200)
        expect(body.identity).toMatchObject({
          email: good.email,
          emailVerified: good.email_verified,
          name: good.name,
          picture: good.picture,
          [member[claim] ?? '']: null,
        })
        const reports = world.logged.map(line => JSON.parse(line)).filter(line => 'claims' in line)
        expect(reports).toEqual([expect.objectContaining({ level: 40, claims: [claim] })])
        for (const secret of ['kop@', 'alert(1)', 'nnnn', 'mmmm', 'pppp'])
          expect(world.logged.join()).not.toContain(secret)
      }
    })
  }

  test('removes bidirectional controls from a name, and serialises a picture as the URL Standard does', async () => {
    const fan = await world.fan()
    await answerWith({
      sub: fan.subject,
      name: '\u202eKop\u200f \u2066End\u2069\u061c',
      picture: 'HTTPS://Example.net/"><script>',
    })
    const picture = 'https://example.net/%22%3E%3Cscript%3E'
    expect((await pull(fan)).body.identity).toMatchObject({ name: 'Kop End', picture })
    expect((await fan.get('/api/user/profile')).body).toMatchObject({
      displayName: 'Kop End',
      avatarUrl: picture,
    })
  })

  test.each([
    ['invisible characters', 'K\u200bop', 'Kop'],
    ['styled letters', '𝓚𝓸𝓹', 'Kop'],
    ['stacked marks', 'Ko\u0334\u0335\u0336\u0337p', 'Ko\u0334\u0335p'],
    ['blanks, which leave the name out', '\u2800\u2800', null],
    ['letters that look like Latin ones, which leave the name out', 'К\u043ep Kop\u0435', null],
  ])('holds a name to the rules of names that fans write: %s', async (_, name, shown) => {
    const fan = await world.fan()
    await answerWith({ sub: fan.subject, name })
    const answer = await pull(fan)
    expect([answer.status, answer.body.identity.name]).toEqual([200, shown])
    expect((await fan.get('/api/user/profile')).body.displayName).toBe(shown)
  })

  test('an invalid updated_at is reported, and the time of the request is used instead', async () => {
    for (const updated_at of ['yesterday', -1, 1_786_818_600_000, true, '2026-13-45T00:00:00Z']) {
      const fan = await world.fan()
      await control(world, 'DELETE', '/faults')
      world.logged.length = 0
      await answerWith({ sub: fan.subject, ...good, updated_at })
      expect((await pull(fan)).body.identity).toMatchObject({ name: good.name, updatedAt: now() })
      expect(world.logged.some(line => line.includes('"claims":["updated_at"]'))).toBe(true)
    }
  })

  test('accepts other formats of providers: "true" as a string, times in ISO 8601', async () => {
    const fan = await world.fan()
    await answerWith({ sub: fan.subject, email_verified: 'true', updated_at: '2026-08-01T12:00:00+02:00' })
    expect((await pull(fan)).body.identity).toMatchObject({
      emailVerified: true,
      updatedAt: '2026-08-01T10:00:00.000Z',
    })
  })

  test('missing claims and null are valid', async () => {
    const fan = await world.fan()
    world.logged.length = 0
    await answerWith({ sub: fan.subject, name: null })
    expect((await pull(fan)).body.changed).toEqual([])
    expect(world.logged.join()).not.toContain('claims')
  })

  test('uses the caller’s own token: the record of another fan is unchanged', async () => {
    const [one, other] = [await world.fan(), await world.fan()]
    await pull(other)
    const before = (await other.get('/api/user/profile')).body
    await change(one.subject, { name: 'Only Me' })
    const token = await tokenOf(world, { sub: one.subject })
    expect((await pull(world.withToken(token))).body.identity.name).toBe('Only Me')
    expect((await other.get('/api/user/profile')).body).toEqual(before)
  })
})
