import { attempt } from '../../core/attempt.ts'
import { isInternalHost } from '../../core/ssrf-guard.ts'
import type { EnvironmentReader } from './environment.ts'
import { readHostNames } from './identity.ts'

export type WalletsConfig = ReturnType<typeof readWallets>

/** EIP-155 has no upper bound; wallets and JSON numbers have this one. */
const MAX_CHAIN_ID = Number.MAX_SAFE_INTEGER

/** Wallets that fans link, and the chains that are asked what they hold. */
export function readWallets(reader: EnvironmentReader, publicUrl: string | null, port: number) {
  const chainIds = readChainIds(reader)
  const allowPrivate = readHostNames(reader, 'WEB3_RPC_ALLOW_PRIVATE')
  return Object.freeze({
    /** Chains on which wallets can be linked; empty: none. */
    chainIds,
    /** The site that asks for the signature: its host is the domain of the signed message. Null: no wallet can be linked. */
    origin: chainIds.length === 0 ? null : readOrigin(reader, publicUrl, port),
    /** The JSON-RPC URL of each chain, which may contain a key. */
    rpcUrls: readRpcUrls(reader, allowPrivate),
    /** Host names of these URLs that may have private addresses in production. */
    allowPrivate,
  })
}

function readChainIds(reader: EnvironmentReader): number[] {
  const text = reader.text('WALLET_CHAIN_IDS') ?? (reader.production ? 'off' : '1')
  if (text === 'off') return []
  const ids = text.split(',').map(id => id.trim())
  if (ids.every(isChainId)) return [...new Set(ids.map(Number))]
  reader.refuse('WALLET_CHAIN_IDS', 'must be off, or chain ids (EIP-155), separated by commas')
  return []
}

const isChainId = (text: string) => /^[1-9]\d{0,15}$/.test(text) && Number(text) <= MAX_CHAIN_ID

function readOrigin(reader: EnvironmentReader, publicUrl: string | null, port: number): string | null {
  const stated = reader.text('WALLET_ORIGIN')
  const text = stated ?? publicUrl ?? (reader.production ? undefined : `http://localhost:${port}`)
  if (text === undefined) {
    reader.refuse('WALLET_CHAIN_IDS', 'needs WALLET_ORIGIN or PUBLIC_URL: fans sign for this site')
    return null
  }
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || (stated !== undefined && url.href !== `${url.origin}/`))
    reader.refuse(
      'WALLET_ORIGIN',
      'must be http:// or https://, a host and optionally a port, without a path',
    )
  else if (reader.production && url.protocol !== 'https:')
    reader.refuse('WALLET_ORIGIN', 'must be https in production')
  return url?.origin ?? null
}

/** `CHAIN=URL` pairs, separated by commas. Never repeats a value: it may contain a key. */
function readRpcUrls(reader: EnvironmentReader, allowPrivate: string[]): ReadonlyMap<number, string> {
  const name = 'WEB3_RPC_URLS'
  const urls = new Map<number, string>()
  for (const pair of (reader.secret(name) ?? '').split(',').filter(text => text.trim() !== '')) {
    const [, chain = '', value = ''] = /^\s*(\d+)=(\S+)\s*$/.exec(pair) ?? []
    const url = attempt(() => new URL(value))
    if (!isChainId(chain) || !url || !/^https?:$/.test(url.protocol) || url.username || url.hash) {
      reader.refuse(
        name,
        'must be CHAIN=URL pairs, separated by commas, whose URLs are http or https, without credentials and fragment',
      )
      continue
    }
    const mayBePrivate = allowPrivate.includes(url.hostname)
    if (urls.has(Number(chain))) reader.refuse(name, `has two URLs of chain ${chain}`)
    if (reader.production && url.protocol !== 'https:' && !mayBePrivate)
      reader.refuse(
        name,
        'must be https in production; WEB3_RPC_ALLOW_PRIVATE lists host names that may be http',
      )
    else if (reader.production && isInternalHost(url.hostname) && !mayBePrivate)
      reader.refuse(
        name,
        'must not be a loopback or private address in production; WEB3_RPC_ALLOW_PRIVATE lists host names that may be private',
      )
    urls.set(Number(chain), url.href)
  }
  return urls
}
