/** Serves the console on a separate port, which is not the port of the API. */
import { errorCode } from '../../core/error-code.ts'
import { createConsoleApp } from './app.ts'
import { consoleConfigOf, consoleUrlOf } from './contract/settings.ts'
import type { ConsoleDeps } from './deps.ts'

/** Larger bodies get no problem document. Imports are sent in parts. */
const MAX_REQUEST_BYTES = 8 * 1024 * 1024

/** The port of the console is in use. */
export class PortTaken extends Error {}

/** @throws PortTaken */
export function serveConsole(deps: ConsoleDeps) {
  const console = consoleConfigOf(deps)
  const { host, port } = console
  const app = createConsoleApp(deps)
  try {
    app.listen({
      hostname: host,
      port,
      // Elysia shares ports by default. Staff would then reach a random one of two instances, which may have different
      // databases.
      reusePort: false,
      idleTimeout: deps.config.network.keepAliveSeconds,
      maxRequestBodySize: MAX_REQUEST_BYTES,
    })
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE')
      throw new Error(
        `the console cannot listen at CONSOLE_HOST: ${error instanceof Error ? error.message : error}`,
      )
    throw new PortTaken(`port ${port} is taken; set CONSOLE_PORT to another`)
  }
  return {
    url: consoleUrlOf({ ...console, port: app.server?.port ?? port }),
    /** Resolves when running requests have ended. */
    stop: () => app.server?.stop(),
  }
}
