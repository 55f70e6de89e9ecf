/**
 * The draw: which collectibles a pack contains. It needs neither database nor HTTP, so that everyone can repeat it.
 *
 * Item `index` is picked by HMAC-SHA-256 with the server seed as key over `clientSeed:userPackId:index`. Its 32 bytes
 * are read as four big-endian 64-bit numbers. The first below the largest multiple of the total weight counts; the
 * others would favour some items (modulo bias) and are skipped. If all four are skipped, the message is
 * `clientSeed:userPackId:index:1`, then `:2` and so on. The number modulo the total falls into one item's share,
 * with the items in the order of their ids.
 */
import { createHmac, hash } from 'node:crypto'

/** An item of a pack with its weight. */
export interface Weight {
  /** Slug of the collectible. */
  id: string
  rarity: string
  /** Whole and positive, in millionths: the weights of a pack add up to `TOTAL_WEIGHT`. */
  weight: number
}

/** Millionths, so that every probability is a decimal of six digits, exactly. */
export const TOTAL_WEIGHT = 1_000_000

const NUMBER_BYTES = 8
const SPACE = 2n ** 64n

export interface DrawInput {
  /** 64 hexadecimal digits. */
  serverSeed: string
  clientSeed: string
  userPackId: string
  itemsPerPack: number
  weights: Weight[]
}

/** The ids of the drawn items, by index. */
export function drawItems(input: DrawInput): string[] {
  const { serverSeed, clientSeed, userPackId, itemsPerPack, weights } = input
  const shares = sortWeights(weights)
  const total = shares.reduce((sum, { weight }) => sum + weight, 0)
  return Array.from({ length: itemsPerPack }, (_, index) =>
    itemAt(shares, drawNumber(serverSeed, `${clientSeed}:${userPackId}:${index}`, total)),
  )
}

/** Drawn items with their positions, by id: all openings lock the counters of serial numbers in this order. */
export function inOrderOfIds(drawn: string[]): [position: number, id: string][] {
  return [...drawn.entries()].toSorted(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** A uniformly distributed whole number from 0 to `total - 1`. */
export function drawNumber(serverSeed: string, message: string, total: number): number {
  const size = BigInt(total)
  const limit = SPACE - (SPACE % size)
  for (let round = 0; ; round++) {
    const digest = createHmac('sha256', Buffer.from(serverSeed, 'hex'))
      .update(round === 0 ? message : `${message}:${round}`)
      .digest()
    for (let offset = 0; offset < digest.length; offset += NUMBER_BYTES) {
      const number = digest.readBigUInt64BE(offset)
      if (number < limit) return Number(number % size)
    }
  }
}

function itemAt(shares: Weight[], number: number): string {
  let upTo = 0
  for (const { id, weight } of shares) {
    upTo += weight
    if (number < upTo) return id
  }
  throw new Error('the number is outside the weights')
}

/** By the bytes of their ids: the order of the canonical terms and of the draw. */
export function sortWeights(weights: Weight[]): Weight[] {
  return weights.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

/** The terms of a draw, frozen when the purchase starts. */
export interface DrawTerms {
  packId: string
  itemsPerPack: number
  weights: Weight[]
}

/** JSON of `[packId, itemsPerPack, [[id, rarity, weight], …]]`, items by id, without white space. */
export function canonicalTerms({ packId, itemsPerPack, weights }: DrawTerms): string {
  return JSON.stringify([
    packId,
    itemsPerPack,
    sortWeights(weights).map(({ id, rarity, weight }) => [id, rarity, weight]),
  ])
}

/** Parses what `canonicalTerms` wrote when the purchase started. */
export function parseTerms(text: string): DrawTerms {
  // Guarantee of the cast: `canonicalTerms` wrote it.
  const [packId, itemsPerPack, weights] = JSON.parse(text) as [string, number, [string, string, number][]]
  return { packId, itemsPerPack, weights: weights.map(([id, rarity, weight]) => ({ id, rarity, weight })) }
}

/** Lower-case hex. */
export const sha256 = (data: string | Uint8Array) => hash('sha256', data, 'hex')

/** Published when a purchase starts: SHA-256 of the seed's bytes. */
export const hashSeed = (serverSeed: string) => sha256(Buffer.from(serverSeed, 'hex'))
