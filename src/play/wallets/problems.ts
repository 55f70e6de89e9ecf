/** Problems of linked wallets and their tokens. */
import { defineProblems } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'

export const walletProblems = defineProblems({
  challenge_expired: {
    status: 409,
    title: 'The challenge has expired',
    description:
      'The caller has no challenge with this nonce: it is older than five minutes, was used, or belongs to another fan. Request a new one, and let the user sign it.',
  },
  too_many_challenges: {
    status: 409,
    title: 'You have too many open challenges',
    description:
      'The caller has reached the maximum number of challenges. Use one, or wait until one expires.',
  },
  invalid_wallet_signature: {
    status: 422,
    title: 'The signature does not belong to this wallet',
    description:
      'The signature was not made by the address of the challenge, or not over exactly its `message`. Let the user sign the message unchanged, with the wallet of this address.',
  },
  wallet_linked_elsewhere: {
    status: 409,
    title: 'The wallet is linked to another fan',
    description: 'A wallet can be linked to one fan. The other fan can unlink it.',
  },
  too_many_wallets: {
    status: 409,
    title: 'You have linked too many wallets',
    description: 'The caller has reached the maximum number of linked wallets. Unlink one first.',
  },
  not_a_holder: {
    status: 409,
    title: 'Your linked wallets do not hold enough of the token',
    description:
      'The linked wallets hold `held` of the contract on this chain, and `minimum` is required. Let the user link a wallet that holds it. The balances of wallets are read again after ten minutes.',
    members: Type.Object({
      chainId: Type.Integer({ description: 'The chain (EIP-155).' }),
      contract: Type.String({ description: 'Address of the contract of the token.' }),
      minimum: Type.String({ description: 'Units of the token that are required.' }),
      held: Type.String({ description: 'Units that the linked wallets hold.' }),
    }),
    example: {
      chainId: 1,
      contract: '0x5b38da6a701c568545dcfcb03fcb875f56beddc4',
      minimum: '1',
      held: '0',
    },
  },
  chain_unavailable: {
    status: 503,
    title: 'The chain does not respond; try again shortly',
    description:
      'The chain does not respond, or its response cannot be used. Nothing has changed, and a challenge can still be used. Send the same request again after `Retry-After`.',
  },
})
