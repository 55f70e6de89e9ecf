/** The log: JSON lines on standard output, written off the thread that answers requests. */
import { type Logger, pino } from 'pino'

/** What waits while standard output takes nothing, as a full pipe or a frozen disk; later lines are dropped. Bytes. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** `worker`: number of the process among `WORKERS`, borne by each line. */
export function createLog(level: string, worker: number | undefined): Logger {
  const output = pino.destination({ sync: false, maxLength: MAX_WAITING_BYTES })
  // The last lines tell why the process ends.
  process.on('exit', () => output.flushSync())
  const base = worker === undefined ? null : { worker }
  return pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime }, output)
}
