/** Wallets and tokens that are real contracts, on an EVM of its own. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Abi,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  pad,
  serializeErc6492Signature,
} from 'viem'
import { columnsOfRequires } from '../../src/play/eligibility/requires.ts'
import { expectStatus, refusal } from '../play/packs/packs-world.ts'
import { challenge, link, linkAccount, linkedOf, newAccount } from '../play/wallets/wallets-world.ts'
import { sqliteEngine } from '../support/engines.ts'
import { createWorld, type Fan, type World } from '../support/world.ts'

const isInstalled = existsSync(join(import.meta.dir, 'node_modules'))
const TITLE = `Wallets on a local chain${isInstalled ? '' : ' (skipped: `bun run test:chain` installs it)'}`
const MINUTE = 60_000

type Name = 'OwnedWallet' | 'WalletFactory' | 'Token' | 'Endless' | 'Flood' | 'Refusing'

interface Chain {
  url: string
  chainId: number
  contracts: Record<Name, { abi: Abi; bytecode: Hex }>
}

describe.skipIf(!isInstalled)(TITLE, () => {
  let node: Bun.Subprocess
  let chain: Chain
  let world: World
  const owner = newAccount()

  beforeAll(async () => {
    const child = Bun.spawn([process.execPath, 'node.ts'], {
      cwd: import.meta.dir,
      stdout: 'pipe',
      stderr: 'inherit',
    })
    node = child
    let printed = ''
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text
      if (printed.includes('\n')) break
    }
    chain = JSON.parse(printed)
  })
  afterAll(() => node.kill())

  beforeEach(async () => {
    const env = { WALLET_CHAIN_IDS: String(chain.chainId), WEB3_RPC_URLS: `${chain.chainId}=${chain.url}` }
    world = await createWorld(sqliteEngine, { env })
    return () => world.close()
  })

  async function send(call: { to?: Hex; data: Hex }): Promise<Hex> {
    const answer = await fetch(`${chain.url}/send`, { method: 'POST', body: JSON.stringify(call) })
    if (!answer.ok) throw new Error(await answer.text())
    // Guarantee of the cast: the node writes addresses.
    return ((await answer.json()) as { address: Hex }).address
  }

  const deploy = (name: Name, ...args: unknown[]) =>
    send({ data: encodeDeployData({ ...chain.contracts[name], args }) })

  const call = (to: Hex, name: Name, functionName: string, ...args: unknown[]) =>
    send({ to, data: encodeFunctionData({ abi: chain.contracts[name].abi, functionName, args }) })

  /** The result of a function that changes nothing. */
  async function read(to: Hex, name: Name, functionName: string, ...args: unknown[]): Promise<Hex> {
    const data = encodeFunctionData({ abi: chain.contracts[name].abi, functionName, args })
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ to, data }, 'latest'],
    })
    const answer = await fetch(chain.url, { method: 'POST', body })
    // Guarantee of the cast: the function exists.
    return ((await answer.json()) as { result: Hex }).result
  }

  /** A challenge for the contract at this address, and its signature by the owner. */
  async function signed(fan: Fan, address: string) {
    const { message, nonce } = await challenge(fan, address, chain.chainId)
    return { nonce, signature: await owner.signMessage({ message }) }
  }

  test('only the owner of a contract can link it', async () => {
    const [fan, address] = [await world.fan(), await deploy('OwnedWallet', owner.address)]
    const { message, nonce } = await challenge(fan, address, chain.chainId)
    const other = await newAccount().signMessage({ message })
    expect(refusal(await link(fan, nonce, other))).toEqual([422, 'invalid_wallet_signature'])
    expectStatus(201, await link(fan, nonce, await owner.signMessage({ message })))
    expect((await linkedOf(fan)).map(({ address }) => address.toLowerCase())).toEqual([address])
  })

  test('a contract is linked before it is deployed, and stays undeployed', async () => {
    const [fan, factory] = [await world.fan(), await deploy('WalletFactory')]
    const salt = pad('0x07', { size: 32 })
    const word = await read(factory, 'WalletFactory', 'addressOf', owner.address, salt)
    const address: Hex = `0x${word.slice(-40)}`
    const data = encodeFunctionData({
      ...{ abi: chain.contracts.WalletFactory.abi, functionName: 'create', args: [owner.address, salt] },
    })
    const { nonce, signature } = await signed(fan, address)
    expect(refusal(await link(fan, nonce, signature))).toEqual([422, 'invalid_wallet_signature'])
    // Guarantee of the cast: viem signs as hex.
    const inner = signature as Hex
    expectStatus(
      201,
      await link(fan, nonce, serializeErc6492Signature({ address: factory, data, signature: inner })),
    )
    expect(await read(address, 'OwnedWallet', 'isValidSignature', pad('0x', { size: 32 }), '0x')).toBe('0x')
  })

  test.each(['Endless', 'Flood', 'Refusing'] as const)('a hostile contract is not linked: %s', async name => {
    const [fan, address] = [await world.fan(), await deploy(name)]
    const { nonce, signature } = await signed(fan, address)
    expect(refusal(await link(fan, nonce, signature))).toEqual([422, 'invalid_wallet_signature'])
    const factory = newAccount().address
    // Guarantee of the cast: viem signs as hex.
    const inner = signature as Hex
    const wrapped = serializeErc6492Signature({ address: factory, data: '0xdeadbeef', signature: inner })
    expect(refusal(await link(fan, nonce, wrapped))).toEqual([422, 'invalid_wallet_signature'])
    const viaHostile = serializeErc6492Signature({ address, data: '0xdeadbeef', signature: inner })
    expect((await link(fan, nonce, viaHostile)).status).toBeGreaterThanOrEqual(422)
    expect(await linkedOf(fan)).toEqual([])
    // The chain is still asked for others.
    const own = await deploy('OwnedWallet', owner.address)
    const proof = await signed(fan, own)
    expectStatus(201, await link(fan, proof.nonce, proof.signature))
  })

  test('holders of a token claim a reward, with any name of the token', async () => {
    const [fan, account, contract] = [await world.fan(), newAccount(), await deploy('Token')]
    const { requiredHolding } = columnsOfRequires(
      { holds: { chainId: chain.chainId, contract, minimum: '3' } },
      ['requiredHolding'],
    )
    const rewardId = await world.reward({ pointsRequired: 0, requiredHolding })
    expectStatus(201, await linkAccount(fan, account, chain.chainId))
    await call(contract, 'Token', 'mint', account.address, 2n)
    const claim = () => fan.post('/api/rewards/claim', { rewardId })
    expect((await claim()).body).toMatchObject({ code: 'not_a_holder', held: '2', minimum: '3' })
    await call(contract, 'Token', 'mint', account.address, 1n)
    world.clock.advance(10 * MINUTE + 1)
    expectStatus(200, await claim())
    expect(world.logged.join()).not.toContain('script')
  })

  test('a token that moves through five wallets of a fan counts once', async () => {
    const [fan, contract] = [await world.fan(), await deploy('Token')]
    const { requiredHolding } = columnsOfRequires(
      { holds: { chainId: chain.chainId, contract, minimum: '5' } },
      ['requiredHolding'],
    )
    const rewardId = await world.reward({ pointsRequired: 0, requiredHolding })
    const accounts = [1, 2, 3, 4, 5].map(() => newAccount())
    const claim = () => fan.post('/api/rewards/claim', { rewardId })
    let from = newAccount().address
    await call(contract, 'Token', 'mint', from, 1n)
    for (const account of accounts) {
      expectStatus(201, await linkAccount(fan, account, chain.chainId))
      await call(contract, 'Token', 'move', from, account.address, 1n)
      expect((await claim()).body).toMatchObject({ code: 'not_a_holder', held: '1', minimum: '5' })
      from = account.address
    }
    await call(contract, 'Token', 'mint', from, 4n)
    world.clock.advance(10 * MINUTE + 1)
    expectStatus(200, await claim())
  })

  test.each(['Endless', 'Flood', 'Refusing'] as const)(
    'nobody is a holder of a contract without a valid answer: %s',
    async name => {
      const [fan, contract] = [await world.fan(), await deploy(name)]
      const { requiredHolding } = columnsOfRequires(
        { holds: { chainId: chain.chainId, contract, minimum: '1' } },
        ['requiredHolding'],
      )
      const rewardId = await world.reward({ pointsRequired: 0, requiredHolding })
      expectStatus(201, await linkAccount(fan, newAccount(), chain.chainId))
      const answer = await fan.post('/api/rewards/claim', { rewardId })
      expect(refusal(answer)).toEqual([503, 'chain_unavailable'])
    },
  )
})
