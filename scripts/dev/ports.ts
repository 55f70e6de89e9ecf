import { commandLine } from '../../src/core/command-line.ts'
import { fail } from '../command/explain.ts'

/** Fails with an error that names the port and its variable when the port is in use. */
export async function requireFreePort(variable: string, hostname: string, port: number): Promise<void> {
  if (port === 0) return
  try {
    Bun.listen({ hostname, port, socket: { data() {} } }).stop(true)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    fail(
      `Port ${port} is in use. Stop the process that listens on it, or set ${variable} to a free port: ${variable}=${port + 1} ${commandLine('dev')}`,
    )
  }
}
