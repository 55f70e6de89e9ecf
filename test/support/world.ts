/** The real application on a temporary database, with the mock provider in process and a clock that tests move. */
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Database } from '../../db/index.ts'
import { watchReplica } from '../../db/postgres/replica.ts'
import { createMockIdp, type MockIdp } from '../../mock-idp/app.ts'
import { type App, createApp } from '../../src/app/app.ts'
import { createDeps, type Deps } from '../../src/app/deps.ts'
import { createLogOptions } from '../../src/core/log.ts'
import type { MetricsRecorder } from '../../src/operate/metrics/metrics.ts'
import { type Config, parseConfig } from '../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../src/platform/config/development-secrets.ts'
import type { Tracing } from '../../src/platform/tracing/tracing.ts'
import { type Client, createClient } from './client.ts'
import { createClock, type TestClock } from './clock.ts'
import { conformanceOf } from './conformance.ts'
import { type Engine, engines, noServer, postgresEngine, type TemporaryDatabase } from './engines.ts'
import { createFactories, type Factories } from './factories.ts'
import { patientSettings, schemaSettings } from './patience.ts'

export const ISSUER = 'http://localhost:4000'
/** No URL leads to PGlite; its worlds have no default of ERASURE_LIST either. */
const PGLITE = 'postgres://localhost/pglite'
/** Of all worlds of the process: names of files are hashes of their content. */
const uploads = join(tmpdir(), `matchday-uploads-${process.pid}`)
const secrets = await makeDevelopmentSecrets()

// Elysia requests a full collection for each application that it composes, two a world: half of its CPU time. JavaScriptCore
// still collects when the heap has grown.
Object.assign(Bun, { gc: () => 0 })

export interface World extends Factories {
  app: App
  config: Config
  clock: TestClock
  db: Database
  /** With `replica`: another database of the engine, with what a test puts there. */
  replica: Database | undefined
  deps: Deps
  idp: MockIdp
  /** One line a request, as the logger wrote it. */
  logged: string[]
  /** Where the metrics are, with METRICS_PORT in the environment of the world. */
  metricsUrl: string | undefined
  /** For other processes; null if they cannot connect to the database. */
  databaseUrl: string | null
  /** A client without a token. */
  anonymous: Client
  /** A client with this token. */
  withToken(token: string): Client
  /** A fan of the provider that the application has not seen, signed in. */
  fan(): Promise<Fan>
  close(): Promise<void>
}

export interface Fan extends Client {
  subject: string
  token: string
}

export interface WorldOptions {
  env?: Record<string, string>
  /** Changes what no variable does. */
  configure?: (config: Config) => Config
  /** Public reads use a second database, which is no copy: tests tell by its content what reads it. PostgreSQL only. */
  replica?: boolean
  /** Number of fans of the mock provider: as many as the tests of the world need. */
  fans?: number
}

export interface SuiteOptions extends WorldOptions {
  /** One world for all tests of the suite, unless they count or change what is not theirs. */
  worldPer?: 'suite' | 'test'
}

export async function createWorld(
  engine: Engine,
  { env = {}, configure = config => config, replica = false, fans = 240 }: WorldOptions = {},
): Promise<World> {
  const clock = createClock()
  const metrics =
    env.METRICS_PORT === undefined
      ? undefined
      : (await import('../../src/operate/metrics/metrics.ts')).createMetrics()
  const temporary = await engine.open(clock, metrics?.database)
  const parsed = parseConfig({
    ...secrets,
    ...patientSettings,
    ...schemaSettings,
    IDP_ISSUER: ISSUER,
    DATABASE_URL: temporary.url ?? PGLITE,
    UPLOADS: uploads,
    CASH_CURRENCIES: 'EUR',
    ...env,
  })
  const config = configure(parsed)
  const idp = createMockIdp({ issuer: ISSUER, now: () => clock.ms, fans })
  const second = replica ? await engine.open(clock) : undefined
  return assemble({ clock, temporary, second, config, idp, metrics })
}

interface Parts {
  clock: TestClock
  temporary: TemporaryDatabase
  second: TemporaryDatabase | undefined
  config: Config
  idp: MockIdp
  metrics: MetricsRecorder | undefined
}

async function assemble({ clock, temporary, second, config, idp, metrics }: Parts): Promise<World> {
  const logged: string[] = []
  let tracing: Tracing | undefined
  const mixin = () => tracing?.logMembers() ?? {}
  const log = pino(
    { ...createLogOptions(), level: 'info', base: null, mixin },
    { write: (line: string) => void logged.push(line) },
  )
  // A deadline that no slow machine misses, and waits that cost nothing: a breaker's own clock would be the machine's.
  const resilience = { deadlineMs: 10_000, retryWaitMs: 2, openMs: 1 }
  if (config.tracing)
    tracing = (await import('../../src/platform/tracing/tracing.ts')).createTracing(config.tracing, log)
  const { db, url } = temporary
  const { now, elapsed, newId, randomBytes } = clock
  const sources = { now, elapsed, newId, randomBytes }
  const deps = await createDeps({
    // A deadline that no slow machine misses.
    replica: second && watchReplica(second.db, db, 10_000),
    ...{ config, db, log, sources, fetch: request => idp.handle(request), resilience },
    observers: metrics?.observers,
    tracer: tracing?.tracer,
  })
  await deps.publicReads.check()
  const app = createApp(deps)
  const metricsServer = config.metrics ? metrics?.serve(deps, config.metrics) : undefined

  const judge = await conformanceOf(deps, app)
  const client = (token?: string) => createClient(request => app.handle(request), judge, token)
  let fans = 0

  return {
    app,
    config,
    clock,
    db,
    replica: second?.db,
    deps,
    idp,
    logged,
    metricsUrl: metricsServer?.url,
    databaseUrl: url,
    anonymous: client(),
    withToken: client,
    async fan() {
      const subject = `fan-${String(++fans).padStart(4, '0')}`
      const token = await idp.issueToken(subject)
      return { subject, token, ...client(token) }
    },
    ...createFactories(db, config),
    async close() {
      idp.close()
      await metricsServer?.stop()
      await tracing?.stop()
      await temporary.remove()
      await second?.remove()
    },
  }
}

/** Runs a suite once per engine, each with a world of its own. */
export function onEachEngine(title: string, suite: (world: World) => void, options: SuiteOptions = {}) {
  for (const engine of engines) onEngine(engine, title, suite, options)
}

/** For what no database has a part in. */
export function onEngine(
  engine: Engine,
  title: string,
  suite: (world: World) => void,
  options: SuiteOptions = {},
) {
  describe(`${title} (${engine.name})`, () => inWorld(engine, suite, options))
}

/** For what only a PostgreSQL server shows. */
export function onServer(title: string, suite: (world: World) => void, options: SuiteOptions = {}) {
  describe.skipIf(noServer !== '')(`${title} (PostgreSQL)${noServer}`, () =>
    inWorld(postgresEngine, suite, options),
  )
}

function inWorld(
  engine: Engine,
  suite: (world: World) => void,
  { worldPer = 'suite', ...options }: SuiteOptions,
) {
  // Guarantee: filled before the hooks and tests of the suite run, which alone read it.
  const world = {} as World
  const [before, after] = worldPer === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll]
  before(async () => {
    Object.assign(world, await createWorld(engine, options))
  })
  suite(world)
  // Hooks run in the order of their registration: those of the suite still have the world.
  after(() => world.close())
}
