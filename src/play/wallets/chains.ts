/** Asks chains by JSON-RPC (`WEB3_RPC_URLS`). What they answer is not trusted: each response is bounded and checked. */

import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { DomainError } from '../../core/problems.ts'
import { type Fetch, fetchJson, ProviderError } from '../../platform/identity-provider/fetch-json.ts'
import {
  createResiliencePolicy,
  DEADLINE_MS,
  type ResilienceOptions,
} from '../../platform/identity-provider/resilience-policy.ts'
import { walletProblems } from './problems.ts'

const MAX_BYTES = 65_536
/** How long a balance is used. Milliseconds. */
const BALANCE_MS = 600_000
/** Balances that are kept at most, each as one of a wallet. */
const MAX_BALANCES = 20_000
/** `balanceOf(address)`, of ERC-20 and of ERC-721. */
const BALANCE_OF = '0x70a08231'
/** Enough for a contract that is created and checks a signature. Without it, a hostile contract could keep a node busy. */
const GAS = `0x${(10_000_000).toString(16)}`
/** What nodes say of a contract that refuses: code 3, or in their own words. */
const REVERTED = /revert|invalid opcode|out of gas|VM execution error/i

interface ChainsOptions {
  rpcUrls: ReadonlyMap<number, string>
  fetch: Fetch
  log: Logger
  /** Monotonic clock, in milliseconds. */
  elapsed(): number
  resilience?: ResilienceOptions | undefined
}

interface Call {
  /** Absent: a creation is simulated. */
  to?: string
  data: string
}

/** Units by address. */
type Balances = ReadonlyMap<string, bigint>

interface Reading {
  asked: Promise<Balances>
  /** Once the chain has answered. */
  known?: Balances
}

/** Each set of addresses is a reading of its own: readings of single wallets are never added up. */
const nameOfReading = (chainId: number, contract: string, owners: string[]) =>
  [chainId, contract, ...owners.toSorted()].join(' ')

export type Chains = ReturnType<typeof createChains>

export function createChains({ rpcUrls, fetch, log, elapsed, resilience }: ChainsOptions) {
  const chains = new Map([...rpcUrls].map(([chainId, url]) => [chainId, openChain(chainId, url)]))
  const balances = new LRUCache<string, Reading>({
    maxSize: MAX_BALANCES,
    ttl: BALANCE_MS,
    ttlResolution: 0,
    perf: { now: elapsed },
  })

  function openChain(chainId: number, url: string) {
    const policy = createResiliencePolicy(resilience)
    const deadlineMs = resilience?.deadlineMs ?? DEADLINE_MS
    let isChecked = false

    /** Null: the contract refused. */
    const ask = (method: string, params: unknown[]) =>
      policy.run(async () => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
        return readResult((await fetchJson({ fetch, url, body, deadlineMs, maxBytes: MAX_BYTES })).body)
      })

    /** A URL of another chain would prove nothing of this one. */
    async function requireChain() {
      if (isChecked) return
      const id = await ask('eth_chainId', [])
      if (id === null || Number(id) !== chainId) throw new ProviderError('it is of another chain', 'invalid')
      isChecked = true
    }

    return async (method: string, params: unknown[]) => {
      await requireChain()
      return ask(method, params)
    }
  }

  /** Null: a contract refused. @throws DomainError `chain_unavailable` */
  async function ask(chainId: number, method: string, params: unknown[]): Promise<string | null> {
    try {
      const chain = chains.get(chainId)
      if (!chain) throw new ProviderError('WEB3_RPC_URLS has no URL of it', 'invalid')
      return await chain(method, params)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      throw unavailable(chainId, error.message, error.retryAfter)
    }
  }

  const call = (chainId: number, transaction: Call, block = 'latest') =>
    ask(chainId, 'eth_call', [{ ...transaction, gas: GAS }, block])

  function unavailable(chainId: number, problem: string, retryAfter?: number) {
    log.error({ chainId, problem }, 'the chain gave no answer')
    return new DomainError(walletProblems.chain_unavailable, retryAfter === undefined ? {} : { retryAfter })
  }

  async function readBalance(
    chainId: number,
    contract: string,
    owner: string,
    block: string,
  ): Promise<bigint> {
    const data = BALANCE_OF + owner.slice(2).toLowerCase().padStart(64, '0')
    const balance = await call(chainId, { to: contract, data }, block)
    // Nothing is concluded from less than an answer, such as that of an address without a contract.
    if (balance?.length !== 66) throw unavailable(chainId, 'the contract does not answer balanceOf')
    return BigInt(balance)
  }

  async function readBlock(chainId: number): Promise<string> {
    const block = await ask(chainId, 'eth_blockNumber', [])
    if (!block || block === '0x') throw unavailable(chainId, 'it does not tell its newest block')
    return block
  }

  async function readBalances(chainId: number, contract: string, owners: string[]): Promise<Balances> {
    // One token could be counted in each wallet through which it moves between readings of different blocks.
    const block = owners.length > 1 ? await readBlock(chainId) : 'latest'
    const read = async (owner: string) => [owner, await readBalance(chainId, contract, owner, block)] as const
    return new Map(await Promise.all(owners.map(read)))
  }

  return {
    has: (chainId: number) => chains.has(chainId),
    /** The result of a simulated transaction, as hex; null if a contract refused. @throws DomainError `chain_unavailable` */
    call: (chainId: number, transaction: Call) => call(chainId, transaction),
    /** What `balancesOf` has read, without asking: for units of work, which wait for no other system. */
    knownBalances: (chainId: number, contract: string, owners: string[]): Balances | undefined =>
      balances.get(nameOfReading(chainId, contract, owners))?.known,
    /** Units of a token that the addresses hold at one block, at most ten minutes old. @throws DomainError `chain_unavailable` */
    balancesOf(chainId: number, contract: string, owners: string[]): Promise<Balances> {
      if (owners.length === 0) return Promise.resolve(new Map())
      const name = nameOfReading(chainId, contract, owners)
      const earlier = balances.get(name)
      if (earlier) return earlier.asked
      const reading: Reading = { asked: readBalances(chainId, contract, owners) }
      balances.set(name, reading, { size: owners.length })
      reading.asked.then(
        known => Object.assign(reading, { known }),
        () => balances.delete(name),
      )
      return reading.asked
    },
  }
}

/** The result of a JSON-RPC response, in lower case. @throws ProviderError unless it is one */
function readResult({ jsonrpc, id, result, error }: Record<string, unknown>): string | null {
  if (jsonrpc !== '2.0' || id !== 1) throw new ProviderError('its response is not JSON-RPC', 'invalid')
  if (typeof error === 'object' && error !== null) {
    const { code, message } = error as { code?: unknown; message?: unknown }
    if (code === 3 || REVERTED.test(String(message))) return null
    // Without the message, which may have the key.
    throw new ProviderError(`it refused with ${Number(code)}`, 'unavailable')
  }
  if (typeof result !== 'string' || !/^0x[\da-f]*$/i.test(result))
    throw new ProviderError('its result is not hex', 'invalid')
  return result.toLowerCase()
}
