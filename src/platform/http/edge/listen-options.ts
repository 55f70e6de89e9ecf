/** Options of `Bun.serve`: address, timeout of idle connections and maximum body size. */
import type { Config } from '../../config/config.ts'

/**
 * Above every limit of an operation, so that `body.ts` refuses a large body with a problem document: Bun's own 413 has none. Bun
 * keeps so much of a chunked body before anyone reads it.
 */
const MAX_REQUEST_BYTES = 8 * 1024 * 1024

/** `shared`: other processes listen on the same port. If false, a second process fails to listen. */
export const listenOptions = (
  { host, port, network }: Pick<Config, 'host' | 'port' | 'network'>,
  { shared }: { shared: boolean },
) => ({
  hostname: host,
  port,
  idleTimeout: network.keepAliveSeconds,
  maxRequestBodySize: MAX_REQUEST_BYTES,
  reusePort: shared,
})
