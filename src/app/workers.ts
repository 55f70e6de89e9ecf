/**
 * `WORKERS=n`: n processes of the API on one port, among which the system distributes connections (SO_REUSEPORT). The
 * supervisor restarts a worker that ends by itself, and passes signals and the log level on to all.
 */
import type { Logger } from 'pino'
import { processOf } from '../core/command-line.ts'
import { onStopSignal } from '../core/stop-signals.ts'
import type { Config } from '../platform/config/config.ts'

/** Before a worker that ended by itself is restarted. */
const PAUSE_MS = 1_000
/** A worker that ends sooner failed to start. */
const YOUNG_MS = 5_000
/** In a row, after which all workers are stopped. */
const MAX_FAILURES = 5

/** The number of this process among the workers; undefined for a process without workers, and for the supervisor. */
export const workerNumber = (env: NodeJS.ProcessEnv): number | undefined =>
  env.MATCHDAY_WORKER === undefined ? undefined : Number(env.MATCHDAY_WORKER)

/** A port that workers do not share: consecutive ones from `first` on. 0, which picks a free port, stays 0. */
export const portOfWorker = (first: number, worker = 1): number => (first === 0 ? 0 : first + worker - 1)

/** Resolves when all workers have ended: to 0 when each stopped as requested, else to 1. */
export async function superviseWorkers(
  count: number,
  { host, port: wanted }: Pick<Config, 'host' | 'port'>,
  log: Logger,
): Promise<number> {
  const port = claimPort(host, wanted)
  const running = new Set<Bun.Subprocess>()
  let stopping = false
  let failed = false

  async function keep(number: number) {
    for (let failures = 0; !stopping && failures < MAX_FAILURES; ) {
      const started = performance.now()
      const worker = Bun.spawn(processOf('serve', Bun.main, process.execArgv), {
        env: {
          ...process.env,
          PORT: String(port),
          MATCHDAY_WORKER: String(number),
          LOG_LEVEL: log.level,
        },
        stdio: ['ignore', 'inherit', 'inherit'],
        // Closed when this process dies for any reason, so that no worker outlives it.
        ipc() {},
      })
      running.add(worker)
      log.info({ worker: number, pid: worker.pid }, 'worker started')
      const code = await worker.exited
      running.delete(worker)
      if (stopping) {
        failed ||= code !== 0
        return
      }
      failures = performance.now() - started < YOUNG_MS ? failures + 1 : 0
      log.error({ worker: number, code }, 'a worker ended by itself')
      await Bun.sleep(PAUSE_MS)
    }
    if (stopping) return
    log.error({ worker: number }, 'a worker does not start: stopping all')
    failed = true
    stop('SIGTERM')
  }

  function stop(signal: NodeJS.Signals) {
    stopping = true
    for (const worker of running) worker.kill(signal)
  }
  onStopSignal(stop)
  log.on('level-change', level => {
    for (const worker of running) {
      try {
        worker.send(level)
      } catch {
        // It has just ended: the next one starts with this level.
      }
    }
  })

  log.info({ workers: count, url: `http://${host}:${port}` }, 'starting workers')
  await Promise.all(Array.from({ length: count }, (_, n) => keep(n + 1)))
  return failed ? 1 : 0
}

/** The port. @throws when it is taken, which the workers would not notice: they share ports. */
function claimPort(hostname: string, port: number): number {
  const probe = Bun.listen({ hostname, port, socket: { data() {} } })
  const claimed = probe.port
  probe.stop(true)
  return claimed
}
