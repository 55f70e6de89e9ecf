import type { Config } from '../../../platform/config/config.ts'
import type { ConsoleConfig } from '../../../platform/config/console.ts'

/** @throws Error if the console is not served, where this code never runs */
export function consoleConfigOf({ config }: { config: { console: ConsoleConfig | null } }): ConsoleConfig {
  if (!config.console) throw new Error('the console is not configured')
  return config.console
}

/** The address of the console for staff, without a trailing slash; null if its port is chosen at the start. */
export function consoleUrlOf({ url, host, port }: ConsoleConfig): string | null {
  if (url !== null) return url
  const isAny = ['127.0.0.1', '0.0.0.0', '::'].includes(host)
  return port === 0 ? null : `http://${isAny ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The origin of the API, against which clients resolve addresses that are paths, such as those of pictures. */
export const apiOriginOf = ({ docs, port }: Pick<Config, 'docs' | 'port'>): string =>
  URL.parse(docs.publicUrl ?? '')?.origin ?? `http://localhost:${port}`
