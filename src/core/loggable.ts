/** What the log may hold of an error. Every log line about an error takes it from here. */

const MAX_MESSAGE_LENGTH = 500
const MAX_CAUSES = 10

export interface LoggableError {
  type: string
  message?: string
  /** The driver's or the library's own; `errno` is SQLSTATE with Bun's PostgreSQL client. */
  code?: unknown
  errno?: unknown
  constraint?: unknown
  at?: string[]
}

/**
 * What failed first and where, without the values that it failed on: they are people's data. Drizzle puts them into its
 * message, PostgreSQL into its own in quotes and into `detail`, parsers and validators quote what they read.
 */
export function loggable(error: unknown): LoggableError {
  if (!(error instanceof Error)) return { type: typeof error }
  let root = error
  for (let depth = 0; root.cause instanceof Error && depth < MAX_CAUSES; depth++) root = root.cause
  const { name, code, errno, constraint } = root as Error & Record<'code' | 'errno' | 'constraint', unknown>
  return { type: name, message: withoutValues(root), code, errno, constraint, at: framesOf(error) }
}

/** From the first quotation mark to the last, since a value may hold quotation marks itself. */
function withoutValues({ message }: Error): string {
  const text = message.startsWith('Failed query') ? 'Failed query' : message
  const [first, last] = [text.indexOf('"'), text.lastIndexOf('"')]
  const masked = first < last ? `${text.slice(0, first)}"…"${text.slice(last + 1)}` : text
  return masked.slice(0, MAX_MESSAGE_LENGTH)
}

/** The stack begins with the message, of which a line may look like a frame. */
function framesOf({ stack = '', message }: Error): string[] {
  const end = message === '' ? -1 : stack.indexOf(message)
  const frames = end === -1 ? stack : stack.slice(end + message.length)
  return frames
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .map(line => line.trim())
}
