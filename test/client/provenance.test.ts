/** `verifyProvenance` of the client decides as `bun run verify-provenance`: the same histories hold, and the same forgeries do not. */
import { describe, expect, test } from 'bun:test'
import { type Provenance, verifyProvenance } from '@matchday/client'
import fc from 'fast-check'
import { makeProof } from '../../src/play/packs/proof.ts'
import {
  findProvenanceFlaw,
  hashOfLink,
  hashOfOrigin,
  hashOfOwner,
} from '../../src/play/packs/provenance-chain.ts'
import { anyCharacter } from '../support/any-character.ts'

const proof = makeProof({
  ...{ packId: 'starter', userPackId: 'pack-1', itemsPerPack: 3 },
  ...{ serverSeed: '8f'.repeat(32), clientSeed: 'my luck' },
  weights: [
    { id: 'keeper', rarity: 'common', weight: 600_000 },
    { id: 'winger', rarity: 'rare', weight: 400_000 },
  ],
})
const owner = { state: 'active', handle: 'calebe' } as const
const at = '2026-08-15T18:32:00.000Z'

/** A history whose item was made by `source`, and got a new owner for each of the references. */
function makeHistory(source: string, refs: string[], collectibleId = proof.items[1] ?? ''): Provenance {
  const item = { collectibleId, serialNumber: 7 }
  const origin = { source, owner, at, hash: hashOfOrigin({ ...item, source, timestamp: at }) }
  const transfers: Provenance['transfers'] = []
  for (const [index, ref] of refs.entries()) {
    const previousHash = transfers.at(-1)?.hash ?? origin.hash
    const link = { sequence: index + 2, ref, ownerHash: hashOfOwner('salt', ref), previousHash }
    transfers.push({ ...link, owner, at, hash: hashOfLink({ ...item, ...link, timestamp: at }) })
  }
  return { ...item, name: 'A card', imageUrl: null, rarity: 'rare', origin, transfers }
}

const history = makeHistory('pack:pack-1:1', ['trade:one', 'trade:two'])
const changeLink = (index: number, change: Partial<Provenance['transfers'][number]>) => ({
  ...history,
  transfers: history.transfers.map((link, nth) => (nth === index ? { ...link, ...change } : link)),
})
const other = '00'.repeat(32)

/** The verdict, after it was compared with that of the server's own code. */
async function verdictOf(value: unknown): Promise<boolean> {
  const { holds } = await verifyProvenance(value)
  expect(holds).toBe(findProvenanceFlaw(value) === null)
  return holds
}

describe('a history of the server', () => {
  test('is valid, also without changes of owner, and with the proof of its draw', async () => {
    expect(await verdictOf(history)).toBe(true)
    expect(await verdictOf(makeHistory('quest:derby:2026', []))).toBe(true)
    expect(await verifyProvenance(history, proof)).toEqual({ holds: true })
  })

  test('holds for any texts', async () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(text, fc.array(text, { maxLength: 5 }), async (source, refs) =>
        verdictOf(makeHistory(source, refs)),
      ),
      { numRuns: 50, seed: 1 },
    )
  })

  test('is valid with members that a later version adds, and with any data about the owners', async () => {
    expect(await verifyProvenance({ ...history, added: 1 })).toEqual({ holds: true })
    expect(await verdictOf(changeLink(0, { owner: { state: 'erased', handle: null } }))).toBe(true)
  })
})

describe('a forged history', () => {
  test.each<[string, unknown]>([
    ['another item', { ...history, collectibleId: 'legend' }],
    ['another serial number', { ...history, serialNumber: 1 }],
    ['another source', { ...history, origin: { ...history.origin, source: 'pack:pack-2:1' } }],
    [
      'another time of the draw',
      { ...history, origin: { ...history.origin, at: '2026-08-14T18:32:00.000Z' } },
    ],
    ['another first hash', { ...history, origin: { ...history.origin, hash: other } }],
    ['another reference', changeLink(0, { ref: 'trade:three' })],
    ['another owner', changeLink(1, { ownerHash: other })],
    ['another time', changeLink(1, { at: '2026-08-14T18:32:00.000Z' })],
    ['another hash', changeLink(1, { hash: other })],
    ['another hash before', changeLink(1, { previousHash: other })],
    ['a removed link', { ...history, transfers: history.transfers.slice(1) }],
    ['links in another order', { ...history, transfers: history.transfers.toReversed() }],
    ['a sequence as text', changeLink(0, { sequence: '2' as never })],
    ['a list of nulls', { ...history, transfers: [null] }],
    ['no origin', { ...history, origin: undefined }],
    ['null', null],
  ])('with %s does not hold', async (_, value) => {
    expect(await verdictOf(value)).toBe(false)
  })

  test.each<[string, Provenance, unknown, string]>([
    [
      'another position of the pack',
      makeHistory('pack:pack-1:9', []),
      proof,
      'the item is not the one that was drawn',
    ],
    ['another pack', makeHistory('pack:pack-2:1', []), proof, 'the item is not the one that was drawn'],
    [
      'an item that was not drawn',
      makeHistory('pack:pack-1:1', [], 'legend'),
      proof,
      'the item is not the one that was drawn',
    ],
    ['a forged draw', history, { ...proof, clientSeed: 'other' }, 'the draw gives other items'],
  ])('does not hold with the proof of %s', async (_, forged, drawn, flaw) => {
    expect(findProvenanceFlaw(forged)).toBeNull()
    expect(await verifyProvenance(forged, drawn)).toEqual({ holds: false, flaw })
  })
})
