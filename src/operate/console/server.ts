/** Serves the console on a port of its own, which is not that of the API. */
import { createConsoleApp } from './app.ts'
import { consoleConfigOf, consoleUrlOf } from './contract/settings.ts'
import type { ConsoleDeps } from './deps.ts'

/** Larger bodies have no problem document: catalogues and imports are sent in parts. */
const MAX_REQUEST_BYTES = 8 * 1024 * 1024

/** Null when the port is taken that it has by default. @throws Error when one that was chosen is */
export function serveConsole(deps: ConsoleDeps) {
  const console = consoleConfigOf(deps)
  const { byDefault, host, port } = console
  const app = createConsoleApp(deps)
  try {
    app.listen({
      hostname: host,
      port,
      idleTimeout: deps.config.network.keepAliveSeconds,
      maxRequestBodySize: MAX_REQUEST_BYTES,
    })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EADDRINUSE') throw error
    const why = `port ${port} is taken; set CONSOLE_PORT to another`
    if (!byDefault) throw new Error(why)
    deps.log.warn(`the console is not served: ${why}`)
    return null
  }
  return {
    url: consoleUrlOf({ ...console, port: app.server?.port ?? port }),
    /** Resolves when the requests that run have ended. */
    stop: () => app.server?.stop(),
  }
}
