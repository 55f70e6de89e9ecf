/** The log: JSON lines on standard output, written asynchronously. */
import { type Logger, type LoggerOptions, pino } from 'pino'
import { DatabaseError, translateDatabaseError } from '../../db/errors.ts'
import { loggable } from './loggable.ts'

const STACK_EVERY_MS = 1_000
const MAX_CAUSES = 1_000

/** Maximum buffer while standard output is blocked. Further lines are dropped. */
const MAX_BUFFER_BYTES = 16 * 1024 * 1024

/** How long an exiting process waits for a blocked standard output. */
const EXIT_TIMEOUT_MS = 1_000

/**
 * An error is logged without its message and its members, which may contain personal data, under whatever name it is passed. Of
 * errors with the same cause, one in a second has its stack: an outage of the database fails every request and every task.
 */
export function createLogOptions() {
  const limitStack = createStackLimit()
  return {
    formatters: {
      log(members) {
        const safe: Record<string, unknown> = {}
        for (const [name, value] of Object.entries(members))
          safe[name] = name === 'error' || value instanceof Error ? limitStack(value) : value
        return safe
      },
    },
    hooks: {
      // pino would log the message of an error that is the first argument.
      logMethod([first, ...rest], method) {
        const members: unknown = first
        method.apply(this, members instanceof Error ? [{ error: members }, ...rest] : [first, ...rest])
      },
    },
  } satisfies LoggerOptions
}

function createStackLimit() {
  const causes = new Map<string, { at: number; omitted: number }>()
  return (error: unknown) => {
    const { stack, ...shown } = loggable(error)
    if (stack === undefined) return shown
    const now = performance.now()
    const key = isDatabaseError(error) ? 'database' : JSON.stringify(shown)
    const last = causes.get(key)
    if (last && now - last.at < STACK_EVERY_MS) {
      last.omitted++
      return shown
    }
    // Messages may have values of their own, without end.
    if (causes.size >= MAX_CAUSES) causes.clear()
    causes.set(key, { at: now, omitted: 0 })
    return { ...shown, stack, ...(last && last.omitted > 0 ? { stacksOmitted: last.omitted } : {}) }
  }
}

const isDatabaseError = (error: unknown) => translateDatabaseError(error) instanceof DatabaseError

/**
 * `worker`: number of the process among `WORKERS`, included in each line. `members`: further members of a line, read when it
 * is written.
 */
export function createLog(level: string, worker: number | undefined, members?: () => Record<string, string>) {
  const output = pino.destination({ sync: false, maxLength: MAX_BUFFER_BYTES })
  // The last lines say why the process exits.
  process.on('exit', () => output.flushSync())
  const base = worker === undefined ? null : { worker }
  const mixin = members ? { mixin: members } : {}
  const log: Logger = pino(
    { ...createLogOptions(), level, base, timestamp: pino.stdTimeFunctions.isoTime, ...mixin },
    output,
  )

  /** Changes the level at run time, and logs the change once, at the more verbose of both levels. */
  function setLevel(next: string) {
    const report = () => log.info({ logLevel: next }, 'log level changed')
    const isVerbose = log.isLevelEnabled('info')
    if (isVerbose) report()
    log.level = next
    if (!isVerbose) report()
  }

  /** Exits once the last lines are written. `process.exit` alone loses lines that are being written. */
  async function exit(code: number): Promise<never> {
    const written = new Promise(resolve => output.once('drain', resolve))
    // 'drain' is only emitted after a write: an empty one triggers it if the buffer is empty already.
    output.write('')
    await Promise.race([written, Bun.sleep(EXIT_TIMEOUT_MS)])
    process.exit(code)
  }
  return { log, setLevel, exit }
}
