/** The log: JSON lines on standard output, written off the thread that answers requests. */
import { type Logger, pino } from 'pino'

/** What waits while standard output takes nothing, as a full pipe or a frozen disk; later lines are dropped. Bytes. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** How long a process that ends waits for a standard output that takes nothing. Milliseconds. */
const EXIT_PATIENCE_MS = 1_000

export interface Log {
  log: Logger
  /** Ends the process once its last lines are written: `process.exit` alone loses those whose write is under way. */
  exit(code: number): Promise<never>
}

/** `worker`: number of the process among `WORKERS`, borne by each line. */
export function createLog(level: string, worker: number | undefined): Log {
  const output = pino.destination({ sync: false, maxLength: MAX_WAITING_BYTES })
  // The last lines tell why the process ends.
  process.on('exit', () => output.flushSync())
  const base = worker === undefined ? null : { worker }
  const log = pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, output)

  async function exit(code: number): Promise<never> {
    const written = new Promise(resolve => output.once('drain', resolve))
    // 'drain' follows a write only: an empty one makes it come when nothing is left to write, too.
    output.write('')
    await Promise.race([written, Bun.sleep(EXIT_PATIENCE_MS)])
    process.exit(code)
  }
  return { log, exit }
}
