/** Fans with wallets: accounts with keys, and what they sign. */
import { privateKeyToAccount } from 'viem/accounts'
import type { Client } from '../../support/client.ts'
import { expectStatus } from '../packs/packs-world.ts'

export type Account = ReturnType<typeof privateKeyToAccount>

let made = 0

/** A wallet with a key of its own. */
export const newAccount = (): Account =>
  privateKeyToAccount(`0x${(0xa11ce_0000 + ++made).toString(16).padStart(64, '0')}`)

export interface Challenge {
  message: string
  nonce: string
  expiresAt: string
}

export const requestChallenge = (fan: Client, address: string, chainId = 1) =>
  fan.post('/api/wallets/challenges', { address, chainId })

export const challenge = async (fan: Client, address: string, chainId = 1): Promise<Challenge> =>
  expectStatus(201, await requestChallenge(fan, address, chainId))

export const link = (fan: Client, nonce: string, signature: string) =>
  fan.post('/api/wallets', { nonce, signature })

/** As an app does it: a challenge, its signature, the link. */
export async function linkAccount(fan: Client, account = newAccount(), chainId = 1) {
  const { nonce, message } = await challenge(fan, account.address, chainId)
  return link(fan, nonce, await account.signMessage({ message }))
}

export const unlink = (fan: Client, address: string) =>
  fan.send(`/api/wallets/${address}`, { method: 'DELETE' })

export const linkedOf = async (fan: Client): Promise<{ address: string; chainId: number }[]> =>
  expectStatus(200, await fan.get('/api/wallets')).linked
