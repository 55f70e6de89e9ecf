import { Closed, Instant, Integer } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { AddressInput, ChainId } from './entry-schema.ts'

/** Large enough for signatures of contracts that are not deployed yet, which contain the code of their creation. Bytes. */
const MAX_SIGNATURE = 8_192

const Nonce = Type.String({
  description: 'Identifies the challenge.',
  examples: ['6f2b1c0d9e8a47536f2b1c0d9e8a4753'],
})

export const NewChallenge = Closed({
  address: AddressInput('Address of the wallet. An address in mixed case must have the checksum of EIP-55.'),
  chainId: ChainId('The chain to which the wallet is connected (EIP-155).'),
})
export type NewChallenge = Static<typeof NewChallenge>

export const WalletChallenge = Closed(
  {
    message: Type.String({ description: 'The text to sign with `personal_sign`, unchanged (EIP-4361).' }),
    nonce: Nonce,
    expiresAt: Instant('When the challenge can no longer be used.'),
  },
  { title: 'WalletChallenge' },
)

export const WalletProof = Closed({
  nonce: Type.String({ ...Nonce, minLength: 1, maxLength: 100 }),
  signature: Type.String({
    pattern: '^0x([0-9a-fA-F]{2})+$',
    maxLength: 2 + 2 * MAX_SIGNATURE,
    description: 'Signature of the message, by a key (EIP-191) or a contract (ERC-1271, ERC-6492).',
    errorNoun: `hexadecimal digits after 0x, at most ${MAX_SIGNATURE} bytes`,
    examples: [`0x${'8f'.repeat(32)}${'4c'.repeat(32)}1b`],
  }),
})
export type WalletProof = Static<typeof WalletProof>

export const LinkedWallet = Closed(
  {
    address: Type.String({ description: 'Address of the wallet, with the checksum of EIP-55.' }),
    chainId: Integer({ minimum: 1, description: 'The chain of the latest proof (EIP-155).' }),
    linkedAt: Instant('When it was linked.'),
  },
  { title: 'LinkedWallet' },
)

const CashBalance = Closed(
  {
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' }),
    available: Integer({ minimum: 0, description: 'What can be spent. Minor units.' }),
    held: Integer({ minimum: 0, description: 'What is held for orders that are not paid yet. Minor units.' }),
  },
  { title: 'CashBalance' },
)

export const Holds = Closed(
  {
    chainId: Integer({ minimum: 1, description: 'The chain (EIP-155).' }),
    contract: Type.String({ description: 'Address of the contract of the token, in lower case.' }),
    minimum: Type.String({
      description:
        'Units that the linked wallets must hold together: tokens for ERC-721, the smallest unit for ERC-20.',
    }),
  },
  { title: 'Holds', description: 'A token that a fan must hold in linked wallets.' },
)

export const Wallets = Closed(
  {
    cash: Type.Array(CashBalance, { description: 'Balances by currency; empty while the club offers none.' }),
    linked: Type.Array(LinkedWallet, { description: 'Linked wallets, the oldest first.' }),
  },
  { title: 'Wallets' },
)

export const WalletParams = Closed({ address: AddressInput('Address of the wallet, in any case.') })

export const exampleWallet: Static<typeof LinkedWallet> = {
  address: '0x5B38Da6a701c568545dCfcB03FcB875f56beddC4',
  chainId: 1,
  linkedAt: '2026-08-15T18:31:00.000Z',
}

export const exampleChallenge: Static<typeof WalletChallenge> = {
  message: `club.example wants you to sign in with your Ethereum account:
0x5B38Da6a701c568545dCfcB03FcB875f56beddC4

Link this wallet to the fan account 01981e2c-7c1f-7000-8000-000000000001. This does not sign you in, and moves nothing.

URI: https://club.example
Version: 1
Chain ID: 1
Nonce: 6f2b1c0d9e8a47536f2b1c0d9e8a4753
Issued At: 2026-08-15T18:30:00.000Z
Expiration Time: 2026-08-15T18:35:00.000Z`,
  nonce: '6f2b1c0d9e8a47536f2b1c0d9e8a4753',
  expiresAt: '2026-08-15T18:35:00.000Z',
}
