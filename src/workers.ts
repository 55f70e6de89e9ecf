/**
 * `WORKERS=n`: n processes of the API on one port, among which the system shares out connections (SO_REUSEPORT). This one
 * only watches over them: what ends by itself is started anew, and a signal goes to all.
 */
import type { Logger } from 'pino'

/** Of a worker that ended by itself, before it is started again. */
const PAUSE_MS = 1_000
/** One that ends sooner did not come up. */
const YOUNG_MS = 5_000
/** In a row, until the whole is given up. */
const MAX_FAILURES = 5

/** The number of this process among the workers; undefined for one that runs alone, or watches over them. */
export const workerNumber = (env: NodeJS.ProcessEnv): number | undefined =>
  env.MATCHDAY_WORKER === undefined ? undefined : Number(env.MATCHDAY_WORKER)

interface Listening {
  host: string
  port: number
}

/** Resolves when all workers have ended: to 0 when each left as it was told, else to 1. */
export async function superviseWorkers(
  count: number,
  { host, port: wanted }: Listening,
  log: Logger,
): Promise<number> {
  const port = claimPort(host, wanted)
  const running = new Set<Bun.Subprocess>()
  let stopping = false
  let failed = false

  async function keep(number: number) {
    for (let failures = 0; !stopping && failures < MAX_FAILURES; ) {
      const started = performance.now()
      const worker = Bun.spawn([process.execPath, ...process.execArgv, Bun.main], {
        env: { ...process.env, PORT: String(port), MATCHDAY_WORKER: String(number) },
        stdin: 'ignore',
        stdout: 'inherit',
        stderr: 'inherit',
        // Cut when this process dies, whatever of: no worker outlives the one who watches over it.
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
    log.error({ worker: number }, 'a worker does not come up: giving up')
    failed = true
    stop('SIGTERM')
  }

  function stop(signal: NodeJS.Signals) {
    stopping = true
    for (const worker of running) worker.kill(signal)
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))

  log.info({ workers: count, url: `http://${host}:${port}` }, 'starting workers')
  await Promise.all(Array.from({ length: count }, (_, at) => keep(at + 1)))
  return failed ? 1 : 0
}

/** The port, and the error of one that is taken: the workers themselves would share it with whoever has it. */
function claimPort(hostname: string, port: number): number {
  const probe = Bun.listen({ hostname, port, socket: { data() {} } })
  const claimed = probe.port
  probe.stop(true)
  return claimed
}
