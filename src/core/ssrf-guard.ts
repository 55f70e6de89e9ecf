/**
 * Guards requests to URLs from the configuration or from other systems against SSRF. In production the host is resolved
 * first, every address must be public, unless the operator lists the host, and the connection uses the address that was checked, so that DNS rebinding has no
 * effect. Redirects are not followed, and responses are not decompressed.
 */

import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { errorCode } from './error-code.ts'

type Networks = readonly (readonly [network: string, prefix: number])[]

function listOf(ipv4: Networks, ipv6: Networks): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ipv4) list.addSubnet(network, prefix, 'ipv4')
  for (const [network, prefix] of ipv6) list.addSubnet(network, prefix, 'ipv6')
  return list
}

const internal = listOf(
  [
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
  ],
  [
    // Teredo and 6to4 carry an IPv4 address that is not checked here.
    ['2001::', 32],
    ['2002::', 16],
  ],
)

/** Global unicast (RFC 4291). All other IPv6 addresses are internal: loopback, local, multicast, reserved, translated. */
const globalUnicast = listOf([], [['2000::', 3]])

/** Private addresses, which only hosts that the operator lists may have. */
const privateNetworks = listOf(
  [
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
  ],
  [
    ['::1', 128],
    ['fc00::', 7],
  ],
)

/** Metadata services of clouds at private addresses, which give credentials to any process. The others are link-local. */
const metadata = listOf(
  // Alibaba Cloud.
  [['100.100.100.200', 32]],
  // AWS and Google Cloud.
  [
    ['fd00:ec2::254', 128],
    ['fd20:ce::254', 128],
  ],
)

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Whether a host is a loopback, private, link-local or otherwise non-public address. Does not resolve names. */
export function isInternalHost(hostname: string): boolean {
  const [address = ''] = hostname.replace(/^\[|\]$/g, '').split('%', 1)
  const host = address.toLowerCase().replace(/\.$/, '')
  const family = isIP(host)
  if (family === 4) return internal.check(host, 'ipv4')
  if (family === 6) {
    const embedded = embeddedIPv4(host)
    if (embedded !== null) return internal.check(embedded, 'ipv4')
    return internal.check(host, 'ipv6') || !globalUnicast.check(host, 'ipv6')
  }
  return host === 'localhost' || host.endsWith('.localhost')
}

/** The IPv4 address in an IPv4-mapped (`::ffff:0:0/96`) or a NAT64 address (`64:ff9b::/96`, RFC 6052). */
function embeddedIPv4(address: string): string | null {
  const normalized = URL.parse(`http://[${address}]`)?.hostname ?? ''
  const groups = /^\[(?:64:ff9b:|::ffff):(?:(?:([\da-f]{1,4}):)?([\da-f]{1,4}))?\]$/.exec(normalized)
  if (!groups) return null
  const high = Number.parseInt(groups[1] ?? '0', 16)
  const low = Number.parseInt(groups[2] ?? '0', 16)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The host is internal, or its name resolves to an internal address. */
export class ForbiddenAddressError extends Error {
  constructor() {
    super('its address is not permitted')
    this.name = 'ForbiddenAddressError'
  }
}

export type GuardedFetch = (request: Request) => Promise<Response>

interface GuardOptions {
  /** Refuses internal addresses. Off in development, since the provider runs on a loopback address. */
  publicOnly: boolean
  /** Host names that may resolve to private addresses, but never to a metadata service. Default: none. */
  allowPrivate?: string[]
  /** All addresses of a host name. Default: the system's resolver. */
  resolve?: (hostname: string) => Promise<string[]>
  /** Default: Bun's `fetch`. */
  transport?: (url: string, init: BunFetchRequestInit) => Promise<Response>
}

/** Errors before anything is sent: the next address of the host can be tried. */
const NOT_CONNECTED = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']

/**
 * A `fetch` that rejects with `ForbiddenAddressError` before it connects to an internal address. `decompress: false` makes
 * Bun send no Accept-Encoding, so that a small response cannot expand in memory.
 */
export function createGuardedFetch(options: GuardOptions): GuardedFetch {
  const { publicOnly, allowPrivate = [], resolve = resolveAddresses, transport = fetch } = options
  return async request => {
    const { method, signal } = request
    const body = request.body === null ? undefined : await request.arrayBuffer()
    const init = { method, body, signal, redirect: 'manual', decompress: false } as const
    const url = new URL(request.url)
    const hostname = url.hostname.replace(/\.$/, '')
    const mayBePrivate = allowPrivate.includes(hostname)
    const isPermitted = (address: string) =>
      !isInternalHost(address) || (mayBePrivate && isIn(privateNetworks, address) && !isIn(metadata, address))
    if (publicOnly && isInternalHost(hostname) && !mayBePrivate) throw new ForbiddenAddressError()
    if (!publicOnly || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
      return transport(url.href, { ...init, headers: request.headers })

    const addresses = await resolve(hostname)
    if (addresses.length === 0 || !addresses.every(isPermitted)) throw new ForbiddenAddressError()
    signal.throwIfAborted()
    const headers = new Headers(request.headers)
    headers.set('host', url.host)
    // Server name indication and certificate checks use the host name.
    const pinned = { ...init, headers, tls: { serverName: hostname } }
    for (const [n, address] of addresses.entries()) {
      url.hostname = isIP(address) === 6 ? `[${address}]` : address
      try {
        return await transport(url.href, pinned)
      } catch (error) {
        if (n === addresses.length - 1 || !NOT_CONNECTED.includes(String(errorCode(error)))) throw error
      }
    }
    throw new ForbiddenAddressError()
  }
}

async function resolveAddresses(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true, order: 'ipv4first' })
  return found.map(({ address }) => address)
}
