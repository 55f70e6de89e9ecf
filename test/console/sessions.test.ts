/** Signing in to the console by a link, and what guards it. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { linkIdOf } from '../../src/core/staff-ids.ts'
import { issueLink } from '../../src/identity/staff/sessions/links.ts'
import { SESSION_MS } from '../../src/identity/staff/sessions/sessions.ts'
import { sweepConsole } from '../../src/identity/staff/sweep.ts'
import { onEachEngine } from '../support/world.ts'
import { CONSOLE_ORIGIN, consoleOf } from './support.ts'

const MINUTE = 60_000

onEachEngine('signing in to the console', world => {
  const { anonymous, as, client, signIn: session } = consoleOf(world)
  const person = { name: 'Ada Lovelace', role: 'finance' } as const
  const issue = async (staff: Parameters<typeof issueLink>[1] = person) =>
    (await world.db.write(tx => issueLink(tx, staff))).secret
  const signIn = (secret: string, by = anonymous) => by.post('/api/session/sign-in', { secret })
  const cookieOf = ({ headers }: { headers: Headers }) => headers.get('set-cookie') ?? ''
  const pairOf = (cookie: string) => cookie.split(';')[0] ?? ''
  const read = (cookie: string) => client({ cookie }).get('/api/session')
  const events = () =>
    world.logged.flatMap(line => {
      const { securityEvent, ...rest } = JSON.parse(line)
      return securityEvent ? [[securityEvent, rest] as const] : []
    })
  beforeEach(() => {
    world.logged.length = 0
  })

  test('a link names its person without being used, and signs in once', async () => {
    const secret = await issue()
    for (const _ of [1, 2]) {
      const { status, body } = await anonymous.post('/api/session/link', { secret })
      expect([status, body]).toEqual([200, person])
    }
    const { status, body } = await signIn(secret)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      staff: { id: 'link:adalovelace', ...person },
      expiresAt: new Date(world.clock.ms + SESSION_MS).toISOString(),
      production: false,
    })
    expect(body.permissions).toContain('refunds.write')
    expect(body.permissions).not.toContain('fans.erase')
    expect((await signIn(secret)).body.code).toBe('link_not_valid')
    expect((await anonymous.post('/api/session/link', { secret })).status).toBe(401)
  })

  test('the cookie cannot be read by scripts, is not sent by other sites, and ends with the session', async () => {
    const cookie = cookieOf(await signIn(await issue()))
    expect(cookie.replace(/=[^;]+/, '=TOKEN')).toBe(
      'matchday_console=TOKEN; HttpOnly; SameSite=Strict; Path=/; Max-Age=28800',
    )
  })

  test('over TLS the cookie is sent over TLS alone, and only this host can set it', async () => {
    const url = 'https://console.club.example'
    const { console } = world.config
    if (!console) throw new Error('the console is on in tests')
    const secured = consoleOf(world, () => ({
      config: { ...world.config, console: { ...console, url, secure: true } },
    }))
    const response = await signIn(await issue(), secured.client({ origin: url }))
    expect(cookieOf(response)).toMatch(/^__Host-matchday_console=[^;]+; .*; Path=\/; .*; Secure$/)
    expect((await signIn(await issue(), secured.anonymous)).body.code).toBe('csrf_failed')
    expect((await secured.as('owner').get('/api/session')).status).toBe(200)
  })

  test('of many who use a link at the same time, one is signed in', async () => {
    const secret = await issue()
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(secret)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(7)
  })

  test('a link ends after ten minutes', async () => {
    const [early, late] = [await issue(), await issue()]
    world.clock.advance(10 * MINUTE - 1)
    expect((await signIn(early)).status).toBe(200)
    world.clock.advance(1)
    expect((await signIn(late)).body.code).toBe('link_not_valid')
  })

  test('neither the database nor the log has the secret or the token', async () => {
    const secret = await issue()
    const token = pairOf(cookieOf(await signIn(secret))).split('=')[1] ?? ''
    await signIn(secret)
    expect(token.length).toBe(43)
    const { consoleLinks, consoleSessions, consoleAudit } = world.db.tables
    const stored = await Promise.all(
      [consoleLinks, consoleSessions, consoleAudit].map(table => world.db.read.select().from(table)),
    )
    const kept = JSON.stringify(stored) + world.logged.join('')
    expect(kept).not.toContain(secret)
    expect(kept).not.toContain(token)
  })

  test('a used link and an unknown one are security events, without the secret', async () => {
    const secret = await issue()
    await signIn(secret)
    await signIn(secret)
    await signIn('guessed')
    expect(events()).toMatchObject([
      ['console_link_reused', { path: '/api/session/sign-in' }],
      ['console_link_refused', { path: '/api/session/sign-in' }],
    ])
  })

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['the public port', { origin: 'http://localhost:3000' }],
    [
      'a name that resolves to the loopback',
      { origin: 'http://evil.example:3100', host: 'evil.example:3100' },
    ],
    ['no browser', {}],
  ])('%s cannot sign a browser in', async (_, headers) => {
    const secret = await issue()
    const { status, body, headers: sent } = await signIn(secret, client(headers as Record<string, string>))
    expect([status, body.code, sent.get('set-cookie')]).toEqual([403, 'csrf_failed', null])
    // A form of another site can send no JSON either.
    const form = await client({ origin: CONSOLE_ORIGIN }).send('/api/session/sign-in', {
      method: 'POST',
      body: JSON.stringify({ secret }),
      headers: { 'content-type': 'text/plain' },
    })
    expect(form.status).toBe(415)
    expect((await signIn(secret)).status).toBe(200)
  })

  test('a token that the browser had before is worth nothing after a sign-in', async () => {
    const planted = pairOf(cookieOf(await signIn(await issue({ name: 'Mallory', role: 'support' }))))
    const response = await signIn(await issue(), client({ cookie: planted, origin: CONSOLE_ORIGIN }))
    expect(response.status).toBe(200)
    expect(pairOf(cookieOf(response))).not.toBe(planted)
    expect((await read(planted)).status).toBe(401)
    expect((await read('matchday_console=unknown')).status).toBe(401)
  })

  test('signing out ends the session on the server, and deletes the cookie', async () => {
    const { headers } = await session('support')
    const { status, headers: sent, body } = await client(headers).post('/api/session/end', {})
    expect([status, body]).toEqual([200, { ended: true }])
    expect(sent.get('set-cookie')).toBe('matchday_console=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0')
    expect((await read(headers.cookie ?? '')).status).toBe(401)
  })

  test('the audit log has the link, the sign-in and the sign-out', async () => {
    const name = 'Grace Hopper'
    const response = await signIn(await issue({ name, role: 'editor' }))
    const headers = { cookie: pairOf(cookieOf(response)), 'x-csrf-token': response.body.csrfToken }
    await client({ ...headers, origin: CONSOLE_ORIGIN }).post('/api/session/end', {})
    const { entries } = (await as('owner').get('/api/audit?limit=3')).body
    expect(entries).toMatchObject([
      { operation: 'endSession', staff: { name } },
      { operation: 'signIn', staff: { id: linkIdOf(name), name, role: 'editor' } },
      { operation: 'issueLink', staff: { id: 'operator' }, subject: { kind: 'staff', id: linkIdOf(name) } },
    ])
  })

  test('the sweep deletes expired sessions and old links, and nothing else', async () => {
    const [, kept] = [await issue(), await session('owner', 'Kept')]
    world.clock.advance(1)
    await sweepConsole(world.db)
    expect((await client(kept.headers).get('/api/session')).status).toBe(200)
    world.clock.advance(49 * 60 * MINUTE)
    const fresh = await session('owner', 'Fresh')
    await sweepConsole(world.db)
    const { consoleLinks, consoleSessions } = world.db.tables
    expect(await world.db.read.select().from(consoleLinks)).toEqual([])
    expect((await world.db.read.select().from(consoleSessions)).map(({ id }) => id)).toEqual([fresh.id])
  })

  describe('responses', () => {
    test('of the API are not cached, are not framed, and are for this origin alone', async () => {
      const { headers } = await as('owner').send('/api/session', {
        headers: { origin: 'http://localhost:3000' },
      })
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    })

    test.each(['/', '/sign-in', '/fans/unknown'])(
      'the page of %s runs no foreign or inline script, and is not framed',
      async path => {
        const { status, headers } = await anonymous.get(path)
        const policy = headers.get('content-security-policy') ?? ''
        expect([status, headers.get('content-type'), headers.get('x-frame-options')]).toEqual([
          200,
          'text/html;charset=utf-8',
          'DENY',
        ])
        expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
        expect(policy).toContain("frame-ancestors 'none'")
        expect(policy).not.toContain('unsafe')
      },
    )

    test.each([
      ['an unknown operation', 'GET', '/api/nothing', 404],
      ['a file that is not there', 'GET', '/old-build.js', 404],
      ['a path out of the folder', 'GET', '/..%2f..%2fpackage.json', 404],
      ['another method', 'PUT', '/api/session', 405],
    ])('%s is refused', async (_, method, path, status) => {
      expect((await anonymous.send(path, { method })).status).toBe(status)
    })
  })

  test('nothing of the console is on the port of the API', async () => {
    for (const path of ['/api/session', '/api/audit', '/sign-in'])
      expect((await world.anonymous.get(path)).status).toBe(404)
  })
})

// A world of its own: its events fill what the log writes of one name in a second.
onEachEngine('guessing links of the console', world => {
  const { anonymous, as, client } = consoleOf(world)

  test('is limited for each address, and reported', async () => {
    const answers = []
    for (let nth = 0; nth < 65; nth++)
      answers.push(await anonymous.post('/api/session/sign-in', { secret: `guess ${nth}` }))
    expect(answers.map(({ status }) => status).filter(status => status === 429)).toHaveLength(5)
    expect(world.logged.some(line => line.includes('"sign_in_limit_reached"'))).toBe(true)
    const { secret } = await world.db.write(tx => issueLink(tx, { name: 'Grace', role: 'support' }))
    expect((await anonymous.post('/api/session/sign-in', { secret })).status).toBe(200)
    // Existing sessions still work.
    expect((await as('support').get('/api/session')).status).toBe(200)
  })

  test.each([
    ['a picture in its page', 'GET', '/api/session/sign-in', 405],
    ['a form that it sends', 'POST', '/api/session/sign-in', 403],
    ['an address that cannot be read', 'GET', '/api/session/provider/callback?bad=%zz', 400],
    ['a response of no sign-in', 'GET', '/api/session/provider/callback?code=1&state=2', 303],
  ])('another site locks nobody out by %s', async (_, method, path, status) => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://other.example' }
    const stranger = client({})
    for (let nth = 0; nth < 70; nth++)
      expect((await stranger.send(path, { method, headers })).status).toBe(status)
    const { secret } = await world.db.write(tx => issueLink(tx, { name: 'Grace', role: 'support' }))
    expect((await anonymous.post('/api/session/sign-in', { secret })).status).toBe(200)
    const callback = await stranger.get('/api/session/provider/callback?code=1&state=2')
    expect(callback.status).toBe(303)
  })
})
