/**
 * The console on the world of a suite, with staff of every role:
 *
 *     onEachEngine('granting points in the console', world => {
 *       const { as } = consoleOf(world)
 *       test('…', async () => {
 *         const { status, body } = await as('support').post('/api/fans/FAN/grants', { points: 5, reason: 'a delay' })
 *
 * Every response of a success is held to the schema of its operation, every problem to the problem document.
 */
import { errorsOf } from '../../src/core/formats.ts'
import { linkIdOf } from '../../src/core/staff-ids.ts'
import type { Role } from '../../src/identity/staff/roles.ts'
import { csrfTokenOf } from '../../src/identity/staff/sessions/secrets.ts'
import { createSession } from '../../src/identity/staff/sessions/sessions.ts'
import { createConsoleApi, createConsoleApp } from '../../src/operate/console/app.ts'
import type { ConsoleDeps } from '../../src/operate/console/deps.ts'
import { cookieName } from '../../src/operate/console/sessions/cookie.ts'
import { declaredOf } from '../../src/platform/http/contract/operation.ts'
import { templateOf } from '../../src/platform/http/edge/methods.ts'
import type { Answer } from '../support/client.ts'
import type { World } from '../support/world.ts'

export const CONSOLE_ORIGIN = 'http://localhost:3100'

/** A person who is signed in: requests have the cookie, the CSRF token and the origin. */
interface StaffClient {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  put(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body?: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Headers as given, after those of the session. */
  send(path: string, init: RequestInit): Promise<Answer>
}

/** A session, for tests of sessions. */
interface SignedIn {
  id: string
  token: string
  csrfToken: string
  expiresAt: Date
  /** Headers of a signed-in browser. */
  headers: Record<string, string>
}

interface TestConsole {
  app: ReturnType<typeof createConsoleApp>
  /** A person of this role. `name` tells several people of a role apart. */
  as(role: Role, name?: string): StaffClient
  /** A new session. `staffId`: by default that of a link. */
  signIn(role: Role, name?: string, staffId?: string): Promise<SignedIn>
  /** Without a session. */
  anonymous: StaffClient
  /** With headers of its own alone. */
  client(headers: Record<string, string> | (() => Promise<Record<string, string>>)): StaffClient
}

/** For hooks and tests, when the world exists. `replaced`: other dependencies, such as a configuration; `createApi`: more operations. */
export function consoleOf(
  world: World,
  replaced: () => Partial<ConsoleDeps> = () => ({}),
  createApi = createConsoleApi,
): TestConsole {
  let made: { app: TestConsole['app']; judge: Judge; deps: ConsoleDeps } | undefined
  let madeFor: ConsoleDeps['db'] | undefined
  const current = () => {
    // With `worldPer: 'test'` the world changes.
    if (!made || madeFor !== world.db) {
      const deps: ConsoleDeps = { ...world.deps, ...replaced() }
      made = { app: createConsoleApp(deps, createApi), judge: createJudge(deps, createApi), deps }
      madeFor = world.db
      sessions.clear()
    }
    return made
  }
  const sessions = new Map<string, Promise<SignedIn>>()

  async function signIn(role: Role, name = `Test ${role}`, staffId = linkIdOf(name)): Promise<SignedIn> {
    const { deps } = current()
    const session = await deps.db.write(tx => createSession(tx, { id: staffId, name, role }))
    const { id, token, expiresAt } = session
    const csrfToken = csrfTokenOf(token)
    const cookie = `${cookieName(deps.config.console?.secure ?? false)}=${token}`
    const origin = deps.config.console?.url ?? CONSOLE_ORIGIN
    return { id, token, csrfToken, expiresAt, headers: { cookie, origin, 'x-csrf-token': csrfToken } }
  }

  function client(headers: Parameters<TestConsole['client']>[0]): StaffClient {
    async function send(path: string, init: RequestInit): Promise<Answer> {
      const { app, judge } = current()
      const own = typeof headers === 'function' ? await headers() : headers
      const sent = new Headers({ host: new URL(CONSOLE_ORIGIN).host, ...own })
      new Headers(init.headers).forEach((value, name) => void sent.set(name, value))
      const request = new Request(CONSOLE_ORIGIN + path, { ...init, headers: sent })
      const response = await app.handle(request)
      const text = await response.text()
      const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '')
      const body = isJson ? JSON.parse(text) : text
      const fault = isJson ? judge(request, response, body) : null
      if (fault) throw new Error(`${request.method} ${path} answered ${response.status}: ${fault}\n${text}`)
      return { status: response.status, headers: response.headers, body }
    }
    const withBody = (method: string) => (path: string, body?: unknown) =>
      send(path, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      })
    return {
      send,
      get: path => send(path, { method: 'GET' }),
      delete: path => send(path, { method: 'DELETE' }),
      post: withBody('POST'),
      put: withBody('PUT'),
      patch: withBody('PATCH'),
    }
  }

  return {
    get app() {
      return current().app
    },
    signIn,
    client,
    anonymous: client({ origin: CONSOLE_ORIGIN }),
    as: (role, name) =>
      client(async () => {
        current()
        const key = `${role} ${name}`
        const known = await sessions.get(key)
        // A test may have moved the clock past its end.
        if (known && known.expiresAt > world.deps.now()) return known.headers
        const session = signIn(role, name)
        sessions.set(key, session)
        return (await session).headers
      }),
  }
}

/** Returns what is wrong with a response; null when nothing is. */
type Judge = (request: Request, response: Response, body: unknown) => string | null

function createJudge(deps: ConsoleDeps, createApi: typeof createConsoleApi): Judge {
  const { routes } = createApi(deps)
  return (request, response, body) => {
    const { status } = response
    if (!response.headers.get('x-request-id')) return 'it has no X-Request-Id'
    if (response.headers.get('content-type')?.startsWith('application/problem+json')) {
      const { code, requestId, title } = Object(body)
      return (status >= 400 || status === 202) && code && requestId && title
        ? null
        : 'this is no problem document'
    }
    const template = templateOf(routes, new URL(request.url).pathname)
    const route = routes.find(({ method, path }) => method === request.method && path === template)
    const schema = route && declaredOf(route)?.responses[status]
    if (!schema) return `no operation declares this status (${template})`
    const error = errorsOf(schema, body).First()
    return error ? `${error.path} ${error.message}` : null
  }
}
