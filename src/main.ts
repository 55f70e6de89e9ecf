/** The one file with side effects: environment → dependencies → listen → drain on a signal. */

import { DatabaseError, SchemaError } from '../db/errors.ts'
import { migrate, requireMigrated } from '../db/migrate.ts'
import { keepsPreparedStatements } from '../db/postgres/prepared-check.ts'
import product from '../package.json'
import type { Deps } from './app/deps.ts'
import { openPort } from './app/port.ts'
import { portOfWorker, superviseWorkers, workerNumber } from './app/workers.ts'
import { readCommit } from './core/commit.ts'
import { errorCode } from './core/error-code.ts'
import { createLog } from './core/log.ts'
import { loggable } from './core/loggable.ts'
import { realSources } from './core/sources.ts'
import { createGuardedFetch } from './core/ssrf-guard.ts'
import { onStopSignal } from './core/stop-signals.ts'
import { ATTEMPT_MS } from './delivery/webhooks/send.ts'
import { type Config, ConfigError, parseConfig } from './platform/config/config.ts'
import { withDevelopmentSecrets } from './platform/config/development-secrets.ts'
import type { Tracing } from './platform/tracing/tracing.ts'

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

async function start(config: Readonly<Config>) {
  const worker = workerNumber(process.env)
  let tracing: Tracing | undefined
  const logMembers = config.tracing ? () => tracing?.logMembers() ?? {} : undefined
  const { log, setLevel, exit } = createLog(config.logLevel, worker, logMembers)
  process.on('SIGUSR2', () => {
    // Workers get the level from their supervisor, so that all have the same, whichever processes the signal reaches.
    if (worker === undefined) setLevel(log.level === config.logLevel ? 'debug' : config.logLevel)
  })
  // Bun itself would print the message, and with it the values of a failed query.
  const crash = (error: unknown) => {
    log.fatal({ error }, 'unexpected error: the process ends')
    void exit(1)
  }
  process.on('uncaughtException', crash).on('unhandledRejection', crash)
  if (worker === undefined) await requirePreparedStatements(config)
  const schema = await (config.migrate ? migrate : requireMigrated)(config.databaseUrl, config.postgres)
  if (schema.applied > 0) log.info(schema, 'migrated')
  if (schema.ahead > 0 && worker === undefined)
    log.warn(schema, 'the schema is of a newer version, on which this version runs')
  if (config.erasureList === null && worker === undefined)
    log.warn('ERASURE_LIST is not set: restoring a backup brings back fans who deleted their account')
  if (config.workers > 1 && worker === undefined) {
    return exit(await superviseWorkers(config.workers, config, log))
  }

  // A worker shares its port: until it can answer, others do.
  const early = worker === undefined ? openPort(config, { shared: false }) : undefined
  // Loading and composing the application takes most of the time of a start. Between the steps, what has come meanwhile is
  // accepted, and probes are answered.
  const database = await import('../db/index.ts')
  await nextTurn()
  const { createSpine } = await import('./app/spine.ts')
  await nextTurn()
  const { createDeps } = await import('./app/deps.ts')
  await nextTurn()
  const { createApp } = await import('./app/app.ts')
  await nextTurn()
  const { startBackground } = await import('./app/background.ts')
  await nextTurn()
  // Loaded only here: without their settings nothing is measured or traced, and their libraries are not read.
  if (config.tracing)
    tracing = (await import('./platform/tracing/tracing.ts')).createTracing(config.tracing, log)
  const { metrics: address } = config
  const metrics = address && (await import('./operate/metrics/metrics.ts')).createMetrics()
  const db = database.openDatabase(config.databaseUrl, realSources, {
    spine: createSpine(),
    postgres: config.postgres,
    offloadDisk: true,
    observer: metrics?.database,
  })
  const { databaseReadUrl } = config
  const replica =
    databaseReadUrl === null ? undefined : database.openReplica(databaseReadUrl, db, realSources, config)
  const fetch = createGuardedFetch(config.identity)
  const { observers } = metrics ?? {}
  const { tracer } = tracing ?? {}
  await nextTurn()
  const deps = await createDeps({ config, db, replica, log, sources: realSources, fetch, observers, tracer })
  await nextTurn()
  const app = createApp(deps)
  const metricsServer =
    address && metrics?.serve(deps, { ...address, port: portOfWorker(address.port, worker) })
  if (metricsServer) log.info({ url: metricsServer.url }, 'serving metrics')
  // One process is enough for the club's staff. Loaded only where it is served.
  const consoleServer = config.console && (worker ?? 1) === 1 ? await serveConsole(deps) : undefined
  if (consoleServer) log.info({ url: consoleServer.url }, 'serving the console')
  let stopping = false
  async function stop(signal: string) {
    if (stopping) return
    stopping = true
    const { drainGraceMs, drainTimeoutMs } = config.network
    // First only announce it: load balancers read /readyz, clients read `Connection: close`.
    deps.lifecycle.stopping = true
    log.info({ signal, drainGraceMs }, 'stopping')
    void background.stopSending()
    if (drainGraceMs > 0) await Bun.sleep(drainGraceMs)
    log.info('draining')
    const setDeadline = (what: string, ms: number) =>
      setTimeout(() => {
        log.error(`${what} did not finish in time`)
        void exit(1)
      }, ms)
    const ofRequests = setDeadline('requests', drainTimeoutMs)
    deps.streams.stop()
    await Promise.all([app.server?.stop(), consoleServer?.stop()])
    clearTimeout(ofRequests)
    const ofTasks = setDeadline('background tasks', drainTimeoutMs + ATTEMPT_MS)
    await background.stop()
    await metricsServer?.stop()
    await Promise.all([db.close(), replica?.close()])
    clearTimeout(ofTasks)
    await tracing?.stop()
    log.info('stopped')
    await exit(0)
  }
  onStopSignal(signal => void stop(signal))
  if (worker !== undefined)
    process.on('disconnect', () => void stop('SIGTERM')).on('message', (level: string) => setLevel(level))

  const port = early ?? openPort(config, { shared: true })
  app.server = port.serve(app.fetch)
  // Streams are requests that last.
  const inFlight = () => (app.server?.pendingRequests ?? 0) - deps.streams.size
  const background = startBackground(deps, inFlight)
  if ((worker ?? 1) === 1) for (const message of config.noLongerRead) log.warn(message)
  const { version } = product
  const url = `http://${config.host}:${app.server?.port}`
  log.info({ url, database: db.engine, version, commit: readCommit() }, 'listening')
}

/** Undefined where its port is taken, and nobody chose the port. @throws PortTaken */
async function serveConsole(deps: Deps) {
  const server = await import('./operate/console/server.ts')
  try {
    return server.serveConsole(deps)
  } catch (error) {
    if (!(error instanceof server.PortTaken && deps.config.console?.byDefault)) throw error
    deps.log.warn(`the console is not served: ${error.message}`)
    return undefined
  }
}

/** @throws ConfigError for a pooler with which statements would fail at random, under load first */
async function requirePreparedStatements({ databaseUrl, postgres }: Config): Promise<void> {
  if (await keepsPreparedStatements(databaseUrl, postgres)) return
  throw new ConfigError([
    'DATABASE_PREPARED_STATEMENTS must be off: DATABASE_URL is of a pooler in transaction mode that does not keep prepared ' +
      'statements, such as PgBouncer before 1.21 or without max_prepared_statements',
  ])
}

/** Host and port of a server, without the credentials of its URL; nothing of a file. */
function addressOf(url: string | undefined): string {
  const server = url?.startsWith('postgres') ? URL.parse(url) : null
  return server ? ` (${server.hostname}:${server.port || 5432})` : ''
}

/** What went wrong, for the operator: never a stack, never a value of the configuration. */
function explain(error: unknown, config: Readonly<Config> | undefined): string {
  if (error instanceof ConfigError) return error.message
  if (error instanceof SchemaError) return error.message
  if (error instanceof DatabaseError) {
    return `The database of DATABASE_URL${addressOf(config?.databaseUrl)} cannot be used: ${error.message}.`
  }
  if (errorCode(error) === 'EADDRINUSE') {
    return `Port ${config?.port} is taken. Stop what listens there, or set PORT to another.`
  }
  return `Matchday cannot start: ${loggable(error).message ?? 'unknown error'}`
}

let config: Readonly<Config> | undefined
try {
  config = parseConfig(await withDevelopmentSecrets(process.env))
  await start(config)
} catch (error) {
  process.stderr.write(`${explain(error, config)}\n`)
  process.exit(1)
}
