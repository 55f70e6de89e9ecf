/** The one file with side effects: environment → dependencies → listen → drain on a signal. */
import { DatabaseError, openDatabase } from '../db/index.ts'
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
import { superviseWorkers, workerNumber } from './workers.ts'

async function start(config: Readonly<Config>) {
  const worker = workerNumber(process.env)
  const { log, exit } = createLog(config.logLevel, worker)
  // Bun itself would print the message, and with it the values of a failed query.
  const crash = (error: unknown) => {
    log.fatal({ error: loggable(error) }, 'unexpected error: the process ends')
    void exit(1)
  }
  process.on('uncaughtException', crash).on('unhandledRejection', crash)
  if (config.migrate) {
    const report = await migrate(config.databaseUrl, config.postgres)
    if (report.applied > 0) log.info(report, 'migrated')
  } else await requireMigrated(config.databaseUrl, config.postgres)
  if (config.workers > 1 && worker === undefined) {
    return exit(await superviseWorkers(config.workers, config, log))
  }

  const db = openDatabase(config.databaseUrl, realSources, { postgres: config.postgres, offloadDisk: true })
  const fetch = createGuardedFetch({ publicOnly: config.identity.publicOnly })
  const deps = await createDeps({ config, db, log, sources: realSources, fetch })
  const app = createApp(deps)
  const background = startBackground(deps)

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
    await app.server?.stop()
    await background.stop()
    await db.close()
    clearTimeout(deadline)
    log.info('stopped')
    await exit(0)
  }
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))
  if (worker !== undefined) process.on('disconnect', () => void stop('SIGTERM'))

  app.listen(listenOptions(config, { shared: worker !== undefined }))
  log.info({ url: `http://${config.host}:${app.server?.port}`, database: db.engine }, 'listening')
}

/** Host and port of a server, without the credentials of its URL; nothing of a file. */
function addressOf(url: string | undefined): string {
  const server = url?.startsWith('postgres') ? URL.parse(url) : null
  return server ? ` (${server.hostname}:${server.port || 5432})` : ''
}

/** What went wrong, for the operator: never a stack, never a value of the configuration. */
function explain(error: unknown, env: NodeJS.ProcessEnv): string {
  if (error instanceof ConfigError) return error.message
  if (error instanceof NewerSchemaError || error instanceof OlderSchemaError) return error.message
  if (error instanceof DatabaseError) {
    return `The database of DATABASE_URL${addressOf(env.DATABASE_URL)} cannot be used: ${error.message}.`
  }
  if ((error as { code?: unknown }).code === 'EADDRINUSE') {
    return `Port ${env.PORT ?? 3000} is taken. Stop what listens there, or set PORT to another.`
  }
  return `Matchday cannot start: ${loggable(error).message ?? 'unknown error'}`
}

try {
  await start(parseConfig(await withDevelopmentSecrets(process.env)))
} catch (error) {
  process.stderr.write(`${explain(error, process.env)}\n`)
  process.exit(1)
}
