/** Where the provider may be sought. A discovery document is somebody else's text: it does not get to choose freely. */
import { BlockList, isIP } from 'node:net'

const inside = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  inside.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  // With what remains of IPv4-compatible addresses: `::127.0.0.1`.
  ['::', 96],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  inside.addSubnet(network, prefix, 'ipv6')

/** Loopback, private, link-local and other addresses that no provider on the internet has. */
export function isInside(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
    .replace(/\.$/, '')
  const family = isIP(host)
  if (family === 4) return inside.check(host, 'ipv4')
  // `check` knows IPv4 addresses in IPv6 clothes too.
  if (family === 6) return inside.check(host, 'ipv6')
  return host === 'localhost' || host.endsWith('.localhost')
}

export interface OutboundRules {
  /** A provider at https is never left for plain http. */
  httpsOnly: boolean
  /** In production: no loopback and no private address. A name that resolves to one is the network's to refuse. */
  publicOnly: boolean
}

/** The URL when we may go there, else null. */
export function permittedUrl(value: unknown, { httpsOnly, publicOnly }: OutboundRules): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (!url || url.username || url.password || !/^https?:$/.test(url.protocol)) return null
  if (httpsOnly && url.protocol !== 'https:') return null
  if (publicOnly && isInside(url.hostname)) return null
  return url.href
}
