/** Signing in with the provider of the staff: the mock provider, and every response that must not sign anyone in. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { providerIdOf } from '../../src/core/staff-ids.ts'
import { readRole } from '../../src/identity/staff/provider/sign-in.ts'
import { mintSecret } from '../../src/identity/staff/sessions/secrets.ts'
import type { ConsoleDeps } from '../../src/operate/console/deps.ts'
import { waitUntil } from '../support/wait-until.ts'
import { ISSUER, onEachEngine } from '../support/world.ts'
import { CONSOLE_ORIGIN, consoleOf } from './support.ts'

const CLIENT_ID = 'matchday-app'
const CALLBACK = `${CONSOLE_ORIGIN}/api/session/provider/callback`

onEachEngine('signing in with the provider of the staff', world => {
  /** Changes responses of the provider on their way. */
  let tamper: (request: Request, response: Response) => Promise<Response> = async (_, response) => response
  const asked: Request[] = []
  const withProvider = (provider: object = {}) =>
    consoleOf(world, () => {
      const { console } = world.config
      if (!console) throw new Error('the console is on in tests')
      const settings = {
        issuer: ISSUER,
        clientId: CLIENT_ID,
        clientSecret: null,
        roleClaim: 'preferred_username',
      }
      return {
        config: {
          ...world.config,
          console: { ...console, port: 3100, provider: { ...settings, ...provider } },
        },
        staffFetch: async request => {
          // Guarantee of the cast: a clone is of the same class.
          asked.push(request.clone() as Request)
          return tamper(request, await world.idp.handle(request))
        },
      } satisfies Partial<ConsoleDeps>
    })
  const usual = withProvider()

  let people = 0
  /** A user of the provider with the role as a claim. */
  async function person(role: string) {
    const sub = `staff-${++people}`
    const claims = { sub, name: `Person ${people}`, preferred_username: role }
    await world.idp.handle(
      new Request(`${ISSUER}/_mock/users`, {
        method: 'POST',
        body: JSON.stringify(claims),
        headers: { 'content-type': 'application/json' },
      }),
    )
    return sub
  }
  const pairOf = (cookie: string | undefined) => cookie?.split(';')[0] ?? ''
  const cookiesOf = ({ headers }: { headers: Headers }) => headers.getSetCookie()

  /** A browser goes to the provider, picks the person, and comes back: the address, and the cookie of its attempt. */
  async function authorize(sub: string, at = usual) {
    const start = await at.anonymous.get('/api/session/provider/start')
    expect(start.status).toBe(303)
    const location = new URL(start.headers.get('location') ?? '')
    const form = new URLSearchParams(location.searchParams)
    form.set('sub', sub)
    const picked = await world.idp.handle(
      new Request(`${ISSUER}/authorize`, {
        method: 'POST',
        body: form,
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: ISSUER },
      }),
    )
    const back = new URL(picked.headers.get('location') ?? '')
    return { start, location, back, cookie: pairOf(cookiesOf(start)[0]) }
  }
  const comeBack = (address: URL, cookie: string, at = usual) =>
    at.client(cookie ? { cookie } : {}).get(address.pathname + address.search)
  const refusedAs = (fault: string) => [303, `/?refused=${fault}`, 1]
  async function outcomeOf(address: URL, cookie: string, at = usual) {
    const response = await comeBack(address, cookie, at)
    // The cookie of the attempt is deleted; there is none of a session.
    return [response.status, response.headers.get('location'), cookiesOf(response).length]
  }
  beforeEach(() => {
    // Responses of the provider are cached for ten seconds.
    world.clock.advance(11_000)
    tamper = async (_, response) => response
    asked.length = 0
    world.logged.length = 0
  })

  test('goes to the provider with PKCE, a state and a nonce, which only this browser has', async () => {
    const { location, start } = await authorize(await person('owner'))
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(location.searchParams)
    expect([state?.length, nonce?.length, code_challenge?.length]).toEqual([43, 43, 43])
    expect(rest).toEqual({
      ...{ response_type: 'code', client_id: CLIENT_ID, redirect_uri: CALLBACK },
      ...{ scope: 'openid profile email', code_challenge_method: 'S256' },
    })
    expect(cookiesOf(start)[0]).toMatch(
      /^matchday_console_sign_in=[\w-]{100,400}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600$/,
    )
  })

  test('signs in with the role of the claim, for as long as a link does', async () => {
    const sub = await person('finance')
    const { back, cookie } = await authorize(sub)
    const response = await comeBack(back, cookie)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
    const [forgotten, session] = cookiesOf(response)
    expect(forgotten).toContain('matchday_console_sign_in=; ')
    expect(session).toMatch(/^matchday_console=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=28800$/)
    const { body } = await usual.client({ cookie: pairOf(session) }).get('/api/session')
    expect(body.staff).toEqual({ id: providerIdOf(ISSUER, sub), name: `Person ${people}`, role: 'finance' })
    const { entries } = (
      await usual.as('owner').get(`/api/audit?staffId=${encodeURIComponent(providerIdOf(ISSUER, sub))}`)
    ).body
    expect(entries).toMatchObject([{ operation: 'signIn', detail: { provider: true } }])
  })

  /** Signs the person in, and changes their claim at the provider to another role afterwards. */
  async function signedInAs(role: string, next: string) {
    const sub = await person(role)
    const { back, cookie } = await authorize(sub)
    const [, session] = cookiesOf(await comeBack(back, cookie))
    await world.idp.handle(
      new Request(`${ISSUER}/_mock/users/${sub}`, {
        method: 'PATCH',
        body: JSON.stringify({ preferred_username: next }),
        headers: { 'content-type': 'application/json' },
      }),
    )
    const client = usual.client({ cookie: pairOf(session) })
    return { sub, isIn: async () => (await client.get('/api/session')).status === 200 }
  }

  test('a sign-in without a role ends what an earlier role began', async () => {
    const { sub, isIn } = await signedInAs('owner', 'fan')
    expect(await isIn()).toBe(true)
    const { back, cookie } = await authorize(sub)
    expect(await outcomeOf(back, cookie)).toEqual(refusedAs('no_role'))
    expect(await isIn()).toBe(false)
    const { entries } = (await usual.as('owner').get('/api/audit?staffId=provider&limit=1')).body
    expect(entries).toMatchObject([
      { operation: 'endProviderSessions', subject: { id: providerIdOf(ISSUER, sub) }, detail: { ended: 1 } },
    ])
  })

  test('a sign-in in another role ends the sessions in the former one', async () => {
    const { sub, isIn } = await signedInAs('owner', 'support')
    const { back, cookie } = await authorize(sub)
    const [, session] = cookiesOf(await comeBack(back, cookie))
    expect(await isIn()).toBe(false)
    const { body } = await usual.client({ cookie: pairOf(session) }).get('/api/session')
    expect(body.staff.role).toBe('support')
  })

  test('signs nobody in without a role, and reports it', async () => {
    const { back, cookie } = await authorize(await person('fan'))
    expect(await outcomeOf(back, cookie)).toEqual(refusedAs('no_role'))
    await waitUntil('the event is logged', () =>
      world.logged.some(line => line.includes('"console_sign_in_refused"')),
    )
    expect(world.logged.join('')).not.toContain(back.searchParams.get('code') ?? 'code')
  })

  test('a response is accepted only in the browser that started the sign-in, with its cookie', async () => {
    const [own, other] = [await authorize(await person('owner')), await authorize(await person('owner'))]
    expect(await outcomeOf(own.back, '')).toEqual(refusedAs('expired'))
    expect(await outcomeOf(own.back, other.cookie)).toEqual(refusedAs('expired'))
    // A code of another sign-in with the own state: the verifier does not match.
    const mixed = new URL(own.back)
    mixed.searchParams.set('code', other.back.searchParams.get('code') ?? '')
    expect(await outcomeOf(mixed, own.cookie)).toEqual(refusedAs('provider'))
  })

  test('a code is used once', async () => {
    const { back, cookie } = await authorize(await person('owner'))
    expect((await comeBack(back, cookie)).headers.get('location')).toBe('/')
    expect(await outcomeOf(back, cookie)).toEqual(refusedAs('expired'))
    expect(tokenRequests()).toHaveLength(1)
  })

  const tokenRequests = () => asked.filter(({ url }) => url.endsWith('/token'))
  const attemptOf = (value: string) => `matchday_console_sign_in=${value}`

  test('the provider is asked only for a sign-in that began here', async () => {
    const { back, cookie } = await authorize(await person('owner'))
    const sealed = cookie.split('=')[1] ?? ''
    const forged = [
      attemptOf('S.N.V'),
      attemptOf('S'),
      attemptOf(`${sealed.slice(0, -2)}AA`),
      attemptOf(mintSecret(size => world.deps.randomBytes(size))),
    ]
    for (const made of forged) {
      expect(await outcomeOf(back, made)).toEqual(refusedAs('expired'))
      const own = new URL(`${CALLBACK}?code=x&state=S`)
      expect(await outcomeOf(own, made)).toEqual(refusedAs('expired'))
    }
    world.clock.advance(601_000)
    expect(await outcomeOf(back, cookie)).toEqual(refusedAs('expired'))
    expect(tokenRequests()).toEqual([])
  })

  test('of concurrent responses with one cookie, one reaches the provider', async () => {
    const { back, cookie } = await authorize(await person('owner'))
    const answers = await Promise.all(Array.from({ length: 8 }, () => comeBack(back, cookie)))
    const places = answers.map(({ headers }) => headers.get('location'))
    expect(places.filter(place => place === '/')).toHaveLength(1)
    expect(tokenRequests()).toHaveLength(1)
  })

  test('codes that the provider refuses count as failures of their address; sign-ins that succeed do not', async () => {
    const busy = withProvider()
    const sub = await person('owner')
    const finish = async (code?: string) => {
      const { back, cookie } = await authorize(sub, busy)
      if (code !== undefined) back.searchParams.set('code', code)
      return (await comeBack(back, cookie, busy)).status
    }
    expect(await finish()).toBe(303)
    for (let n = 0; n < 60; n++) expect(await finish('wrong')).toBe(303)
    expect([await finish('wrong'), await finish()]).toEqual([429, 429])
    expect(tokenRequests()).toHaveLength(61)
  })

  test('of codes that come at the same moment, the provider judges as many as the limit leaves', async () => {
    const busy = withProvider()
    const sub = await person('owner')
    const begun = await Promise.all(Array.from({ length: 64 }, () => authorize(sub, busy)))
    const answers = begun.map(async ({ back, cookie }) => {
      back.searchParams.set('code', 'wrong')
      return (await comeBack(back, cookie, busy)).status
    })
    const statuses = await Promise.all(answers)
    expect(statuses.filter(status => status === 429)).toHaveLength(4)
    expect(tokenRequests()).toHaveLength(60)
  })

  test('a refusal at the provider is shown', async () => {
    const { back, cookie } = await authorize(await person('owner'))
    const refused = new URL(back)
    refused.searchParams.delete('code')
    refused.searchParams.set('error', 'access_denied')
    expect(await outcomeOf(refused, cookie)).toEqual(refusedAs('denied'))
  })

  test('a response of another issuer is refused', async () => {
    const { back, cookie } = await authorize(await person('owner'))
    back.searchParams.set('iss', 'https://other.example')
    expect(await outcomeOf(back, cookie)).toEqual(refusedAs('provider'))
    expect(tokenRequests()).toEqual([])
  })

  /** The ID token with another payload or header, as it would be without a valid signature. */
  const forge = (change: (claims: Record<string, unknown>) => object, header?: object) => {
    tamper = async (request, response) => {
      if (!request.url.endsWith('/token') || !response.ok) return response
      const body = (await response.json()) as { id_token: string }
      const [head = '', payload = '', signature = ''] = body.id_token.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const forged = `${header ? encode(header) : head}.${encode(change(claims))}.${header ? '' : signature}`
      return Response.json({ ...body, id_token: forged })
    }
  }

  test.each([
    ['another role', (claims: object) => ({ ...claims, preferred_username: 'owner' }), undefined],
    ['no algorithm', (claims: object) => claims, { alg: 'none', typ: 'JWT' }],
  ])('a forged ID token is refused: %s', async (_, change, header) => {
    const { back, cookie } = await authorize(await person('support'))
    forge(change, header)
    expect(await outcomeOf(back, cookie)).toEqual(refusedAs('provider'))
  })

  test.each([
    ['is empty', '', '/?refused=provider'],
    ['is a number', 1, '/?refused=provider'],
    ['is longer than 255 characters', 'x'.repeat(256), '/?refused=provider'],
    ['is no ASCII', 'zoë', '/?refused=provider'],
    ['is of OpenID Connect', 'auth0|5f7c8ec7c33c6c004bbafe82', '/'],
  ])('a subject that %s leads to the right page', async (_, sub, page) => {
    const { back, cookie } = await authorize(await person('owner'))
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    tamper = async (request, response) => {
      if (request.url.endsWith('/jwks.json')) return Response.json({ keys: [await exportJWK(publicKey)] })
      if (!request.url.endsWith('/token')) return response
      const body = (await response.json()) as { id_token: string }
      const claims = Object.assign(decodeJwt(body.id_token), { sub })
      const signed = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
      return Response.json({ ...body, id_token: signed })
    }
    expect((await comeBack(back, cookie)).headers.get('location')).toBe(page)
  })

  test('an ID token of another sign-in is refused by its nonce', async () => {
    const [first, second] = [await authorize(await person('owner')), await authorize(await person('owner'))]
    let kept: string | undefined
    tamper = async (request, response) => {
      if (!request.url.endsWith('/token')) return response
      const body = (await response.json()) as { id_token: string }
      kept ??= body.id_token
      return Response.json({ ...body, id_token: kept })
    }
    expect((await comeBack(first.back, first.cookie)).headers.get('location')).toBe('/')
    expect(await outcomeOf(second.back, second.cookie)).toEqual(refusedAs('provider'))
  })

  test('a code for another client is refused', async () => {
    const other = withProvider({ clientId: 'matchday-swagger' })
    const { back, cookie } = await authorize(await person('owner'), other)
    let swapped = false
    tamper = async (request, response) => {
      swapped ||= request.url.endsWith('/token')
      return response
    }
    // The callback is of a console with another client id.
    expect(await outcomeOf(back, cookie)).toEqual(refusedAs('provider'))
    expect(swapped).toBe(true)
  })

  test('a secret of the client is sent in the header alone', async () => {
    const confidential = withProvider({ clientSecret: 'a secret/with:signs' })
    tamper = async (request, response) => {
      if (!request.url.includes('openid-configuration')) return response
      const document = (await response.json()) as object
      return Response.json({ ...document, token_endpoint_auth_methods_supported: ['client_secret_basic'] })
    }
    const { back, cookie } = await authorize(await person('owner'), confidential)
    await comeBack(back, cookie, confidential)
    const request = asked.find(({ url }) => url.endsWith('/token'))
    const sent = `${encodeURIComponent(CLIENT_ID)}:${encodeURIComponent('a secret/with:signs')}`
    expect(request?.headers.get('authorization')).toBe(`Basic ${Buffer.from(sent).toString('base64')}`)
    expect(await request?.text()).not.toContain('secret')
  })

  test('a provider that does not respond leads to an explanation', async () => {
    tamper = async () => new Response('down', { status: 503 })
    const { status, headers } = await usual.anonymous.get('/api/session/provider/start')
    expect([status, headers.get('location')]).toEqual([303, '/?refused=provider'])
    expect(world.logged.join('')).toContain('the provider of the staff cannot be reached')
  })

  describe('a logout token of the provider', () => {
    // The limit of an address is per minute.
    beforeEach(() => world.clock.advance(60_000))
    const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
    const logOut = (token: string, at = usual) =>
      at.client({}).send('/api/session/provider/logout', {
        method: 'POST',
        body: new URLSearchParams({ logout_token: token }),
      })
    /** Signs a person in; the session at the provider is that of their ID token. */
    async function signedIn(sub?: string) {
      const person_ = sub ?? (await person('support'))
      const { back, cookie } = await authorize(person_)
      let sid = ''
      tamper = async (request, response) => {
        if (!request.url.endsWith('/token')) return response
        const body = (await response.json()) as { id_token: string }
        sid = String(decodeJwt(body.id_token).sid)
        return Response.json(body)
      }
      const [, session] = cookiesOf(await comeBack(back, cookie))
      tamper = async (_, response) => response
      const client = usual.client({ cookie: pairOf(session) })
      return { sub: person_, sid, isIn: async () => (await client.get('/api/session')).status === 200 }
    }
    const mint = async (sub: string, claims: object, options: object = {}) => {
      const response = await world.idp.handle(
        new Request(`${ISSUER}/_mock/tokens`, {
          method: 'POST',
          body: JSON.stringify({
            ...{ sub, typ: 'logout+jwt', expiresIn: 120, ...options },
            claims: { aud: CLIENT_ID, events: { [EVENT]: {} }, ...claims },
          }),
          headers: { 'content-type': 'application/json' },
        }),
      )
      return String(((await response.json()) as { access_token: string }).access_token)
    }

    test('ends the session that it names, and no other of the person', async () => {
      const one = await signedIn()
      const other = await signedIn(one.sub)
      expect(await logOut(await mint(one.sub, { sid: one.sid }))).toMatchObject({
        status: 200,
        body: { ended: 1 },
      })
      expect([await one.isIn(), await other.isIn()]).toEqual([false, true])
      const { entries } = (await usual.as('owner').get('/api/audit?staffId=provider&limit=1')).body
      expect(entries).toMatchObject([
        { operation: 'endProviderSessions', detail: { staffId: providerIdOf(ISSUER, one.sub) } },
      ])
    })

    test('ends all sessions of the person without the name of one, and of nobody else', async () => {
      const [one, stranger] = [await signedIn(), await signedIn()]
      const other = await signedIn(one.sub)
      const answer = await logOut(await mint(one.sub, { sid: null }))
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect([await one.isIn(), await other.isIn(), await stranger.isIn()]).toEqual([false, false, true])
    })

    test('of another person does not end a session that it names', async () => {
      const [one, stranger] = [await signedIn(), await signedIn()]
      expect((await logOut(await mint(stranger.sub, { sid: one.sid }))).body).toEqual({ ended: 0 })
      expect(await one.isIn()).toBe(true)
    })

    test('that is sent again does not end a session that began after it', async () => {
      const one = await signedIn()
      const token = await mint(one.sub, { sid: null })
      expect((await logOut(token)).body).toEqual({ ended: 1 })
      expect((await logOut(token)).body).toEqual({ ended: 0 })
      world.clock.advance(60_000)
      const later = await signedIn(one.sub)
      expect((await logOut(token)).body).toEqual({ ended: 0 })
      expect(await later.isIn()).toBe(true)
    })

    test.each<[string, object, object]>([
      ['is signed by another key', {}, { defect: 'wrong_key' }],
      ['has no signature', {}, { defect: 'alg_none' }],
      ['has an unknown key', {}, { defect: 'unknown_kid' }],
      ['is signed with the public key as a secret', {}, { defect: 'hs256_public_key' }],
      ['brings its own key', {}, { defect: 'embedded_jwk' }],
      ['has expired', {}, { defect: 'expired' }],
      ['is of the future', {}, { defect: 'future_iat' }],
      ['is of another issuer', {}, { defect: 'wrong_issuer' }],
      ['is for another client', { aud: 'matchday-swagger' }, {}],
      ['is an ID token', { nonce: 'x' }, { typ: 'JWT' }],
      ['is an access token', {}, { typ: 'at+jwt' }],
      ['is of no logout', { events: null }, {}],
      ['is of another event', { events: { 'http://schemas.openid.net/event/other': {} } }, {}],
      ['has an event that is no object', { events: { [EVENT]: true } }, {}],
      ['has no jti', { jti: null }, {}],
      ['names nobody', { sub: null, sid: null }, {}],
      ['is older than ten minutes, without an end', { iat: 1, exp: 4_102_444_800 }, {}],
    ])('that %s is refused', async (_, claims, options) => {
      const one = await signedIn()
      const { status, body } = await logOut(await mint(one.sub, { sid: one.sid, ...claims }, options))
      expect([status, body.code]).toEqual([400, 'logout_token_not_valid'])
      expect(await one.isIn()).toBe(true)
      await waitUntil('the event is logged', () =>
        world.logged.some(line => line.includes('"console_logout_refused"')),
      )
      expect(world.logged.join('')).not.toContain(one.sid)
    })

    test('counts once: a session that starts within the clock tolerance of a used token stays', async () => {
      const one = await signedIn()
      const token = await mint(one.sub, { sid: null })
      expect((await logOut(token)).body).toEqual({ ended: 1 })
      const next = await signedIn(one.sub)
      expect((await logOut(token)).body).toEqual({ ended: 0 })
      expect(await next.isIn()).toBe(true)
    })

    test('ends as many sessions as the provider asks for, whatever others send from its address', async () => {
      const sessions = []
      for (let n = 0; n < 70; n++) sessions.push(await signedIn())
      asked.length = 0
      for (let n = 0; n < 70; n++) expect((await logOut('a.b.c')).status).toBe(400)
      const forged = await mint(sessions[0]?.sub ?? '', {}, { defect: 'wrong_key' })
      for (let n = 0; n < 70; n++) expect((await logOut(forged)).status).toBe(400)
      // Discovery and keys are asked for once.
      expect(asked.length).toBeLessThanOrEqual(2)
      for (const { sub, sid } of sessions)
        expect((await logOut(await mint(sub, { sid }))).body).toEqual({ ended: 1 })
    })

    test('verifies with a key that is new at the provider', async () => {
      const one = await signedIn()
      await world.idp.handle(new Request(`${ISSUER}/_mock/keys/rotate`, { method: 'POST' }))
      world.clock.advance(1_000)
      expect((await logOut(await mint(one.sub, { sid: one.sid }))).body).toEqual({ ended: 1 })
    })

    test.each([
      ['nothing', '', 400],
      ['a word', 'x', 400],
      ['no claims', 'a.b.c', 400],
      ['too long a text', 'x'.repeat(20_000), 422],
    ])('that is %s is refused, and the provider is not asked', async (_, token, refused) => {
      expect((await logOut(token)).status).toBe(refused)
      expect(asked).toEqual([])
    })

    test('is accepted only by a console with a provider', async () => {
      const { status, body } = await logOut('a.b.c', consoleOf(world))
      expect([status, body.code]).toEqual([400, 'logout_token_not_valid'])
    })

    test('ends nothing while the keys of the provider cannot be read, and can be sent again', async () => {
      const one = await signedIn()
      const token = await mint(one.sub, { sid: one.sid })
      world.clock.advance(11_000)
      tamper = async () => new Response('down', { status: 503 })
      const { status, body } = await logOut(token)
      expect([status, body.code, await one.isIn()]).toEqual([503, 'identity_provider_unavailable', true])
      tamper = async (_, response) => response
      expect((await logOut(token)).body).toEqual({ ended: 1 })
    })

    test('does not end sessions by links', async () => {
      const { headers } = await usual.signIn('owner', 'Linked')
      const sub = await person('owner')
      await logOut(await mint(sub, { sub: 'link:Linked', sid: null }))
      expect((await usual.client(headers).get('/api/session')).status).toBe(200)
    })
  })

  test('a picture in the page of another site begins no sign-in, and locks nobody out', async () => {
    const start = (headers: object = {}) =>
      usual.client({}).send('/api/session/provider/start', { headers: { ...headers } })
    for (let n = 0; n < 70; n++) {
      const answer = await start({ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' })
      expect([answer.status, answer.headers.get('location'), cookiesOf(answer)]).toEqual([303, '/', []])
    }
    for (let n = 0; n < 70; n++) {
      const answer = await start({ 'sec-fetch-site': 'same-origin' })
      expect([answer.status, answer.headers.get('location')?.startsWith(ISSUER)]).toEqual([303, true])
    }
  })

  test('the page learns whether there is a provider', async () => {
    expect((await usual.anonymous.get('/api/session/provider')).body).toEqual({ provider: 'localhost:4000' })
    const without = consoleOf(world)
    expect((await without.anonymous.get('/api/session/provider')).body).toEqual({ provider: null })
    const { headers } = await without.anonymous.get('/api/session/provider/start')
    expect(headers.get('location')).toBe('/?refused=provider')
  })
})

describe('the role of a claim', () => {
  test.each([
    ['a text', { roles: 'editor' }, 'roles', 'editor'],
    ['a list', { roles: ['staff', 'moderator'] }, 'roles', 'moderator'],
    ['a prefix', { groups: ['matchday-owner'] }, 'groups', 'owner'],
    ['of several the last in order', { roles: ['owner', 'support'] }, 'roles', 'owner'],
    ['a path', { realm_access: { roles: ['finance'] } }, 'realm_access.roles', 'finance'],
    [
      'a name with dots',
      { 'https://club.example/roles': ['support'] },
      'https://club.example/roles',
      'support',
    ],
    ['a list in a text', { roles: '["support"]' }, 'roles', null],
    ['a word among others', { roles: 'not an owner, sorry' }, 'roles', null],
    ['words in a list', { roles: ['staff owner', 7, ['owner']] }, 'roles', null],
    ['a word in another case', { roles: 'Owner' }, 'roles', null],
    ['nothing', {}, 'roles', null],
    ['another type', { roles: { owner: true } }, 'roles', null],
    ['a part of a word', { roles: ['co-owner', 'ownership'] }, 'roles', null],
    ['what objects inherit', {}, 'constructor.name', null],
  ])('is read from %s', (_, claims, path, role) => {
    expect(readRole(claims, path)).toBe(role as ReturnType<typeof readRole>)
  })
})
