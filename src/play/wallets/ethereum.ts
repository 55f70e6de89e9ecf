/** The cryptography of Ethereum. Only this file imports `viem`; `loadEthereum` loads it when a fan links a wallet. */
import {
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  getAddress,
  hashMessage,
  isAddress,
  recoverAddress,
} from 'viem'

/** Half of the order of secp256k1. A signature with a greater `s` is the malleated form of another signature (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
/** `r`, `s` and `v`. */
const KEY_SIGNATURE_LENGTH = 2 + 2 * 65

type Hex = `0x${string}`
/** Guarantee of the cast: schemas accept only hexadecimal text. */
const hexOf = (text: string) => text as Hex

/** The address with its checksum (EIP-55); null if the given checksum is wrong. An address in lower case has none. */
export const checksumAddress = (address: string): string | null =>
  isAddress(address) ? getAddress(address) : null

/** The address whose private key signed the message (EIP-191). Null if the signature is not from a private key. */
export async function recoverSigner(message: string, signature: string) {
  if (signature.length !== KEY_SIGNATURE_LENGTH) return null
  try {
    const address = await recoverAddress({ hash: hashMessage(message), signature: hexOf(signature) })
    return { address: String(address), malleated: BigInt(`0x${signature.slice(66, 130)}`) > HALF_ORDER }
  } catch {
    return null
  }
}

/**
 * Code for a contract creation that returns 1 if the contract at the address accepts the signature (ERC-1271), even if it is
 * not deployed yet (ERC-6492). The creation is only simulated.
 */
export const encodeValidation = (address: string, message: string, signature: string): string =>
  encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    args: [hexOf(address), hashMessage(message), hexOf(signature)],
    bytecode: erc6492SignatureValidatorByteCode,
  })
