/** A node of a chain as far as it is asked: JSON-RPC on the loopback, with answers that a test sets. */
import { decodeDeployData, erc6492SignatureValidatorAbi, erc6492SignatureValidatorByteCode } from 'viem'

type Hex = `0x${string}`

interface Request {
  method: string
  params: [{ to?: Hex; data: Hex; gas: Hex }, string]
}

/** The validation that the contract of a wallet must answer. */
interface Validation {
  address: string
  hash: Hex
  signature: Hex
}

export interface RpcServer {
  url: string
  /** In the order of their arrival. */
  asked: Request[]
  chainId: number
  /** Units by contract and owner at the newest block, in lower case: `balances.set('0xc… 0xo…', 1n)`. */
  balances: Map<string, bigint>
  /** Ends the newest block: what `balances` has until now can be read at its number. */
  mine(): void
  /** Whether the contract of a wallet accepts; `revert`: it refuses by an error. */
  accepts: (validation: Validation) => boolean | 'revert' | Promise<boolean>
  /** Answers instead of the node. */
  fails: ((request: Request) => Response | object | undefined | Promise<Response>) | undefined
  stop(): Promise<void>
}

export function startRpc({ chainId = 31_337 } = {}): RpcServer {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as Request & { id: number }
      rpc.asked.push(body)
      const failure = await rpc.fails?.(body)
      if (failure instanceof Response) return failure
      return Response.json({ jsonrpc: '2.0', id: body.id, ...(failure ?? (await answer(body))) })
    },
  })
  /** Balances of the blocks below the newest. */
  const past: Map<string, bigint>[] = []
  async function answer({ method, params: [call, block] }: Request): Promise<object> {
    if (method === 'eth_chainId') return { result: `0x${rpc.chainId.toString(16)}` }
    if (method === 'eth_blockNumber') return { result: `0x${past.length.toString(16)}` }
    if (method !== 'eth_call') return { error: { code: -32_601, message: 'the method does not exist' } }
    if (call.to === undefined) return validate(call.data)
    const balances = (block === 'latest' ? undefined : past[Number(block)]) ?? rpc.balances
    const balance = balances.get(`${call.to} 0x${call.data.slice(-40)}`) ?? 0n
    return { result: `0x${balance.toString(16).padStart(64, '0')}` }
  }
  async function validate(data: Hex): Promise<object> {
    const { args } = decodeDeployData({
      abi: erc6492SignatureValidatorAbi,
      bytecode: erc6492SignatureValidatorByteCode,
      data,
    })
    const [address, hash, signature] = args ?? ['0x', '0x', '0x']
    const accepted = await rpc.accepts({ address: String(address), hash, signature })
    if (accepted === 'revert') return { error: { code: 3, message: 'execution reverted', data: '0x' } }
    return { result: accepted ? '0x01' : '0x00' }
  }
  const rpc: RpcServer = {
    url: `http://127.0.0.1:${server.port}/v1/secret-of-the-node`,
    ...{ asked: [], chainId, balances: new Map(), fails: undefined },
    mine: () => void past.push(new Map(rpc.balances)),
    accepts: () => false,
    stop: () => server.stop(true),
  }
  return rpc
}
