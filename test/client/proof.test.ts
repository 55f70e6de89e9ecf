/** `verifyDraw` of the client decides as `bun run verify-draw`: the same proofs hold, and the same forgeries do not. */
import { describe, expect, test } from 'bun:test'
import { verifyDraw } from '@matchday/client'
import fc from 'fast-check'
import { findBreach, findFlaw, makeProof, type Proof } from '../../src/play/packs/proof.ts'
import { anyCharacter } from '../support/any-character.ts'

const weights = [
  { id: 'keeper', rarity: 'common', weight: 400_000 },
  { id: 'winger', rarity: 'common', weight: 349_999 },
  { id: 'captain', rarity: 'rare', weight: 200_001 },
  { id: 'legend', rarity: 'epic', weight: 49_000 },
  { id: 'trophy', rarity: 'legendary', weight: 1_000 },
]
const input = {
  packId: 'starter',
  itemsPerPack: 5,
  weights,
  serverSeed: '8f'.repeat(32),
  clientSeed: 'my luck',
  userPackId: 'pack-1',
}
const proof = makeProof(input)
const { packId, seedHash, termsHash } = proof
const commitment = { packId, seedHash, termsHash }

/** The verdict, after it was compared with that of the server's own code. */
async function verdictOf(value: unknown): Promise<boolean> {
  const { holds } = await verifyDraw(value)
  expect(holds).toBe(findFlaw(value) === null)
  return holds
}

describe('a proof of the server', () => {
  test('is valid, and matches its purchase', async () => {
    expect(await verifyDraw(proof)).toEqual({ holds: true })
    expect(await verifyDraw(proof, commitment)).toEqual({ holds: true })
  })

  test('holds for any seeds, texts and weights', async () => {
    const share = fc.integer({ min: 1, max: 999_999 })
    const text = fc.string({ unit: anyCharacter, maxLength: 40 })
    const seed = fc.uint8Array({ minLength: 32, maxLength: 32 })
    await fc.assert(
      fc.asyncProperty(
        share,
        text,
        text,
        seed,
        fc.integer({ min: 1, max: 12 }),
        async (first, a, b, bytes, n) => {
          const made = makeProof({
            packId: a,
            userPackId: b,
            clientSeed: a,
            itemsPerPack: n,
            serverSeed: Buffer.from(bytes).toString('hex'),
            weights: [
              { id: `z${a}`, rarity: b, weight: first },
              { id: 'a', rarity: a, weight: 1_000_000 - first },
            ],
          })
          return verdictOf(made)
        },
      ),
      { numRuns: 100, seed: 1 },
    )
  })
})

test('a drawn number that equals the weight of the first item gives the second', async () => {
  const drawn = (first: number) =>
    makeProof({
      ...input,
      itemsPerPack: 1,
      weights: [
        { id: 'a', rarity: 'common', weight: first },
        { id: 'b', rarity: 'rare', weight: 1_000_000 - first },
      ],
    })
  // The number is the greatest weight of the first item with which the second is drawn.
  let [number, above] = [1, 999_999]
  while (above - number > 1) {
    const middle = Math.floor((number + above) / 2)
    if (drawn(middle).items[0] === 'b') number = middle
    else above = middle
  }
  expect([drawn(number).items, drawn(number + 1).items]).toEqual([['b'], ['a']])
  for (const first of [number, number + 1]) expect(await verdictOf(drawn(first))).toBe(true)
})

describe('a forged proof', () => {
  const certain = makeProof({ ...input, weights: [{ id: 'only', rarity: 'common', weight: 1_000_000 }] })
  const heavy = (weight: unknown) =>
    proof.weights.map(item => (item.id === 'keeper' ? { ...item, weight } : item))
  const weightless = { id: 'zero', rarity: 'common', weight: 0 }
  test.each<[string, unknown]>([
    ['another version', { ...proof, version: 2 }],
    ['another pack', { ...proof, packId: 'other' }],
    ['another pack of the fan', { ...proof, userPackId: 'pack-2' }],
    ['another server seed', { ...proof, serverSeed: '8e'.repeat(32) }],
    ['a server seed in capitals', { ...proof, serverSeed: '8F'.repeat(32) }],
    ['a server seed that is no hex', { ...proof, serverSeed: 'zz'.repeat(32) }],
    ['another hash of the seed', { ...proof, seedHash: '00'.repeat(32) }],
    ['another client seed', { ...proof, clientSeed: 'my other luck' }],
    ['another hash of the terms', { ...proof, termsHash: '00'.repeat(32) }],
    ['fewer items a pack', { ...proof, itemsPerPack: 4 }],
    ['items beyond any pack', makeProof({ ...input, itemsPerPack: 101 })],
    ['other items', { ...proof, items: [...proof.items.slice(1), 'trophy'] }],
    ['an item more', { ...proof, items: [...proof.items, 'trophy'] }],
    ['another rarity', { ...proof, weights: proof.weights.map(item => ({ ...item, rarity: 'epic' })) }],
    ['weights of another sum', { ...proof, weights: heavy(500_000) }],
    ['a negative weight', { ...proof, weights: heavy(-1) }],
    ['a weight of zero', makeProof({ ...input, weights: [...weights, weightless] })],
    ['a weight as text', { ...proof, weights: heavy('400000') }],
    ['weights in another order', { ...proof, weights: proof.weights.toReversed() }],
    ['an item twice', { ...proof, weights: [...proof.weights, proof.weights[0]] }],
    ['another digest', { ...proof, digest: '00'.repeat(32) }],
    ['another client seed where each item is certain', { ...certain, clientSeed: 'x' }],
    ['a member more', { ...proof, extra: 1 }],
    ['a missing member', { ...proof, digest: undefined }],
    ['a list of nulls', { ...proof, weights: [null] }],
    ['null', null],
    ['a list', []],
  ])('with %s does not hold', async (_, value) => {
    expect(await verdictOf(value)).toBe(false)
  })

  test('that is consistent does not match the purchase', async () => {
    const shifted = [
      { id: 'captain', rarity: 'rare', weight: 999_999 },
      { id: 'keeper', rarity: 'common', weight: 1 },
    ]
    const forgeries: [Proof, string][] = [
      [makeProof({ ...input, weights: shifted }), 'the weights are not the ones that the purchase promised'],
      [
        makeProof({ ...input, serverSeed: '90'.repeat(32) }),
        'the seed is not the one that the purchase promised',
      ],
      [makeProof({ ...input, packId: 'other' }), 'the proof is of another pack'],
    ]
    for (const [forged, flaw] of forgeries) {
      expect(await verdictOf(forged)).toBe(true)
      expect(findBreach(forged, commitment)).toBe(flaw)
      expect(await verifyDraw(forged, commitment)).toEqual({ holds: false, flaw })
    }
  })
})
