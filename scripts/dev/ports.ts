import { fail } from '../command/explain.ts'

/** Fails with an error that names the port and its variable when something listens there already. */
export async function refuseTakenPort(variable: string, hostname: string, port: number): Promise<void> {
  if (port === 0) return
  try {
    Bun.listen({ hostname, port, socket: { data() {} } }).stop(true)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    fail(
      `Port ${port} is taken. Stop what listens there, or set ${variable} to another: ${variable}=${port + 1} bun run dev`,
    )
  }
}
