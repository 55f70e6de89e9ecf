import { BlockList, isIP } from 'node:net'
import type { Reader } from './reader.ts'

/** Whose word about a client's address counts, beside the connection's own. */
export type TrustedProxies =
  /** Nobody's: the address is that of the connection. */
  | { kind: 'none' }
  /** So many proxies stand in front, each of which adds the address that it saw. */
  | { kind: 'hops'; hops: number }
  /** Proxies by their addresses. */
  | { kind: 'networks'; networks: BlockList }

export interface NetworkConfig {
  /** Origins whose pages may call from a browser, as browsers write them; none: no CORS. */
  corsOrigins: readonly string[]
  /** Whether pages of this machine may call as well, from any port: in development, unless CORS_ORIGINS is set. */
  corsLoopback: boolean
  /** `max-age` of Strict-Transport-Security in seconds; 0: the header is not sent. */
  hstsSeconds: number
  trustedProxies: TrustedProxies
  /** The one header that is read of a trusted proxy: the other one passes through it as the client wrote it. */
  proxyHeader: 'x-forwarded-for' | 'forwarded'
  /** How long a body may take to arrive. Milliseconds. */
  bodyTimeoutMs: number
  /** How long a connection may be silent before it is closed, also while it waits for an answer. Seconds. */
  keepAliveSeconds: number
  /** How long `/readyz` says 503 before the listener closes. Milliseconds. */
  drainGraceMs: number
  /** How long accepted requests may take after that. Milliseconds. */
  drainTimeoutMs: number
}

const MAX_HOPS = 10

export const readNetworkConfig = (reader: Reader): Readonly<NetworkConfig> =>
  Object.freeze({
    corsOrigins: Object.freeze(readOrigins(reader)),
    corsLoopback: reader.text('NODE_ENV') === 'development' && reader.text('CORS_ORIGINS') === undefined,
    hstsSeconds: reader.integer('HSTS_MAX_AGE', 0, 0, 63_072_000),
    trustedProxies: Object.freeze(readProxies(reader)),
    proxyHeader: reader.oneOf('TRUSTED_PROXY_HEADER', ['x-forwarded-for', 'forwarded']),
    bodyTimeoutMs: reader.integer('BODY_TIMEOUT_MS', 10_000, 10, 600_000),
    // Longer than the 60 s for which load balancers reuse a connection, or they send a request into one that closes.
    // At least what the slowest answer takes; 255 is the maximum of Bun.
    keepAliveSeconds: reader.integer('KEEP_ALIVE_SECONDS', 75, 20, 255),
    drainGraceMs: reader.integer('DRAIN_GRACE_MS', reader.production ? 5_000 : 0, 0, 600_000),
    drainTimeoutMs: reader.integer('DRAIN_TIMEOUT_MS', 10_000, 10, 600_000),
  })

/** Exact origins, compared as text: a pattern would let in what nobody meant. */
function readOrigins(reader: Reader): string[] {
  const origins = list(reader.text('CORS_ORIGINS'))
  if (!origins.every(isOrigin)) {
    reader.refuse(
      'CORS_ORIGINS',
      'must be origins as browsers send them (https://fans.example), parted by commas',
    )
  }
  if (reader.production && origins.some(origin => origin.startsWith('http:'))) {
    reader.refuse('CORS_ORIGINS', 'must be https in production')
  }
  return origins
}

function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return URL.parse(text)?.origin === text && !text.includes('*')
  // The web views of apps: `capacitor://localhost`.
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+$/.test(text)
}

function readProxies(reader: Reader): TrustedProxies {
  const name = 'TRUSTED_PROXIES'
  const entries = list(reader.text(name))
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
  // A network of everything would trust every client.
  const sane = prefix === undefined || (/^\d{1,3}$/.test(prefix) && length >= 1 && length <= bits)
  if (version === 0 || !sane || more.length > 0) return false
  networks.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4')
  return true
}

const list = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean)
