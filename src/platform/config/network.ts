import { BlockList, isIP } from 'node:net'
import type { EnvironmentReader } from './environment.ts'

/** Which proxies are trusted to report the client's address. */
export type TrustedProxies =
  /** None: the client's address is that of the connection. */
  | { kind: 'none' }
  /** A number of proxies in front of the server, each of which appends the address that it sees. */
  | { kind: 'hops'; hops: number }
  /** Proxies in these networks. */
  | { kind: 'networks'; networks: BlockList }

const MAX_HOPS = 10

/** A body of 64 KiB arrives in time at 6 KiB/s, and a slower client does not hold its connection. Milliseconds. */
const BODY_TIMEOUT_MS: number = 10_000

export type NetworkConfig = ReturnType<typeof readNetworkConfig>

export const readNetworkConfig = (reader: EnvironmentReader) =>
  Object.freeze({
    /** Origins that may call the API from a browser, as browsers send them. Empty disables CORS. */
    corsOrigins: Object.freeze(readOrigins(reader)),
    /** Whether pages of this machine may call as well, from any port: in development, unless CORS_ORIGINS is set. */
    corsLoopback: reader.text('NODE_ENV') === 'development' && reader.text('CORS_ORIGINS') === undefined,
    /** `max-age` of Strict-Transport-Security, in seconds; 0 omits the header. */
    hstsSeconds: reader.integer('HSTS_MAX_AGE', 0, 0, 63_072_000),
    trustedProxies: Object.freeze(readProxies(reader)),
    /** The header that the trusted proxy sets. The other one is ignored, because the client may have set it. */
    proxyHeader: reader.oneOf('TRUSTED_PROXY_HEADER', ['x-forwarded-for', 'forwarded']),
    /** Time limit for a request body to arrive. Milliseconds. */
    bodyTimeoutMs: BODY_TIMEOUT_MS,
    /**
     * How long a connection may be idle before it is closed, also while it waits for a response. Seconds. Longer than the 60 s
     * for which load balancers reuse a connection, so that they do not use one that is closing. The maximum of Bun is 255.
     */
    keepAliveSeconds: reader.integer('KEEP_ALIVE_SECONDS', 75, 20, 255),
    /** How long `/readyz` responds with 503 before the listener closes. Milliseconds. */
    drainGraceMs: reader.integer('DRAIN_GRACE_MS', reader.production ? 5_000 : 0, 0, 600_000),
    /** Time limit for accepted requests after that. Milliseconds. */
    drainTimeoutMs: reader.integer('DRAIN_TIMEOUT_MS', 10_000, 10, 600_000),
  })

/** Exact origins, compared as text. Patterns are not supported, because they easily match too much. */
function readOrigins(reader: EnvironmentReader): string[] {
  const origins = reader.list('CORS_ORIGINS', ',')
  if (!origins.every(isOrigin)) {
    reader.refuse(
      'CORS_ORIGINS',
      'must be origins as browsers send them (https://fans.example), separated by commas',
    )
  }
  if (reader.production && origins.some(origin => origin.startsWith('http:'))) {
    reader.refuse('CORS_ORIGINS', 'must be https in production')
  }
  return origins
}

function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return URL.parse(text)?.origin === text && !text.includes('*')
  // Web views of apps, such as `capacitor://localhost`.
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+$/.test(text)
}

function readProxies(reader: EnvironmentReader): TrustedProxies {
  const name = 'TRUSTED_PROXIES'
  const entries = reader.list(name, ',')
  if (entries.length === 0) return { kind: 'none' }
  if (entries.length === 1 && /^\d{1,2}$/.test(entries[0] ?? '')) {
    const hops = Number(entries[0])
    if (hops > MAX_HOPS) reader.refuse(name, `must be at most ${MAX_HOPS} proxies`)
    return hops === 0 ? { kind: 'none' } : { kind: 'hops', hops }
  }
  const networks = new BlockList()
  if (!entries.every(entry => addNetwork(networks, entry))) {
    reader.refuse(name, 'must be a number of proxies, or their addresses and networks (10.0.0.0/8)')
  }
  return { kind: 'networks', networks }
}

function addNetwork(networks: BlockList, entry: string): boolean {
  const [address = '', prefix, ...more] = entry.split('/')
  const version = isIP(address)
  const bits = version === 6 ? 128 : 32
  const length = prefix === undefined ? bits : Number(prefix)
  // A prefix of 0 would trust every client.
  const valid = prefix === undefined || (/^\d{1,3}$/.test(prefix) && length >= 1 && length <= bits)
  if (version === 0 || !valid || more.length > 0) return false
  networks.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4')
  return true
}
