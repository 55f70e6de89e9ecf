/** Where a request came from, as far as trusted proxies say. */
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { NetworkConfig, TrustedProxies } from '../../config/network.ts'

type Proxies = Pick<NetworkConfig, 'trustedProxies' | 'proxyHeader'>

/**
 * The client's address. `peer` is the connection's own. What a header says counts only from a trusted proxy, and is
 * read from the right, where the nearest proxy wrote: everything left of an untrusted address is the client's claim.
 */
export function clientAddress(headers: Headers, peer: string | undefined, proxies: Proxies): string {
  const nearest = peers.memo(peer ?? '')
  const { trustedProxies, proxyHeader } = proxies
  if (trustedProxies.kind === 'none') return nearest
  const chain = forwardedFor(headers.get(proxyHeader) ?? '', proxyHeader).reverse()
  let address = nearest
  for (const [at, claimed] of chain.entries()) {
    if (!believes(trustedProxies, address, at)) break
    // `unknown`, an obfuscated name or nonsense: the last verified address is the best known.
    const next = normalize(claimed)
    if (next === undefined) break
    address = next
  }
  return address
}

/** Addresses of connections repeat. */
const peers = new LRUCache<string, string>({ max: 10_000, memoMethod: peer => normalize(peer) ?? '' })

/** Whether the one at `address`, `at` hops away, is trusted to say who came to it. */
function believes(trusted: TrustedProxies, address: string, at: number): boolean {
  if (trusted.kind === 'hops') return at < trusted.hops
  if (trusted.kind === 'none' || address === '') return false
  return trusted.networks.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}

/** The nodes of the header, from left to right, as they were written. */
function forwardedFor(value: string, header: NetworkConfig['proxyHeader']): string[] {
  if (value === '') return []
  const elements = value.split(',')
  if (header === 'x-forwarded-for') return elements
  // RFC 7239: `for="[2001:db8::1]:4711";proto=https`, one element a proxy.
  return elements.map(element => {
    const pairs = element.split(';').map(pair => pair.trim())
    const node = pairs.find(pair => /^for=/i.test(pair))?.slice('for='.length) ?? ''
    return node.startsWith('"') && node.endsWith('"') ? node.slice(1, -1) : node
  })
}

/** Without port, brackets and the IPv6 form of an IPv4 address; undefined when it is not an address. */
function normalize(node: string): string | undefined {
  const text = node.trim().toLowerCase()
  const bare =
    /^\[([\da-f:.]{2,45})\](?::\d{1,5})?$/.exec(text)?.[1] ??
    /^([\d.]{7,15}):\d{1,5}$/.exec(text)?.[1] ??
    text
  const address = bare.replace(/^::ffff:(?=\d+\.)/, '')
  return isIP(address) ? address : undefined
}

/** Addresses counted as one client: an IPv6 client may use a whole /64. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  if (address.includes('::')) {
    const after = tail.split(':').filter(Boolean)
    while (groups.length + after.length < 8) groups.push('0')
    groups.push(...after)
  }
  return `${groups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
