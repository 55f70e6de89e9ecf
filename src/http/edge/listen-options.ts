/** What Bun's server is given: where it listens, and how long connections live. */
import type { Config } from '../../config/config.ts'

/** Far above `MAX_BODY_BYTES`, which is refused with a problem document: Bun's own 413 has none. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024

/** `shared`: other processes listen on the same port. Otherwise two on one port are a mistake, and refused. */
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
