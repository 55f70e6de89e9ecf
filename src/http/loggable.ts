/**
 * An error as our log may hold it: what failed first and where, without the values that a query carried.
 * Drizzle puts them into its messages and PostgreSQL into `detail`, and they are people's data.
 */
export function loggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  let root = error
  while (root.cause instanceof Error) root = root.cause
  const at = (error.stack ?? '').split('\n').filter(line => /^\s+at /.test(line))
  const { name, message, code } = root as Error & { code?: unknown }
  return { type: name, message, code, at: at.map(line => line.trim()) }
}
