/** Wallets that are contracts (ERC-1271, ERC-6492), whose chain is asked, and chains that do not answer, or lie. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import {
  type Hex,
  isErc6492Signature,
  parseErc6492Signature,
  recoverAddress,
  serializeErc6492Signature,
} from 'viem'
import { onEachEngine } from '../../support/world.ts'
import { expectStatus, refusal } from '../packs/packs-world.ts'
import { type RpcServer, startRpc } from './rpc-server.ts'
import { challenge, link, linkAccount, linkedOf, newAccount } from './wallets-world.ts'

const rpc: RpcServer = startRpc()
afterAll(() => rpc.stop())

const json = (body: unknown) => Response.json(body)
const result = (value: unknown) => json({ jsonrpc: '2.0', id: 1, result: value })

onEachEngine(
  'A wallet that is a contract',
  world => {
    const invalid = [422, 'invalid_wallet_signature']
    const unavailable = [503, 'chain_unavailable']
    /** Signs for the contracts of the tests. */
    const owner = newAccount()

    beforeEach(() => {
      rpc.asked.length = 0
      rpc.chainId = 31_337
      rpc.fails = undefined
      rpc.accepts = async ({ hash, signature }) => {
        const inner = isErc6492Signature(signature) ? parseErc6492Signature(signature).signature : signature
        return (await recoverAddress({ hash, signature: inner ?? '0x' })) === owner.address
      }
    })

    /** A challenge for a contract, signed by its owner. */
    async function signed({ chainId = 31_337 } = {}) {
      const [fan, { address }] = [await world.fan(), newAccount()]
      const { message, nonce } = await challenge(fan, address, chainId)
      return { fan, address, message, nonce, signature: await owner.signMessage({ message }) }
    }

    test('is linked when the contract accepts the signature of its owner', async () => {
      const { fan, address, nonce, signature } = await signed()
      expect(expectStatus(201, await link(fan, nonce, signature))).toMatchObject({ address, chainId: 31_337 })
      expect(rpc.asked.at(-1)).toMatchObject({ method: 'eth_call', params: [{ gas: '0x989680' }, 'latest'] })
    })

    test('is linked before it is deployed, by a signature that contains its creation', async () => {
      const { fan, nonce, signature } = await signed()
      const wrapped = serializeErc6492Signature({
        ...{ address: newAccount().address, data: '0xc0ffee', signature: signature as Hex },
      })
      expectStatus(201, await link(fan, nonce, wrapped))
    })

    test.each([
      ['does not accept the signature', () => false],
      ['reverts', () => 'revert' as const],
    ])('is not linked when the contract %s', async (_, accepts) => {
      const { fan, nonce, signature } = await signed()
      rpc.accepts = accepts
      expect(refusal(await link(fan, nonce, signature))).toEqual(invalid)
      expect(await linkedOf(fan)).toEqual([])
    })

    test('is not linked when the owner signed for another domain', async () => {
      const { fan, nonce, message } = await signed()
      const phished = message.replaceAll('club.example', 'evil.example')
      expect(refusal(await link(fan, nonce, await owner.signMessage({ message: phished })))).toEqual(invalid)
    })

    test('is not linked on a chain without an RPC, and nothing is asked', async () => {
      const { fan, nonce, signature } = await signed({ chainId: 1 })
      expect(refusal(await link(fan, nonce, signature))).toEqual(invalid)
      expect(rpc.asked).toEqual([])
    })

    test('a wallet with a key is linked without its chain', async () => {
      rpc.fails = () => new Response('', { status: 500 })
      const fan = await world.fan()
      expectStatus(201, await linkAccount(fan, newAccount(), 31_337))
      expect(rpc.asked).toEqual([])
    })

    test.each([
      ['answers with HTML', () => new Response('<html>Bad gateway</html>')],
      ['answers with 502', () => new Response('<html>Bad gateway</html>', { status: 502 })],
      ['refuses the key', () => new Response('', { status: 401 })],
      ['redirects', () => Response.redirect('http://127.0.0.1:9/', 307)],
      ['sends a huge body', () => result(`0x${'00'.repeat(200_000)}`)],
      ['sends a compressed body', () => new Response('x', { headers: { 'content-encoding': 'gzip' } })],
      [
        'limits its callers',
        () => json({ jsonrpc: '2.0', id: 1, error: { code: -32_005, message: 'limit' } }),
      ],
      ['answers another request', () => json({ jsonrpc: '2.0', id: 7, result: '0x01' })],
      ['answers with a list', () => json([{ jsonrpc: '2.0', id: 1, result: '0x01' }])],
      ['answers with a number', () => result(1)],
      ['answers with what is not hex', () => result('0x01; accepted')],
      ['answers nothing', () => json({ jsonrpc: '2.0', id: 1 })],
    ])('keeps its challenge when the chain %s', async (_, fails) => {
      const { fan, nonce, signature } = await signed()
      rpc.fails = request => (request.method === 'eth_call' ? fails() : undefined)
      const refused = await link(fan, nonce, signature)
      expect(refusal(refused)).toEqual(unavailable)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(world.logged.join()).not.toContain('secret-of-the-node')
      rpc.fails = undefined
      // The circuit breaker may still be open.
      for (let tries = 0; tries < 20 && (await linkedOf(fan)).length === 0; tries++)
        await link(fan, nonce, signature)
      expect(await linkedOf(fan)).toHaveLength(1)
    })
  },
  {
    env: {
      WALLET_CHAIN_IDS: '1,31337',
      WALLET_ORIGIN: 'https://club.example',
      WEB3_RPC_URLS: `31337=${rpc.url}`,
    },
  },
)

onEachEngine(
  'A URL that is of another chain than the configuration says',
  world => {
    test('does not link the wallet', async () => {
      const [fan, { address }] = [await world.fan(), newAccount()]
      const { nonce } = await challenge(fan, address, 1)
      rpc.accepts = () => true
      rpc.fails = undefined
      expect(refusal(await link(fan, nonce, `0x${'11'.repeat(65)}`))).toEqual([503, 'chain_unavailable'])
      expect(world.logged.join('\n')).toContain('it is of another chain')
    })
  },
  { env: { WALLET_CHAIN_IDS: '1', WEB3_RPC_URLS: `1=${rpc.url}` } },
)
