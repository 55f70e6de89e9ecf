import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  canonicalTerms,
  drawItems,
  drawNumber,
  hashSeed,
  sha256,
  TOTAL_WEIGHT,
  type Weight,
} from '../../../src/play/packs/draw.ts'
import { decimal, oddsOf, weightsProblem } from '../../../src/play/packs/odds.ts'
import { findBreach, findFlaw, makeProof, type Proof } from '../../../src/play/packs/proof.ts'

const weights: Weight[] = [
  { id: 'keeper', rarity: 'common', weight: 400_000 },
  { id: 'winger', rarity: 'common', weight: 349_999 },
  { id: 'captain', rarity: 'rare', weight: 200_001 },
  { id: 'legend', rarity: 'epic', weight: 49_000 },
  { id: 'trophy', rarity: 'legendary', weight: 1_000 },
]
const serverSeed = '8f'.repeat(32)
const input = {
  packId: 'starter',
  itemsPerPack: 5,
  weights,
  serverSeed,
  clientSeed: 'my luck',
  userPackId: 'pack-1',
}

describe('the draw', () => {
  test('gives the same items for the same seeds on every machine', () => {
    expect(drawItems(input)).toEqual(drawItems({ ...input, weights: weights.toReversed() }))
    expect(drawItems(input)).toHaveLength(5)
  })

  test('equals a calculation by hand of the published algorithm', () => {
    const hmac = new Bun.CryptoHasher('sha256', Buffer.from(serverSeed, 'hex'))
      .update('my luck:pack-1:0')
      .digest()
    const first = Number(Buffer.from(hmac).readBigUInt64BE(0) % BigInt(TOTAL_WEIGHT))
    const shares: [string, number][] = [
      ['captain', 200_001],
      ['keeper', 600_001],
      ['legend', 649_001],
      ['trophy', 650_001],
      ['winger', 1_000_000],
    ]
    expect(drawItems(input)[0]).toBe(shares.find(([, upTo]) => first < upTo)?.[0] ?? '')
  })

  test('another server seed, client seed, pack or index gives another number', () => {
    const numbers = [
      drawNumber(serverSeed, 'a:b:0', 2 ** 40),
      drawNumber('90'.repeat(32), 'a:b:0', 2 ** 40),
      drawNumber(serverSeed, 'c:b:0', 2 ** 40),
      drawNumber(serverSeed, 'a:d:0', 2 ** 40),
      drawNumber(serverSeed, 'a:b:1', 2 ** 40),
    ]
    expect(new Set(numbers).size).toBe(5)
  })

  test('is below the total, for any total', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.string(), (total, message) => {
        const number = drawNumber(serverSeed, message, total)
        return Number.isSafeInteger(number) && number >= 0 && number < total
      }),
      { numRuns: 200, seed: 1 },
    )
  })

  test('skips the numbers beyond the largest multiple of the total, and extends the message when all four are', () => {
    // Just above half of all 64-bit numbers: it fits in once, and nearly every second number lies beyond it.
    const total = 2 ** 63 + 2 ** 11
    const numbersOf = (message: string) => {
      const digest = new Bun.CryptoHasher('sha256', Buffer.from(serverSeed, 'hex')).update(message).digest()
      return [0, 8, 16, 24].map(at => digest.readBigUInt64BE(at))
    }
    const skips = Array.from({ length: 200 }, (_, nth) => {
      const message = `my luck:pack-1:${nth}`
      const rounds = Array.from({ length: 10 }, (_, round) => (round === 0 ? message : `${message}:${round}`))
      const numbers = rounds.flatMap(numbersOf)
      const first = numbers.findIndex(number => number < BigInt(total))
      expect(drawNumber(serverSeed, message, total)).toBe(Number(numbers[first]))
      return first
    })
    // The first number, each of the others, and numbers of the second and the third round.
    expect([...new Set(skips)]).toEqual(expect.arrayContaining([0, 1, 2, 3, 4, 5, 8]))
  })

  test('200,000 draws fit the published odds (chi-squared, p > 0.001)', () => {
    const draws = 200_000
    const counts = new Map(weights.map(({ id }) => [id, 0]))
    const items = drawItems({ ...input, itemsPerPack: draws })
    for (const id of items) counts.set(id, (counts.get(id) ?? 0) + 1)
    const chiSquared = weights.reduce((sum, { id, weight }) => {
      const expected = (draws * weight) / TOTAL_WEIGHT
      return sum + ((counts.get(id) ?? 0) - expected) ** 2 / expected
    }, 0)
    // Four degrees of freedom: 18.467 is exceeded once in a thousand by a fair draw.
    expect(chiSquared).toBeLessThan(18.467)
  })
})

describe('the odds', () => {
  test('add up to exactly 1 and equal the weights of the draw', () => {
    expect(oddsOf(weights)).toEqual([
      { rarity: 'common', probability: '0.749999' },
      { rarity: 'rare', probability: '0.200001' },
      { rarity: 'epic', probability: '0.049000' },
      { rarity: 'legendary', probability: '0.001000' },
    ])
    expect(decimal(TOTAL_WEIGHT)).toBe('1.000000')
    expect(decimal(1)).toBe('0.000001')
  })

  test('any split of the total adds up to exactly 1 as decimals', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: TOTAL_WEIGHT - 1 }), { maxLength: 20 })
    fc.assert(
      fc.property(cuts, points => {
        const edges = [0, ...points.toSorted((a, b) => a - b), TOTAL_WEIGHT]
        const split = edges
          .slice(1)
          .map((edge, at) => ({ id: `${at}`, rarity: `r${at % 4}`, weight: edge - (edges[at] ?? 0) }))
        const sum = oddsOf(split).reduce(
          (total, { probability }) => total + BigInt(probability.replace('.', '')),
          0n,
        )
        return weightsProblem(split) === null && sum === BigInt(TOTAL_WEIGHT)
      }),
      { numRuns: 200, seed: 1 },
    )
  })

  test('invalid weights are refused', () => {
    expect(weightsProblem([])).toContain('add up')
    expect(weightsProblem([{ id: 'a', rarity: 'c', weight: 999_999 }])).toContain('not 999999')
    expect(weightsProblem([{ id: 'a', rarity: 'c', weight: 0.5 }])).toContain('whole number')
    const half = { id: 'a', rarity: 'c', weight: 500_000 }
    expect(weightsProblem([half, half])).toContain('once')
  })
})

describe('the proof', () => {
  const proof = makeProof(input)

  test('is valid, and commits to seed and terms', () => {
    expect(findFlaw(proof)).toBeNull()
    expect(findFlaw(JSON.parse(JSON.stringify(proof)))).toBeNull()
    expect(proof.seedHash).toBe(hashSeed(serverSeed))
    expect(proof.termsHash).toBe(sha256(canonicalTerms(input)))
  })

  test('is refused when any member is changed, left out or added', () => {
    const changes: Partial<Record<keyof Proof, unknown>> = {
      version: 2,
      packId: 'other',
      userPackId: 'pack-2',
      serverSeed: '8e'.repeat(32),
      seedHash: '00'.repeat(32),
      clientSeed: 'my other luck',
      termsHash: '00'.repeat(32),
      itemsPerPack: 4,
      items: proof.items.toReversed().concat('trophy').slice(1),
      weights: proof.weights.map(item => (item.id === 'keeper' ? { ...item, rarity: 'epic' } : item)),
      digest: '00'.repeat(32),
    }
    for (const member of Object.keys(proof) as (keyof Proof)[]) {
      expect(changes).toHaveProperty(member)
      expect(findFlaw({ ...proof, [member]: changes[member] })).toBeString()
      expect(findFlaw({ ...proof, [member]: undefined })).toBeString()
      const { [member]: _, ...without } = proof
      expect(findFlaw(without)).toBeString()
    }
    expect(findFlaw({ ...proof, extra: 1 })).toBeString()
  })

  test('is refused when nothing but the draw’s inputs change and every item is the same', () => {
    const certain = makeProof({ ...input, weights: [{ id: 'only', rarity: 'common', weight: TOTAL_WEIGHT }] })
    expect(findFlaw(certain)).toBeNull()
    expect(findFlaw({ ...certain, clientSeed: 'x' })).toBe('a member was changed')
    expect(findFlaw({ ...certain, userPackId: 'x' })).toBe('a member was changed')
  })

  test('is compared with the purchase: another seed, or other weights of the same odds, are an error', () => {
    const { packId, seedHash, termsHash } = proof
    const promise = { packId, seedHash, termsHash }
    expect(findBreach(proof, promise)).toBeNull()
    // The odds by rarity are the same, and the proof is sound in itself: only the promise gives the shift away.
    const shifted = weights.map(item =>
      item.id === 'keeper'
        ? { ...item, weight: 500_000 }
        : item.id === 'winger'
          ? { ...item, weight: 249_999 }
          : item,
    )
    const forged = makeProof({ ...input, weights: shifted })
    expect(oddsOf(shifted)).toEqual(oddsOf(weights))
    expect(findFlaw(forged)).toBeNull()
    expect(findBreach(forged, promise)).toContain('weights')
    expect(findBreach(makeProof({ ...input, serverSeed: '90'.repeat(32) }), promise)).toContain('seed')
    for (const other of [{ ...promise, packId: 'other' }, {}, null, 7])
      expect(findBreach(proof, other)).toBeString()
  })

  test('weights in another order are refused: the canonical order is part of the proof', () => {
    expect(findFlaw({ ...proof, weights: proof.weights.toReversed() })).toBe('the weights are not in order')
  })

  test('a value that is not a proof is refused', () => {
    for (const value of [null, 7, 'x', [], {}, { ...proof, items: 'x' }, { ...proof, weights: [null] }]) {
      expect(findFlaw(value)).toBeString()
    }
  })
})
