/** Verifies the draw of a pack with Web Crypto, by the steps of `bun run verify-draw`. */
import {
  bytesOf,
  type Checks,
  hasOnlyMembers,
  isHash,
  isListOf,
  isText,
  requireCrypto,
  sha256,
} from './digest.ts'
import type { Schemas } from './operations.ts'

export type Proof = Schemas['Proof']

/** What the start of the purchase published: keep it until the pack is opened. */
export interface Commitment {
  packId: string
  seedHash: string
  termsHash: string
}

/** `flaw`: the first that was found, for developers. */
export type Verdict = { holds: true } | { holds: false; flaw: string }

/** Parts per million of each item. */
const TOTAL_WEIGHT = 1_000_000
const MAX_ITEMS = 100
const SPACE = 2n ** 64n

/**
 * Repeats the draw of a proof, and compares the proof with the commitment of the purchase. Without a
 * commitment, the verdict only states that the proof is consistent.
 * @throws Error without Web Crypto: pages need https or localhost, and React Native a polyfill of `crypto.subtle`
 */
export async function verifyDraw(proof: unknown, commitment?: Commitment): Promise<Verdict> {
  requireCrypto()
  const flaw = await findFlaw(proof, commitment)
  return flaw === null ? { holds: true } : { holds: false, flaw }
}

async function findFlaw(proof: unknown, commitment: Commitment | undefined): Promise<string | null> {
  if (!isProof(proof)) return 'it is no proof of this format'
  const { weights, serverSeed, items } = proof
  if (weights.some(({ weight }) => !Number.isSafeInteger(weight) || weight < 1))
    return 'each weight must be a whole number of at least 1'
  if (weights.some(({ id }, index) => index > 0 && !((weights[index - 1]?.id ?? '') < id)))
    return 'each item must be there once, in the order of the ids'
  const total = weights.reduce((sum, { weight }) => sum + weight, 0)
  if (total !== TOTAL_WEIGHT) return `the weights must add up to ${TOTAL_WEIGHT}, not ${total}`
  const seed = Uint8Array.from(serverSeed.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
  if ((await sha256(seed)) !== proof.seedHash)
    return 'the server seed is not the one whose hash was published'
  const terms = termsOf(proof)
  if ((await sha256(bytesOf(terms))) !== proof.termsHash)
    return 'the weights are not the ones that were frozen'
  if (JSON.stringify(await drawItems(proof, seed)) !== JSON.stringify(items))
    return 'the draw gives other items'
  if ((await sha256(bytesOf(digested(proof, terms)))) !== proof.digest) return 'a member was changed'
  return commitment ? findBreach(proof, commitment) : null
}

function findBreach(proof: Proof, { packId, seedHash, termsHash }: Commitment): string | null {
  if (packId !== proof.packId) return 'the proof is of another pack'
  if (seedHash !== proof.seedHash) return 'the seed is not the one that the purchase promised'
  return termsHash === proof.termsHash ? null : 'the weights are not the ones that the purchase promised'
}

/** The canonical text that `termsHash` is of. The weights are in their order. */
const termsOf = ({ packId, itemsPerPack, weights }: Proof) =>
  JSON.stringify([packId, itemsPerPack, weights.map(({ id, rarity, weight }) => [id, rarity, weight])])

/** The text that `digest` is of. */
const digested = (
  { version, userPackId, serverSeed, seedHash, clientSeed, termsHash, items }: Proof,
  terms: string,
) => JSON.stringify([version, userPackId, serverSeed, seedHash, clientSeed, termsHash, terms, items])

async function drawItems(
  { clientSeed, userPackId, itemsPerPack, weights }: Proof,
  seed: Uint8Array<ArrayBuffer>,
) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', seed, algorithm, false, ['sign'])
  const items: (string | undefined)[] = []
  for (let index = 0; index < itemsPerPack; index++) {
    items.push(itemAt(weights, await drawNumber(key, `${clientSeed}:${userPackId}:${index}`)))
  }
  return items
}

function itemAt(weights: Proof['weights'], number: number): string | undefined {
  let upTo = 0
  for (const { id, weight } of weights) {
    upTo += weight
    if (number < upTo) return id
  }
}

/** From 0 to the total weight, exclusive. Numbers of the incomplete last interval would favour some items. */
async function drawNumber(key: CryptoKey, message: string): Promise<number> {
  const total = BigInt(TOTAL_WEIGHT)
  for (let round = 0; ; round++) {
    const text = round === 0 ? message : `${message}:${round}`
    const digest = new DataView(await crypto.subtle.sign('HMAC', key, bytesOf(text)))
    for (let offset = 0; offset < digest.byteLength; offset += 8) {
      const number = digest.getBigUint64(offset)
      if (number < SPACE - (SPACE % total)) return Number(number % total)
    }
  }
}

const MEMBERS: Checks<Proof> = {
  version: value => value === 1,
  userPackId: isText,
  packId: isText,
  itemsPerPack: value => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_ITEMS,
  weights: value => isListOf(value, item => hasOnlyMembers(item, WEIGHT)),
  serverSeed: isHash,
  seedHash: isHash,
  clientSeed: isText,
  termsHash: isHash,
  items: value => isListOf(value, isText),
  digest: isHash,
}
const WEIGHT: Checks<Proof['weights'][number]> = {
  id: isText,
  rarity: isText,
  weight: value => typeof value === 'number',
}

const isProof = (value: unknown): value is Proof => hasOnlyMembers(value, MEMBERS)
