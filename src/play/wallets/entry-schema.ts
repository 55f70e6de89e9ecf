/** `requires.holds` in entries of the catalogue: tokens that a fan must hold in linked wallets. */
import { Closed, Integer } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

/** EIP-155. */
export const ChainId = (description: string) => Integer({ minimum: 1, description })

/** Address of an account or a contract, in upper or lower case. */
export const AddressInput = (description: string) =>
  Type.String({
    pattern: '^0x[0-9a-fA-F]{40}$',
    description,
    errorNoun: 'an address: 0x and 40 hexadecimal digits',
    examples: ['0x5B38Da6a701c568545dCfcB03FcB875f56beddC4'],
  })

/** Tokens have up to 256 bits, more than a JSON number keeps. */
const Units = (description: string) =>
  Type.String({
    pattern: '^[1-9][0-9]{0,77}$',
    description,
    errorNoun: 'a whole number as a string, such as "1"',
    examples: ['1'],
  })

export const HoldsEntry = Closed(
  {
    chainId: ChainId('The chain (EIP-155). `WEB3_RPC_URLS` has its URL.'),
    contract: AddressInput('Address of the contract of the token, ERC-20 or ERC-721.'),
    minimum: Units(
      'Units that the linked wallets must hold together: tokens for ERC-721, the smallest unit for ERC-20.',
    ),
  },
  { title: 'HoldsEntry', description: 'A token that the linked wallets must hold.' },
)
