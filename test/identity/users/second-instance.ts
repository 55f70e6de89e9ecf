/** Another instance of the application on a world's database, as after a restart or in parallel. */
import { pino } from 'pino'
import { type App, createApp } from '../../../src/app/app.ts'
import { createDeps, type Deps } from '../../../src/app/deps.ts'
import type { Fetch } from '../../../src/platform/identity-provider/fetch-json.ts'
import type { ResilienceOptions } from '../../../src/platform/identity-provider/resilience-policy.ts'
import { type Client, createClient } from '../../support/client.ts'
import { conformanceOf } from '../../support/conformance.ts'
import type { World } from '../../support/world.ts'

export interface SecondInstance {
  app: App
  deps: Deps
  logged: string[]
  withToken(token?: string): Client
}

interface SecondInstanceOptions {
  /** Default: a long deadline, short waits, and a circuit breaker that never blocks a call. */
  resilience?: ResilienceOptions
  fetch?: Fetch
  config?: World['config']
}

/** The instances do not share what they know about the provider: keys, failures, Retry-After. */
export async function startSecondInstance(
  world: World,
  options: SecondInstanceOptions = {},
): Promise<SecondInstance> {
  const { config = world.config, fetch = world.idp.handle } = options
  const resilience = { deadlineMs: 10_000, retryWaitMs: 2, openMs: 0, ...options.resilience }
  const logged: string[] = []
  const log = pino({ level: 'info', base: null }, { write: (line: string) => void logged.push(line) })
  const { clock, db } = world
  const sources = {
    now: () => clock.now(),
    newId: clock.newId,
    randomBytes: clock.randomBytes,
    elapsed: clock.elapsed,
  }
  const deps = await createDeps({ config, db, log, sources, fetch, resilience })
  const app = createApp(deps)
  const judge = await conformanceOf(deps, app)
  return { app, deps, logged, withToken: token => createClient(request => app.handle(request), judge, token) }
}

/** Requests for user data that reached the provider since its log was cleared. */
export async function userinfoRequests(world: Pick<World, 'idp'>): Promise<number> {
  const answer = await world.idp.handle(new Request('http://localhost:4000/_mock/requests?path=/userinfo'))
  const { requests } = (await answer.json()) as { requests: unknown[] }
  return requests.length
}
