/** Queries chains by JSON-RPC (`WEB3_RPC_URLS`). Responses are not trusted: their size is limited, and they are checked. */

import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { errorCode } from '../../core/error-code.ts'
import { DomainError } from '../../core/problems.ts'
import { type Fetch, fetchJson, ProviderError } from '../../platform/identity-provider/fetch-json.ts'
import {
  createResiliencePolicy,
  DEADLINE_MS,
  type ResilienceOptions,
} from '../../platform/identity-provider/resilience-policy.ts'
import { walletProblems } from './problems.ts'

const MAX_BYTES = 65_536
/** How long a balance is cached. Milliseconds. */
const BALANCE_MS = 600_000
/** Maximum number of cached balances, counted per wallet. */
const MAX_BALANCES = 20_000
/** `balanceOf(address)` in ERC-20 and ERC-721. */
const BALANCE_OF = '0x70a08231'
/** Enough to create a contract and check a signature. Without a limit, a hostile contract could keep a node busy. */
const GAS = `0x${(10_000_000).toString(16)}`
/** Messages of nodes for a contract that refuses, if they do not use code 3. */
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
  /** Absent: the creation of a contract is simulated. */
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

    /** A node of another chain would prove nothing about this chain. */
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

  /** Null if the contract refused. @throws DomainError `chain_unavailable` */
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
    // An incomplete answer, for example for an address without a contract, proves nothing.
    if (balance?.length !== 66) throw unavailable(chainId, 'the contract does not answer balanceOf')
    return BigInt(balance)
  }

  async function readBlock(chainId: number): Promise<string> {
    const block = await ask(chainId, 'eth_blockNumber', [])
    if (!block || block === '0x') throw unavailable(chainId, 'it does not tell its newest block')
    return block
  }

  async function readBalances(chainId: number, contract: string, owners: string[]): Promise<Balances> {
    // All wallets are read at one block: otherwise a token that moves between them could be counted twice.
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

/** The result of a JSON-RPC response, in lower case. @throws ProviderError for an invalid response */
function readResult({ jsonrpc, id, result, error }: Record<string, unknown>): string | null {
  if (jsonrpc !== '2.0' || id !== 1) throw new ProviderError('its response is not JSON-RPC', 'invalid')
  if (typeof error === 'object' && error !== null) {
    const message = 'message' in error ? error.message : undefined
    if (errorCode(error) === 3 || REVERTED.test(String(message))) return null
    // Leaves out the message, which may contain the key of the URL.
    throw new ProviderError(`it refused with ${Number(errorCode(error))}`, 'unavailable')
  }
  if (typeof result !== 'string' || !/^0x[\da-f]*$/i.test(result))
    throw new ProviderError('its result is not hex', 'invalid')
  return result.toLowerCase()
}
