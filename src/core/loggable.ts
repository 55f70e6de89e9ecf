/** The parts of an error that may be logged. The log uses it for each error: see `createLogOptions`. */
import type { Logger } from 'pino'

interface LoggableError {
  type: string
  message?: string
  code?: unknown
  errno?: unknown
  constraint?: unknown
  stack?: string[]
}

const MAX_MESSAGE_LENGTH = 500
const MAX_CAUSES = 10

/**
 * The root cause and the stack, without the values involved, which may be personal data: Drizzle includes them in messages,
 * PostgreSQL in quotation marks and in `detail`, and parsers and validators quote their input.
 */
export function loggable(error: unknown): LoggableError {
  if (!(error instanceof Error)) return { type: typeof error }
  let root = error
  for (let depth = 0; root.cause instanceof Error && depth < MAX_CAUSES; depth++) root = root.cause
  // Bun's PostgreSQL client puts SQLSTATE into `errno`. Guarantee of the cast: nothing is known of the values.
  const { name, code, errno, constraint } = root as Error & Record<'code' | 'errno' | 'constraint', unknown>
  return { type: name, message: withoutValues(root), code, errno, constraint, stack: framesOf(error) }
}

/** Returns a function that logs the error of a background task. */
export const logFailed = (log: Logger, task: string) => (error: unknown) =>
  log.error({ task, error }, 'background run failed')

/** Masks from the first quotation mark to the last, because a value may contain quotation marks itself. */
function withoutValues({ message }: Error): string {
  const text = message.startsWith('Failed query') ? 'Failed query' : message
  const [first, last] = [text.indexOf('"'), text.lastIndexOf('"')]
  const masked = first < last ? `${text.slice(0, first)}"…"${text.slice(last + 1)}` : text
  return masked.slice(0, MAX_MESSAGE_LENGTH)
}

/** Skips the message at the start of the stack, because a line of it may look like a frame. */
function framesOf({ stack = '', message }: Error): string[] {
  const end = message === '' ? -1 : stack.indexOf(message)
  const frames = end === -1 ? stack : stack.slice(end + message.length)
  return frames
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .map(line => line.trim())
}
