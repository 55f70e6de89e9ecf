import { commandLine } from '../../src/core/command-line.ts'
import { fail } from '../command/explain.ts'

/** Fails with an error that names the port and its variable when the port is in use. */
export function requireFreePort(variable: string, hostname: string, port: number): void {
  if (!isFree(hostname, port))
    fail(
      `Port ${port} is in use. Stop the process that listens on it, or set ${variable} to a free port: ${variable}=${port + 1} ${commandLine('dev')}`,
    )
}

/** Fails with an error that names both variables when two ports are the same, though it is still free. */
export function requireDifferentPorts(ports: Record<string, number>): void {
  for (const [variable, port] of Object.entries(ports)) {
    const other = Object.keys(ports).find(name => ports[name] === port)
    if (other !== undefined && other !== variable)
      fail(
        `${other} and ${variable} are both ${port}. Set ${variable} to another port: ${variable}=${port + 1} ${commandLine('dev')}`,
      )
  }
}

/** The first free port from this one on, up to 100 away, without those that something else will take. */
export function findFreePort(hostname: string, from: number, without: number[] = []): number | undefined {
  return Array.from({ length: 100 }, (_, index) => from + index).find(
    port => !without.includes(port) && isFree(hostname, port),
  )
}

function isFree(hostname: string, port: number): boolean {
  if (port === 0) return true
  try {
    Bun.listen({ hostname, port, socket: { data() {} } }).stop(true)
    return true
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    return false
  }
}
