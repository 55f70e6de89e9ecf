/** The one file with side effects: environment → dependencies → listen → drain on a signal. */
import { DatabaseError, openDatabase, openReplica } from '../db/index.ts'
import { migrate, NewerSchemaError, OlderSchemaError, requireMigrated } from '../db/migrate.ts'
import { createApp } from './app.ts'
import { startBackground } from './background.ts'
import { type Config, ConfigError, parseConfig } from './config/config.ts'
import { withDevelopmentSecrets } from './config/development-secrets.ts'
import { createLog } from './core/log.ts'
import { loggable } from './core/loggable.ts'
import { realSources } from './core/sources.ts'
import { createGuardedFetch } from './core/ssrf-guard.ts'
import { createDeps } from './deps.ts'
import { listenOptions } from './http/edge/listen-options.ts'
import type { Tracing } from './tracing/tracing.ts'
import { portOfWorker, superviseWorkers, workerNumber } from './workers.ts'

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
    log.fatal({ error: loggable(error) }, 'unexpected error: the process ends')
    void exit(1)
  }
  process.on('uncaughtException', crash).on('unhandledRejection', crash)
  const schema = await (config.migrate ? migrate : requireMigrated)(config.databaseUrl, config.postgres)
  if (schema.applied > 0) log.info(schema, 'migrated')
  if (schema.ahead > 0 && worker === undefined)
    log.warn(schema, 'the schema is of a newer version, on which this version runs')
  if (config.erasureList === null && worker === undefined)
    log.warn('ERASURE_LIST is not set: restoring a backup brings back fans who deleted their account')
  if (config.workers > 1 && worker === undefined) {
    return exit(await superviseWorkers(config.workers, config, log))
  }

  // Loaded only here: without their settings nothing is measured or traced, and their libraries are not read.
  if (config.tracing) tracing = (await import('./tracing/tracing.ts')).createTracing(config.tracing, log)
  const { metrics: address } = config
  const metrics = address && (await import('./metrics/metrics.ts')).createMetrics()
  const db = openDatabase(config.databaseUrl, realSources, {
    ...{ postgres: config.postgres, offloadDisk: true },
    observer: metrics?.database,
  })
  const replica =
    config.databaseReadUrl === null ? undefined : openReplica(config.databaseReadUrl, db, realSources, config)
  const fetch = createGuardedFetch({ publicOnly: config.identity.publicOnly })
  const { observers } = metrics ?? {}
  const { tracer } = tracing ?? {}
  const deps = await createDeps({ config, db, replica, log, sources: realSources, fetch, observers, tracer })
  const app = createApp(deps)
  const metricsServer =
    address && metrics?.serve(deps, { ...address, port: portOfWorker(address.port, worker) })
  if (metricsServer) log.info({ url: metricsServer.url }, 'serving metrics')
  // Streams are requests that last.
  const inFlight = () => (app.server?.pendingRequests ?? 0) - deps.streams.size
  const background = startBackground(deps, inFlight)

  let stopping = false
  async function stop(signal: string) {
    if (stopping) return
    stopping = true
    const { drainGraceMs, drainTimeoutMs } = config.network
    // First only announce it: load balancers read /readyz, clients read `Connection: close`.
    deps.lifecycle.stopping = true
    log.info({ signal, drainGraceMs }, 'stopping')
    if (drainGraceMs > 0) await Bun.sleep(drainGraceMs)
    log.info('draining')
    const deadline = setTimeout(() => {
      log.error('requests did not finish in time')
      void exit(1)
    }, drainTimeoutMs)
    deps.streams.stop()
    await app.server?.stop()
    await background.stop()
    await metricsServer?.stop()
    await Promise.all([db.close(), replica?.close()])
    clearTimeout(deadline)
    await tracing?.stop()
    log.info('stopped')
    await exit(0)
  }
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))
  if (worker !== undefined)
    process.on('disconnect', () => void stop('SIGTERM')).on('message', (level: string) => setLevel(level))

  app.listen(listenOptions(config, { shared: worker !== undefined }))
  log.info({ url: `http://${config.host}:${app.server?.port}`, database: db.engine }, 'listening')
}

/** Host and port of a server, without the credentials of its URL; nothing of a file. */
function addressOf(url: string | undefined): string {
  const server = url?.startsWith('postgres') ? URL.parse(url) : null
  return server ? ` (${server.hostname}:${server.port || 5432})` : ''
}

/** What went wrong, for the operator: never a stack, never a value of the configuration. */
function explain(error: unknown, config: Readonly<Config> | undefined): string {
  if (error instanceof ConfigError) return error.message
  if (error instanceof NewerSchemaError || error instanceof OlderSchemaError) return error.message
  if (error instanceof DatabaseError) {
    return `The database of DATABASE_URL${addressOf(config?.databaseUrl)} cannot be used: ${error.message}.`
  }
  if ((error as { code?: unknown }).code === 'EADDRINUSE') {
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
