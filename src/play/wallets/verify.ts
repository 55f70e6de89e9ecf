/**
 * Verifies the signature of a challenge, before the unit of work: offline for a private key, on the chain for a contract.
 */

import type { Database } from '../../../db/index.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import type { Chains } from './chains.ts'
import { requireChallenge } from './challenge.ts'
import { loadEthereum } from './load-ethereum.ts'
import { walletProblems } from './problems.ts'
import type { WalletProof } from './schema.ts'

/** How an address was proved, as the table stores it. */
export type Proof = 'key' | 'contract'

/**
 * Everything except the signature comes from the stored challenge, never from the client. A refused signature leaves the
 * challenge usable.
 */
export async function verifyProof(
  { db, chains }: { db: Database; chains: Chains },
  { userId }: Viewer,
  { nonce, signature }: WalletProof,
): Promise<Proof> {
  const { address, chainId, message } = await requireChallenge(db.read, userId, nonce, db.read.now())
  const { recoverSigner, encodeValidation } = await loadEthereum()
  const signer = await recoverSigner(message, signature)
  if (signer?.address === address) {
    if (signer.malleated) throw invalid('The signature is not in its canonical form.')
    return 'key'
  }
  if (!chains.has(chainId))
    throw invalid(
      `The key of ${address} has not signed the message. Contracts of chain ${chainId} cannot be asked.`,
    )
  const accepted = await chains.call(chainId, { data: encodeValidation(address, message, signature) })
  if (accepted !== '0x01')
    throw invalid(
      `Neither the key of ${address} has signed the message, nor does a contract of it accept the signature.`,
    )
  return 'contract'
}

const invalid = (detail: string) => new DomainError(walletProblems.invalid_wallet_signature, { detail })
