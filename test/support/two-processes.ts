/** Two processes of the API on one database, for races: real sockets, real tokens. */
import { afterAll, beforeAll } from 'bun:test'
import type { Sources } from '../../db/index.ts'
import { createClock } from './clock.ts'
import type { engines, TemporaryDatabase } from './engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from './processes.ts'

const FANS = 200

/**
 * Started before the tests of a suite, and stopped after them. `settings`: further variables of their environment.
 * `sources`: of this process, whose clock stands still; that of the two does not.
 */
export function useTwoProcesses(
  engine: (typeof engines)[number],
  settings: Record<string, string> = {},
  sources: Sources = createClock(),
) {
  let temporary: TemporaryDatabase
  let provider: RunningProvider
  let apis: RunningApi[]

  beforeAll(async () => {
    temporary = await engine.open(sources)
    provider = await startProvider({ fans: FANS })
    const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer, ...settings }
    apis = await Promise.all([startApi(env), startApi(env)])
  })

  afterAll(async () => {
    await Promise.all(apis.map(api => api.stop()))
    await provider.stop()
    await temporary.remove()
  })

  const tokenOf = (n: number) => provider.idp.issueToken(`fan-${String(n).padStart(4, '0')}`)

  /** The n-th request goes to the one process or to the other. */
  async function call(n: number, token: string, method: string, path: string, body?: unknown) {
    const response = await fetch(`${apis[n % 2]?.origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    const { headers, status } = response
    return { status, headers, body: (text ? JSON.parse(text) : {}) as Record<string, unknown> }
  }

  return {
    /** Of this process. */
    get db() {
      return temporary.db
    },
    get url() {
      return temporary.url ?? ''
    },
    /** Of the n-th fan, 1 to 200. */
    tokenOf,
    call,
    /** The n-th fan, with a record and a handle. */
    async fan(n: number) {
      const [token, handle] = [await tokenOf(n), `fan_${n}`]
      const { body } = await call(n, token, 'POST', '/api/user/profile', { handle })
      return { token, handle, id: String(body.id) }
    },
  }
}
