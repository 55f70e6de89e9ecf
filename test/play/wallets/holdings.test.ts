/** Rewards that require tokens in linked wallets: what the chain is asked, what counts, and what is claimed. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { rewardsTag } from '../../../src/platform/cache/tags.ts'
import { columnsOfRequires } from '../../../src/play/eligibility/requires.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { expectStatus, patientFan, refusal } from '../packs/packs-world.ts'
import { addStock, checkout, freeStock } from '../shop/orders-world.ts'
import { type RpcServer, startRpc } from './rpc-server.ts'
import { type Account, challenge, link, linkAccount, newAccount, unlink } from './wallets-world.ts'

const rpc: RpcServer = startRpc()
afterAll(() => rpc.stop())

const CHAIN = 31_337
const MINUTE = 60_000
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

/** A contract that no other test uses. */
const newContract = () => `0x${(++contracts).toString(16).padStart(40, 'c')}`
let contracts = 0

const own = (contract: string, { address }: { address: string }, units: bigint) =>
  rpc.balances.set(`${contract} ${address.toLowerCase()}`, units)

const balancesAsked = () => rpc.asked.filter(({ method }) => method === 'eth_call').length

beforeEach(() => {
  rpc.asked.length = 0
  rpc.balances.clear()
  rpc.fails = undefined
})

const options = { env: { WALLET_CHAIN_IDS: `1,${CHAIN}`, WEB3_RPC_URLS: `${CHAIN}=${rpc.url}` } }

onEachEngine(
  'A reward that requires a token',
  world => {
    const unavailable = [503, 'chain_unavailable']

    /** A reward for holders of a token of its own. */
    async function rewardFor(minimum = '1', chainId = CHAIN) {
      const contract = newContract()
      const { requiredHolding } = columnsOfRequires({ holds: { chainId, contract, minimum } }, [
        'requiredHolding',
      ])
      const rewardId = await world.reward({ pointsRequired: 0, requiredHolding })
      return { rewardId, contract }
    }

    async function fanWith(...accounts: Account[]): Promise<Fan> {
      const fan = await world.fan()
      for (const account of accounts) expectStatus(201, await linkAccount(fan, account))
      return fan
    }

    const claim = (fan: Fan, rewardId: string) => fan.post('/api/rewards/claim', { rewardId })

    test('is claimed by a holder', async () => {
      const [account, { rewardId, contract }] = [newAccount(), await rewardFor()]
      const fan = await fanWith(account)
      own(contract, account, 1n)
      const { rewards } = expectStatus(200, await fan.get('/api/rewards'))
      const listed = rewards.find(({ id }: { id: string }) => id === rewardId)
      expect(listed.requires).toEqual({ holds: { chainId: CHAIN, contract, minimum: '1' } })
      const { reward } = expectStatus(200, await claim(fan, rewardId))
      expect(reward.state).toBe('claimed')
    })

    test('reads balances and nothing else: no name, symbol or picture that a contract chooses', async () => {
      const [account, { rewardId, contract }] = [newAccount(), await rewardFor()]
      const fan = await fanWith(account)
      await claim(fan, rewardId)
      const data = `0x70a08231${account.address.slice(2).toLowerCase().padStart(64, '0')}`
      const asked = rpc.asked.filter(({ method }) => method !== 'eth_chainId')
      expect(asked).toMatchObject([{ method: 'eth_call', params: [{ to: contract, data }, 'latest'] }])
    })

    test('is refused without a wallet, with an empty one, and after it is unlinked', async () => {
      const [account, { rewardId, contract }] = [newAccount(), await rewardFor('3')]
      const expected = {
        status: 409,
        code: 'not_a_holder',
        chainId: CHAIN,
        contract,
        minimum: '3',
        held: '0',
      }
      expect((await claim(await world.fan(), rewardId)).body).toMatchObject(expected)
      const fan = await fanWith(account)
      expect((await claim(fan, rewardId)).body).toMatchObject(expected)
      world.clock.advance(10 * MINUTE + 1)
      own(contract, account, 3n)
      expect((await unlink(fan, account.address)).status).toBe(204)
      expect((await claim(fan, rewardId)).body).toMatchObject(expected)
      expectStatus(201, await linkAccount(fan, account))
      expectStatus(200, await claim(fan, rewardId))
    })

    test('counts all linked wallets together, in units beyond what a number keeps', async () => {
      const minimum = 2n ** 200n
      const { rewardId, contract } = await rewardFor(String(minimum))
      const [one, other] = [newAccount(), newAccount()]
      const fan = await fanWith(one, other)
      own(contract, one, minimum - 5n)
      own(contract, other, 4n)
      expect((await claim(fan, rewardId)).body.held).toBe(String(minimum - 1n))
      world.clock.advance(10 * MINUTE + 1)
      own(contract, other, 5n)
      expectStatus(200, await claim(fan, rewardId))
    })

    test('counts one token once that moves through five wallets of a fan', async () => {
      const { rewardId, contract } = await rewardFor('5')
      const accounts = [1, 2, 3, 4, 5].map(() => newAccount())
      const fan = await world.fan()
      for (const [at, account] of accounts.entries()) {
        for (const { address } of accounts) own(contract, { address }, address === account.address ? 1n : 0n)
        rpc.mine()
        expectStatus(201, await linkAccount(fan, account))
        const refused = await claim(fan, rewardId)
        expect(refused.body, `wallet ${at + 1}`).toMatchObject({ code: 'not_a_holder', held: '1' })
      }
    })

    test('reads all wallets at one block, also when the token moves meanwhile', async () => {
      const { rewardId, contract } = await rewardFor('2')
      const accounts = [newAccount(), newAccount()]
      const fan = await fanWith(...accounts)
      own(contract, accounts[0] ?? newAccount(), 1n)
      // The token is always in the wallet that is asked next.
      rpc.fails = ({ method, params: [call] }) => {
        if (method !== 'eth_call') return undefined
        rpc.mine()
        for (const account of accounts) {
          const isAsked = call.data.endsWith(account.address.slice(2).toLowerCase())
          own(contract, account, isAsked ? 1n : 0n)
        }
        return undefined
      }
      expect((await claim(fan, rewardId)).body).toMatchObject({ code: 'not_a_holder', held: '1' })
      const blocks = rpc.asked.filter(({ method }) => method === 'eth_call').map(({ params }) => params[1])
      expect(blocks).toHaveLength(2)
      expect(new Set(blocks).size).toBe(1)
    })

    test('is not claimed with several wallets when the chain does not return its newest block', async () => {
      const { rewardId, contract } = await rewardFor()
      const [one, two] = [newAccount(), newAccount()]
      const fan = await fanWith(one)
      own(contract, two, 1n)
      rpc.fails = ({ method }) => (method === 'eth_blockNumber' ? { result: '0x' } : undefined)
      expect(refusal(await claim(fan, rewardId))).toEqual([409, 'not_a_holder'])
      expectStatus(201, await linkAccount(fan, two))
      expect(refusal(await claim(fan, rewardId))).toEqual(unavailable)
      rpc.fails = undefined
      expectStatus(200, await claim(fan, rewardId))
    })

    test('counts a key on every chain, and a contract on its own only', async () => {
      const [here, elsewhere] = [await rewardFor(), await rewardFor('1', 1)]
      const [fan, { address }] = [await world.fan(), newAccount()]
      const { nonce } = await challenge(fan, address, CHAIN)
      rpc.accepts = () => true
      expectStatus(201, await link(fan, nonce, '0x1234'))
      own(here.contract, { address }, 1n)
      own(elsewhere.contract, { address }, 1n)
      expectStatus(200, await claim(fan, here.rewardId))
      const asked = balancesAsked()
      expect(refusal(await claim(fan, elsewhere.rewardId))).toEqual([409, 'not_a_holder'])
      expect(balancesAsked()).toBe(asked)
    })

    test('is read once in ten minutes for each address and contract', async () => {
      const [account, { rewardId, contract }] = [newAccount(), await rewardFor()]
      const fan = await fanWith(account)
      for (let n = 0; n < 3; n++) expect(refusal(await claim(fan, rewardId))).toEqual([409, 'not_a_holder'])
      expect(balancesAsked()).toBe(1)
      own(contract, account, 1n)
      world.clock.advance(10 * MINUTE)
      expect(refusal(await claim(fan, rewardId))).toEqual([409, 'not_a_holder'])
      world.clock.advance(1)
      expectStatus(200, await claim(fan, rewardId))
      expect(balancesAsked()).toBe(2)
    })

    test('is read once by concurrent requests', async () => {
      const [account, { rewardId, contract }] = [newAccount(), await rewardFor()]
      const fan = await fanWith(account)
      own(contract, account, 1n)
      const answers = await Promise.all([1, 2, 3].map(() => claim(fan, rewardId)))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
      expect(balancesAsked()).toBe(1)
    })

    test('is not read when something else refuses the claim, or nothing is required', async () => {
      const fan = await fanWith(newAccount())
      const { rewardId } = await rewardFor()
      const { rewards } = world.db.tables
      await world.db.write(async tx => {
        await tx.update(rewards).set({ pointsRequired: 1_000_000 })
        tx.invalidate(rewardsTag)
      })
      expect(refusal(await claim(fan, rewardId))).toEqual([409, 'insufficient_points'])
      expectStatus(200, await claim(fan, await world.reward({ pointsRequired: 0 })))
      expect(refusal(await claim(fan, 'none'))).toEqual([404, 'reward_not_found'])
      expect(balancesAsked()).toBe(0)
    })

    test.each([
      ['does not answer', () => new Response('', { status: 502 })],
      ['answers with HTML', () => new Response('<html>')],
      ['has no contract there', () => ({ result: '0x' })],
      ['answers with less than a word', () => ({ result: '0x01' })],
      ['answers with two words', () => ({ result: word(1n) + word(1n).slice(2) })],
      ['answers with a negative number', () => ({ result: '-0x1' })],
      ['reverts', () => ({ error: { code: 3, message: 'execution reverted' } })],
    ])('is not claimed when the chain %s, and can be claimed later', async (_, fails) => {
      const [account, { rewardId, contract }] = [newAccount(), await rewardFor()]
      const fan = await fanWith(account)
      own(contract, account, 1n)
      rpc.fails = ({ method }) => (method === 'eth_call' ? fails() : undefined)
      const refused = await claim(fan, rewardId)
      expect(refusal(refused)).toEqual(unavailable)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      rpc.fails = undefined
      expectStatus(200, await claim(fan, rewardId))
    })

    test('is unavailable on a chain without an RPC, which the log names', async () => {
      const { rewardId } = await rewardFor('1', 56)
      expect(refusal(await claim(await fanWith(newAccount()), rewardId))).toEqual(unavailable)
      expect(world.logged.join('\n')).toContain('WEB3_RPC_URLS has no URL of it')
    })

    test('that requires more since the balance was read is not given', async () => {
      const [account, { rewardId, contract }] = [newAccount(), await rewardFor()]
      const fan = await fanWith(account)
      own(contract, account, 1n)
      const { rewards } = world.db.tables
      // The catalogue changes while the chain answers, as an import of another process does.
      rpc.fails = async ({ method }) => {
        if (method === 'eth_call')
          await world.db.write(tx =>
            tx
              .update(rewards)
              .set(
                columnsOfRequires({ holds: { chainId: CHAIN, contract, minimum: '2' } }, ['requiredHolding']),
              ),
          )
        return Response.json({ jsonrpc: '2.0', id: 1, result: method === 'eth_call' ? word(1n) : '0x7a69' })
      }
      expect(refusal(await claim(fan, rewardId))).toEqual([409, 'not_a_holder'])
    })
  },
  { ...options, worldPer: 'test' },
)

onEachEngine(
  'A product that requires a token',
  world => {
    const productFor = async (minimum: string) => {
      const contract = newContract()
      const holds = { chainId: CHAIN, contract, minimum }
      return { contract, productId: await addStock(world, 10, { requires: { holds } }) }
    }

    test('is bought by a holder, together with others', async () => {
      const [fan, account] = [await patientFan(world), newAccount()]
      const [one, other, free] = [await productFor('1'), await productFor('2'), await addStock(world, 10)]
      expectStatus(201, await linkAccount(fan, account))
      own(one.contract, account, 1n)
      own(other.contract, account, 1n)
      expectStatus(201, await checkout(fan, one.productId, free))
      const refused = await checkout(fan, one.productId, other.productId, free)
      expect(refused.body).toMatchObject({ code: 'not_a_holder', contract: other.contract, held: '1' })
      world.clock.advance(10 * MINUTE + 1)
      own(other.contract, account, 2n)
      expectStatus(201, await checkout(fan, one.productId, other.productId))
    })

    test('is not bought without a wallet, and holds no stock then', async () => {
      const { productId } = await productFor('1')
      const before = await freeStock(world, productId)
      expect(refusal(await checkout(await patientFan(world), productId))).toEqual([409, 'not_a_holder'])
      expect(await freeStock(world, productId)).toBe(before)
    })

    test('is not bought while the chain does not respond, and other products are not affected', async () => {
      const fan = await patientFan(world)
      const [{ productId }, free] = [await productFor('1'), await addStock(world, 10)]
      expectStatus(201, await linkAccount(fan))
      rpc.fails = () => new Response('', { status: 502 })
      expect(refusal(await checkout(fan, productId))).toEqual([503, 'chain_unavailable'])
      expectStatus(201, await checkout(fan, free))
    })
  },
  options,
)
