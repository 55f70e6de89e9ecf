/** Every operation of the console × every role × every way to have no valid session. New operations are in it by themselves. */
import { describe, expect, test } from 'bun:test'
import { mayDo, ROLES } from '../../src/identity/staff/roles.ts'
import { SESSION_MS } from '../../src/identity/staff/sessions/sessions.ts'
import { createConsoleApi } from '../../src/operate/console/app.ts'
import { consoleDeclaredOf } from '../../src/operate/console/contract/operation.ts'
import { declaredOf } from '../../src/platform/http/contract/operation.ts'
import { onEachEngine } from '../support/world.ts'
import { CONSOLE_ORIGIN, consoleOf } from './support.ts'

/** Operations without a session. */
const WITHOUT_SESSION = [
  'endProviderSessions',
  'finishProviderSignIn',
  'readLink',
  'readSignInOptions',
  'signIn',
  'startProviderSignIn',
]

onEachEngine('every operation of the console', world => {
  const { client, signIn } = consoleOf(world)

  interface Walked {
    id: string
    method: string
    path: string
    body: unknown
    takesReason: boolean
  }
  const routes = () => createConsoleApi(world.deps).routes
  const walked = () =>
    routes().flatMap(route => {
      const [declared, ofConsole] = [declaredOf(route), consoleDeclaredOf(route)]
      if (!declared || !ofConsole) return []
      // Values of path parameters are of nothing: who gets in gets at most a 404.
      const path = route.path.replace(/:\w+/g, 'unknown')
      const { id, examples } = declared
      return [{ id, method: route.method, path, body: examples.body, ...ofConsole, route }]
    })
  const call = (
    { method, path, body }: Pick<Walked, 'method' | 'path' | 'body'>,
    headers: Record<string, string>,
  ) =>
    client(headers).send(path, {
      method,
      ...(method === 'GET' || method === 'DELETE'
        ? {}
        : { body: JSON.stringify(body ?? {}), headers: { 'content-type': 'application/json' } }),
    })
  const isRead = ({ method }: { method: string }) => method === 'GET'

  test('every route below /api is an operation with a permission, or one of those that sign in', () => {
    const without = routes()
      .filter(route => !consoleDeclaredOf(route))
      .map(route => declaredOf(route)?.id ?? route.path)
    expect(without.toSorted()).toEqual(WITHOUT_SESSION)
    expect(walked().length).toBeGreaterThan(2)
    const ids = walked().map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
  })

  test('every write has an example body, and takes a reason or says how to undo it', () => {
    for (const { id, method, body, reversible, route } of walked()) {
      if (method === 'GET') continue
      const properties = Object(route.hooks.body).properties ?? {}
      expect([id, 'reason' in properties || reversible !== undefined]).toEqual([id, true])
      if (method !== 'DELETE') expect([id, body]).not.toEqual([id, undefined])
    }
  })

  test('without a session the response is 401', async () => {
    for (const operation of walked()) {
      const { status, body } = await call(operation, { origin: CONSOLE_ORIGIN })
      expect([operation.id, status, body.code]).toEqual([operation.id, 401, 'session_required'])
    }
  })

  describe.each([
    ['an expired session', () => world.clock.advance(SESSION_MS)],
    [
      'an ended session',
      (headers: Record<string, string>) =>
        call({ method: 'POST', path: '/api/session/end', body: {} }, headers),
    ],
  ])('with %s', (_, end) => {
    test('the response is 401 for every role', async () => {
      for (const role of ROLES) {
        const { headers } = await signIn(role)
        expect((await call({ method: 'GET', path: '/api/session', body: {} }, headers)).status).toBe(200)
        await end(headers)
        for (const operation of walked()) {
          const { status, body } = await call(operation, headers)
          expect([role, operation.id, status, body.code]).toEqual([
            role,
            operation.id,
            401,
            'session_required',
          ])
        }
      }
    })
  })

  test('a token that is changed, or sent in two cookies, is refused', async () => {
    const { headers } = await signIn('owner')
    for (const cookie of [`${headers.cookie}x`, `${headers.cookie}; ${headers.cookie}`, ''])
      expect((await client({ ...headers, cookie }).get('/api/session')).status).toBe(401)
  })

  describe.each(ROLES.map(role => [role] as const))('for %s', role => {
    test('a write without the CSRF token, or with that of another session, is refused', async () => {
      const [{ headers }, other] = [await signIn(role), await signIn('owner')]
      for (const operation of walked().filter(one => !isRead(one))) {
        for (const csrf of ['', 'wrong', other.csrfToken]) {
          const { status, body } = await call(operation, { ...headers, 'x-csrf-token': csrf })
          expect([operation.id, status, body.code]).toEqual([operation.id, 403, 'csrf_failed'])
        }
      }
    })

    test('nothing is read for a page of another origin of the same site', async () => {
      const { headers } = await signIn(role)
      for (const operation of walked().filter(isRead)) {
        const { status, body } = await call(operation, { ...headers, 'sec-fetch-site': 'same-site' })
        expect([operation.id, status, body.code]).toEqual([operation.id, 403, 'csrf_failed'])
      }
    })

    test('a write from another origin, or without one, is refused', async () => {
      const { headers } = await signIn(role)
      for (const operation of walked().filter(one => !isRead(one))) {
        for (const origin of ['https://evil.example', 'http://localhost:3000', 'null', '']) {
          const { origin: _, ...rest } = headers
          const { status, body } = await call(operation, origin ? { ...rest, origin } : rest)
          expect([operation.id, origin, status, body.code]).toEqual([
            operation.id,
            origin,
            403,
            'csrf_failed',
          ])
        }
      }
    })

    test('an operation is refused exactly where the role lacks its permission', async () => {
      for (const operation of walked()) {
        // Each on a session of its own: one of them ends it.
        const { headers } = await signIn(role)
        const { status, body } = await call(operation, headers)
        const refused = status === 403 && body.code === 'permission_denied'
        expect([operation.id, refused]).toEqual([operation.id, !mayDo(role, operation.permission)])
        if (refused) expect(body.permission).toBe(operation.permission)
        else expect([401, 403, 500]).not.toContain(status)
      }
    })
  })
})
