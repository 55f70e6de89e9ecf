/** The text that a wallet signs (EIP-4361). It binds the signature to site, address, chain, fan and time. */

export interface Signing {
  /** The site for which it is signed. */
  origin: string
  /** With the checksum of EIP-55. */
  address: string
  chainId: number
  userId: string
  nonce: string
  issuedAt: Date
  expiresAt: Date
}

export function writeMessage({ origin, address, chainId, userId, nonce, issuedAt, expiresAt }: Signing) {
  return `${new URL(origin).host} wants you to sign in with your Ethereum account:
${address}

Link this wallet to the fan account ${userId}. This does not sign you in, and moves nothing.

URI: ${origin}
Version: 1
Chain ID: ${chainId}
Nonce: ${nonce}
Issued At: ${issuedAt.toISOString()}
Expiration Time: ${expiresAt.toISOString()}`
}
