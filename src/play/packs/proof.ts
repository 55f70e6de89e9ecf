/** Proof of an opened pack: everything that a fan needs to repeat the draw and compare the result. */
import { isValid } from '../../core/formats.ts'
import { canonicalTerms, drawItems, hashSeed, sha256, sortWeights } from './draw.ts'
import { weightsProblem } from './odds.ts'
import { Proof } from './schema.ts'

export type { Proof }

type Undigested = Omit<Proof, 'digest' | 'items' | 'termsHash' | 'seedHash' | 'version'>

export function makeProof(input: Undigested): Proof {
  const items = drawItems(input)
  const weights = sortWeights(input.weights)
  const proof = {
    version: 1 as const,
    ...input,
    weights,
    seedHash: hashSeed(input.serverSeed),
    termsHash: sha256(canonicalTerms(input)),
    items,
  }
  return { ...proof, digest: digestOf(proof) }
}

/** SHA-256 over the JSON array of the members, terms in their canonical form. */
function digestOf(proof: Omit<Proof, 'digest'>): string {
  const { version, userPackId, serverSeed, seedHash, clientSeed, termsHash, items } = proof
  const seeds = [serverSeed, seedHash, clientSeed]
  return sha256(JSON.stringify([version, userPackId, ...seeds, termsHash, canonicalTerms(proof), items]))
}

/** Repeats the draw, offline. Null if the proof is valid, otherwise a description of its first error. */
export function findFlaw(value: unknown): string | null {
  const proof = readProof(value)
  if (!proof) return 'it is no proof of this format'
  const problem = weightsProblem(proof.weights)
  if (problem) return problem
  if (hashSeed(proof.serverSeed) !== proof.seedHash)
    return 'the server seed is not the one whose hash was published'
  if (JSON.stringify(sortWeights(proof.weights)) !== JSON.stringify(proof.weights))
    return 'the weights are not in order'
  if (sha256(canonicalTerms(proof)) !== proof.termsHash)
    return 'the weights are not the ones that were frozen'
  const drawn = drawItems(proof)
  if (JSON.stringify(drawn) !== JSON.stringify(proof.items)) return 'the draw gives other items'
  return digestOf(proof) === proof.digest ? null : 'a member was changed'
}

/** Compares the hashes of a purchase with its proof. Null if they match, otherwise a description of the difference. */
export function findBreach(proof: Proof, purchase: unknown): string | null {
  // Guarantee of the cast: nothing is known of the members.
  const promised = purchase as Partial<Record<'seedHash' | 'termsHash' | 'packId', unknown>> | null
  if (promised?.packId !== proof.packId) return 'the proof is of another pack'
  if (promised.seedHash !== proof.seedHash) return 'the seed is not the one that the purchase promised'
  return promised.termsHash === proof.termsHash
    ? null
    : 'the weights are not the ones that the purchase promised'
}

/** Maximum number of items of a pack: further ones would only delay the response. */
const MAX_ITEMS = 100

/** The value as a proof; null if a member is missing, additional or of the wrong type. */
const readProof = (value: unknown): Proof | null =>
  isValid(Proof, value) && value.itemsPerPack <= MAX_ITEMS ? value : null
