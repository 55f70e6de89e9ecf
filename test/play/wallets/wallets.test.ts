/** Linking wallets by the signature of their key: what is linked, and what is refused. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { parseSiweMessage, validateSiweMessage } from 'viem/siwe'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { sweepChallenges } from '../../../src/play/wallets/challenge.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { expectStatus, refusal } from '../packs/packs-world.ts'
import { userIdOf } from '../quests/quests-world.ts'
import {
  challenge,
  link,
  linkAccount,
  linkedOf,
  newAccount,
  requestChallenge,
  unlink,
} from './wallets-world.ts'

const MINUTE = 60_000
/** Of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The other signature of the same key over the same message: `s` and the parity are negated. */
function malleate(signature: string): string {
  const s = (ORDER - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
  return signature.slice(0, 66) + s + (signature.endsWith('1b') ? '1c' : '1b')
}

onEachEngine(
  'A wallet',
  world => {
    const expired = [409, 'challenge_expired']
    const invalid = [422, 'invalid_wallet_signature']

    const linkedEvents = async (fan: Fan) => {
      const { events } = world.db.tables
      const userId = await userIdOf(world, fan)
      const rows = await world.db.read
        .select()
        .from(events)
        .where(eq(events.userId, userId))
        .orderBy(events.sequence)
      return rows.filter(({ type }) => type === 'wallet.linked').map(({ data }) => JSON.parse(data ?? ''))
    }

    test('is linked by the signature of its key, once, and unlinked', async () => {
      const [fan, account] = [await world.fan(), newAccount()]
      const wallet = expectStatus(201, await linkAccount(fan, account))
      expect(wallet).toEqual({
        ...{ address: account.address, chainId: 1 },
        linkedAt: world.clock.now().toISOString(),
      })
      expect(expectStatus(200, await fan.get('/api/wallets')).linked).toEqual([wallet])
      world.clock.advance(MINUTE)
      expect(expectStatus(200, await linkAccount(fan, account, 137))).toEqual({ ...wallet, chainId: 137 })
      expect(await linkedEvents(fan)).toEqual([{ address: account.address, chainId: 1 }])
      expect((await unlink(fan, account.address.toLowerCase())).status).toBe(204)
      expect(await linkedOf(fan)).toEqual([])
      expect((await unlink(fan, account.address)).status).toBe(204)
    })

    test('is challenged with a message of EIP-4361 about this site, chain, address, fan and time', async () => {
      const [fan, account] = [await world.fan(), newAccount()]
      const { message, nonce, expiresAt } = await challenge(fan, account.address, 137)
      const parsed = parseSiweMessage(message)
      expect(parsed).toMatchObject({
        ...{ domain: 'club.example', uri: 'https://club.example', version: '1', chainId: 137, nonce },
        ...{ address: account.address, issuedAt: world.clock.now() },
        expirationTime: new Date(world.clock.ms + 5 * MINUTE),
      })
      expect(parsed.statement).toContain(await userIdOf(world, fan))
      expect(expiresAt).toBe(new Date(world.clock.ms + 5 * MINUTE).toISOString())
      const time = world.clock.now()
      expect(validateSiweMessage({ ...{ message: parsed, domain: 'club.example', nonce, time } })).toBe(true)
    })

    test('is refused when the signed message is for the domain of another site', async () => {
      const [fan, account] = [await world.fan(), newAccount()]
      const { message, nonce } = await challenge(fan, account.address)
      const phished = message.replaceAll('club.example', 'evil.example')
      expect(refusal(await link(fan, nonce, await account.signMessage({ message: phished })))).toEqual(
        invalid,
      )
      // The challenge is still there.
      expect((await link(fan, nonce, await account.signMessage({ message }))).status).toBe(201)
    })

    test.each([
      ['URI', /URI: .*/, 'URI: https://evil.example'],
      ['version', 'Version: 1', 'Version: 2'],
      ['chain', 'Chain ID: 1', 'Chain ID: 137'],
      ['nonce', /Nonce: .*/, 'Nonce: 00000000000000000000000000000000'],
      ['time', /Issued At: .*/, 'Issued At: 2020-01-01T00:00:00.000Z'],
      ['expiry', /Expiration Time: .*/, 'Expiration Time: 2036-01-01T00:00:00.000Z'],
      ['fan', /account [0-9a-f-]{36}/, 'account 01981e2c-7c1f-7000-8000-000000000000'],
      ['address', /0x[0-9a-fA-F]{40}/, '0x5B38Da6a701c568545dCfcB03FcB875f56beddC4'],
    ])('is refused when the signed message has another %s', async (_, from, to) => {
      const [fan, account] = [await world.fan(), newAccount()]
      const { message, nonce } = await challenge(fan, account.address)
      const changed = message.replace(from, to)
      expect(changed).not.toBe(message)
      const signature = await account.signMessage({ message: changed })
      expect(refusal(await link(fan, nonce, signature))).toEqual(invalid)
      expect(await linkedOf(fan)).toEqual([])
    })

    test.each([
      ['of another key', async (message: string) => newAccount().signMessage({ message })],
      ['that is cut', async () => `0x${'11'.repeat(64)}`],
      ['of zeros', async () => `0x${'00'.repeat(65)}`],
      ['beyond the order', async () => `0x${'ff'.repeat(64)}1b`],
      ['with a single byte', async () => '0x00'],
      ['of the greatest length', async () => `0x${'ab'.repeat(8_192)}`],
    ])('is refused for a signature %s', async (_, sign) => {
      const [fan, account] = [await world.fan(), newAccount()]
      const { message, nonce } = await challenge(fan, account.address)
      expect(refusal(await link(fan, nonce, await sign(message)))).toEqual(invalid)
    })

    test('is refused for a malleated signature', async () => {
      const [fan, account] = [await world.fan(), newAccount()]
      const { message, nonce } = await challenge(fan, account.address)
      const signature = await account.signMessage({ message })
      expect(refusal(await link(fan, nonce, malleate(signature)))).toEqual(invalid)
      expect((await link(fan, nonce, signature)).status).toBe(201)
    })

    test('is linked by a signature whose parity is 0 or 1, as hardware wallets write it', async () => {
      const [fan, account] = [await world.fan(), newAccount()]
      const { message, nonce } = await challenge(fan, account.address)
      const signature = await account.signMessage({ message })
      const parity = signature.endsWith('1b') ? '00' : '01'
      expect((await link(fan, nonce, signature.slice(0, -2) + parity)).status).toBe(201)
    })

    test('a challenge is used once: a replay is refused', async () => {
      const [fan, account] = [await world.fan(), newAccount()]
      const { message, nonce } = await challenge(fan, account.address)
      const signature = await account.signMessage({ message })
      expectStatus(201, await link(fan, nonce, signature))
      expect((await unlink(fan, account.address)).status).toBe(204)
      expect(refusal(await link(fan, nonce, signature))).toEqual(expired)
      expect(await linkedOf(fan)).toEqual([])
    })

    test('a challenge expires after five minutes, and is deleted then', async () => {
      const [fan, account] = [await world.fan(), newAccount()]
      const { message, nonce } = await challenge(fan, account.address)
      const signature = await account.signMessage({ message })
      world.clock.advance(5 * MINUTE)
      expect(refusal(await link(fan, nonce, signature))).toEqual(expired)
      const { walletChallenges } = world.db.tables
      const left = () =>
        world.db.read.select().from(walletChallenges).where(eq(walletChallenges.nonce, nonce))
      expect(await left()).toHaveLength(1)
      expect(await sweepChallenges(world.db)).toBeGreaterThan(0)
      expect(await left()).toEqual([])
    })

    test('a challenge of one fan cannot be used by another, with or without a record', async () => {
      const [fan, other, unknown] = [await world.fan(), await world.fan(), await world.fan()]
      const account = newAccount()
      expectStatus(201, await requestChallenge(other, account.address))
      const { message, nonce } = await challenge(fan, account.address)
      const signature = await account.signMessage({ message })
      for (const thief of [other, unknown])
        expect(refusal(await link(thief, nonce, signature))).toEqual(expired)
      expect((await link(fan, nonce, signature)).status).toBe(201)
    })

    test('is linked to one fan, until that fan unlinks it or is erased', async () => {
      const [fan, other, third] = [await world.fan(), await world.fan(), await world.fan()]
      const account = newAccount()
      expectStatus(201, await linkAccount(fan, account))
      const { message, nonce } = await challenge(other, account.address)
      const signature = await account.signMessage({ message })
      expect(refusal(await link(other, nonce, signature))).toEqual([409, 'wallet_linked_elsewhere'])
      // Another fan cannot unlink it.
      expect((await unlink(other, account.address)).status).toBe(204)
      expect(await linkedOf(fan)).toHaveLength(1)
      expect((await unlink(fan, account.address)).status).toBe(204)
      expectStatus(201, await link(other, nonce, signature))
      const provider = world.config.identity.name
      expectStatus(201, await requestChallenge(other, account.address))
      await world.db.write(tx => eraseUser(tx, { provider, subject: other.subject }))
      const { wallets, walletChallenges } = world.db.tables
      for (const table of [wallets, walletChallenges])
        expect(await world.db.read.select().from(table).where(eq(table.address, account.address))).toEqual([])
      expectStatus(201, await linkAccount(third, account))
    })

    test('has one form: an address in lower case gets its checksum, a wrong checksum is refused', async () => {
      const [fan, { address }] = [await world.fan(), newAccount()]
      for (const form of [address, address.toLowerCase()])
        expect(parseSiweMessage((await challenge(fan, form)).message).address).toBe(address)
      const misspelt = address.replace(/[a-f]/i, letter =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      )
      const { status, body } = await requestChallenge(fan, misspelt)
      expect([status, body.errors]).toEqual([
        422,
        [{ pointer: '/address', message: 'has another checksum (EIP-55): it is misspelt' }],
      ])
    })

    test.each([
      ['a chain that is not listed', { chainId: 5 }, '/chainId'],
      ['no chain', { chainId: 0 }, '/chainId'],
      ['a short address', { address: '0x1234' }, '/address'],
      ['an address with hostile text', { address: `0x${'"\n<script>'.repeat(4)}` }, '/address'],
      ['a domain of the client', { domain: 'evil.example' }, '/domain'],
    ])('a challenge with %s is refused', async (_, fields, pointer) => {
      const fan = await world.fan()
      const body = { address: newAccount().address, chainId: 1, ...fields }
      const answer = await fan.post('/api/wallets/challenges', body)
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([422, pointer])
    })

    test('open challenges and linked wallets of a fan have limits', async () => {
      const fan = await world.fan()
      for (let n = 0; n < 10; n++) expectStatus(201, await linkAccount(fan))
      const last = newAccount()
      const { message, nonce } = await challenge(fan, last.address)
      const signature = await last.signMessage({ message })
      expect(refusal(await link(fan, nonce, signature))).toEqual([409, 'too_many_wallets'])
      // One of the ten can be linked again.
      expect((await unlink(fan, (await linkedOf(fan))[0]?.address ?? '')).status).toBe(204)
      expect((await link(fan, nonce, signature)).status).toBe(201)
      for (let n = 0; n < 10; n++) expectStatus(201, await requestChallenge(fan, last.address))
      expect(refusal(await requestChallenge(fan, last.address))).toEqual([409, 'too_many_challenges'])
      world.clock.advance(5 * MINUTE)
      expectStatus(201, await requestChallenge(fan, last.address))
    })

    test('one of two requests with the same signature links the wallet', async () => {
      const [fan, account] = [await world.fan(), newAccount()]
      const { message, nonce } = await challenge(fan, account.address)
      const signature = await account.signMessage({ message })
      const answers = await Promise.all([1, 2, 3].map(() => link(fan, nonce, signature)))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
      expect(await linkedEvents(fan)).toHaveLength(1)
    })
  },
  { env: { WALLET_CHAIN_IDS: '1,137', WALLET_ORIGIN: 'https://club.example' } },
)

onEachEngine(
  'A server with WALLET_CHAIN_IDS=off',
  world => {
    test('issues no challenge, and says why', async () => {
      const { status, body } = await requestChallenge(await world.fan(), newAccount().address)
      expect([status, body.errors]).toEqual([
        422,
        [{ pointer: '/chainId', message: 'is of no chain: this server links no wallets' }],
      ])
    })
  },
  { env: { WALLET_CHAIN_IDS: 'off' } },
)
