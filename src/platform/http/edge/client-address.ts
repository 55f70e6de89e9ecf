/** The address of a client, from the connection and from headers of trusted proxies. */
import { isIP } from 'node:net'
import type { NetworkConfig, TrustedProxies } from '../../config/network.ts'

type Proxies = Pick<NetworkConfig, 'trustedProxies' | 'proxyHeader'>

/**
 * The client's address. `peer` is the address of the connection. The header is used only if a trusted proxy sent it, and is
 * read from the right, where the nearest proxy appends: everything left of an untrusted address may be forged.
 */
export function clientAddress(headers: Headers, peer: string | undefined, proxies: Proxies): string {
  const nearest = normalize(peer ?? '') ?? ''
  const { trustedProxies, proxyHeader } = proxies
  if (trustedProxies.kind === 'none') return nearest
  const chain = forwardedFor(headers.get(proxyHeader) ?? '', proxyHeader).reverse()
  let address = nearest
  for (const [hops, claimed] of chain.entries()) {
    if (!isTrusted(trustedProxies, address, hops)) break
    // `unknown`, an obfuscated identifier or invalid text: the last verified address is used.
    const next = normalize(claimed)
    if (next === undefined) break
    address = next
  }
  return address
}

/** Whether `address`, after `hops` earlier proxies, is a trusted proxy. */
function isTrusted(trusted: TrustedProxies, address: string, hops: number): boolean {
  if (trusted.kind === 'hops') return hops < trusted.hops
  if (trusted.kind === 'none' || address === '') return false
  return trusted.networks.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}

/** The nodes of the header, from left to right, not normalized. */
function forwardedFor(value: string, header: NetworkConfig['proxyHeader']): string[] {
  if (value === '') return []
  const elements = value.split(',')
  if (header === 'x-forwarded-for') return elements
  // RFC 7239: `for="[2001:db8::1]:4711";proto=https`, one element per proxy.
  return elements.map(element => {
    const pairs = element.split(';').map(pair => pair.trim())
    const node = pairs.find(pair => /^for=/i.test(pair))?.slice('for='.length) ?? ''
    return node.startsWith('"') && node.endsWith('"') ? node.slice(1, -1) : node
  })
}

/** Without port, brackets and the IPv6 form of an IPv4 address; undefined if it is not an address. */
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
