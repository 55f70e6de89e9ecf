/**
 * A chain on the loopback: the contracts of `contracts.sol`, compiled and run by an EVM, behind JSON-RPC. Prints its URL, its
 * contracts and the ABIs as one line of JSON. POST /deploy and /send change the chain for a test.
 */
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { Address, bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util'
import solc from 'solc'

type Hex = `0x${string}`

const CHAIN_ID = 31_337
/** As nodes limit a simulated call that names no gas. */
const GAS_CAP = 50_000_000n
const caller = createAddressFromString(`0x${'0'.repeat(39)}1`)

interface Call {
  to?: Hex
  data: Hex
  gas?: Hex
}

const content = await Bun.file(new URL('contracts.sol', import.meta.url)).text()
const compiled = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: { contracts: { content } },
      settings: {
        evmVersion: 'cancun',
        optimizer: { enabled: true },
        outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
      },
    }),
  ),
)
const errors = (compiled.errors ?? []).filter(({ severity }: { severity: string }) => severity === 'error')
if (errors.length > 0) throw new Error(JSON.stringify(errors))

const common = new Common({ chain: { ...Mainnet, chainId: CHAIN_ID }, hardfork: Hardfork.Cancun })
const evm = await createEVM({ common })

async function run({ to, data, gas }: Call) {
  const { execResult, createdAddress } = await evm.runCall({
    ...{ caller, data: hexToBytes(data), gasLimit: gas ? BigInt(gas) : GAS_CAP },
    to: to ? new Address(hexToBytes(to)) : undefined,
  })
  return { execResult, createdAddress }
}

/** As geth answers `eth_call`: nothing that is simulated stays. */
async function simulate(call: Call) {
  await evm.stateManager.checkpoint()
  try {
    const { execResult } = await run(call)
    const { exceptionError, returnValue } = execResult
    if (!exceptionError) return { result: bytesToHex(returnValue) }
    const reverted = exceptionError.error === 'revert'
    return reverted
      ? { error: { code: 3, message: 'execution reverted', data: bytesToHex(returnValue) } }
      : { error: { code: -32_000, message: exceptionError.error } }
  } finally {
    await evm.stateManager.revert()
  }
}

const hexOf = (number: number): string => `0x${number.toString(16)}`

/** Calls run one after the other: they share the state. */
let last: Promise<unknown> = Promise.resolve()
/** Number of the newest block: each transaction is one. Older blocks cannot be read, as with a node that prunes. */
let newest = 0
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work)
  last = result.catch(() => undefined)
  return result
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = await request.json()
    const { pathname } = new URL(request.url)
    if (pathname === '/send') {
      const { execResult, createdAddress } = await inTurn(() => run(body))
      newest++
      if (execResult.exceptionError) return new Response(execResult.exceptionError.error, { status: 500 })
      return Response.json({ address: createdAddress?.toString() ?? null })
    }
    const { id, method, params } = body
    if (method === 'eth_chainId') return Response.json({ jsonrpc: '2.0', id, result: hexOf(CHAIN_ID) })
    if (method === 'eth_blockNumber') return Response.json({ jsonrpc: '2.0', id, result: hexOf(newest) })
    if (method === 'eth_call' && !['latest', hexOf(newest)].includes(params[1]))
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'header not found' } })
    if (method === 'eth_call')
      return Response.json({ jsonrpc: '2.0', id, ...(await inTurn(() => simulate(params[0]))) })
    return Response.json({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'no such method' } })
  },
})

const contracts = Object.fromEntries(
  Object.entries(
    compiled.contracts.contracts as Record<string, { abi: object; evm: { bytecode: { object: string } } }>,
  ).map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }]),
)
process.stdout.write(
  `${JSON.stringify({ url: `http://127.0.0.1:${server.port}`, chainId: CHAIN_ID, contracts })}\n`,
)
