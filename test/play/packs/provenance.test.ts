/** The history of an item, its changes of owner, and who owns it afterwards. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyProvenance } from '../../../src/audit/runs/verify-provenance.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { exampleProvenance } from '../../../src/play/packs/examples.ts'
import { findProvenanceFlaw } from '../../../src/play/packs/provenance-chain.ts'
import { transferItems } from '../../../src/play/packs/transfer-items.ts'
import { block, type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addPack, buy, expectStatus, FREE, open, refusal } from './packs-world.ts'

async function drawnItem(world: World, fan: NamedFan) {
  const packId = await addPack(world, { price: FREE, itemsPerPack: 1 })
  const { userPack } = await buy(fan, packId)
  const opened = expectStatus(200, await open(fan, userPack.id))
  const [{ id: collectibleId, serialNumber }] = opened.items
  return { collectibleId, serialNumber, userPackId: userPack.id, opened }
}

type Item = Pick<Awaited<ReturnType<typeof drawnItem>>, 'collectibleId' | 'serialNumber'>

const historyOf = ({ collectibleId, serialNumber }: Item) =>
  `/api/collectibles/${collectibleId}/serials/${serialNumber}/provenance`

const move = (world: World, item: Item, [from, to]: [NamedFan, NamedFan], ref = 'trade:one') =>
  world.db.write(tx => {
    const { collectibleId, serialNumber } = item
    const transfer = { collectibleId, serialNumber, fromId: from.id, toId: to.id }
    return transferItems(tx, [transfer], { ref, restedAt: new Date(tx.now().getTime() - 1) })
  })

const idsOf = async (fan: NamedFan) =>
  expectStatus(200, await fan.get('/api/user/collection')).items.map(({ id }: { id: string }) => id)

onEachEngine('The provenance of an item', world => {
  test('starts with the draw, followed by each change of owner', async () => {
    const [a, b] = [await namedFan(world), await namedFan(world)]
    const item = await drawnItem(world, a)
    const before = expectStatus(200, await world.anonymous.get(historyOf(item)))
    const [drawn] = item.opened.items
    expect(before).toMatchObject({
      ...{ name: drawn.name, imageUrl: drawn.imageUrl, rarity: drawn.rarity },
      origin: { source: `pack:${item.userPackId}:0`, owner: { state: 'active', handle: a.handle } },
      transfers: [],
    })
    expect(await move(world, item, [a, b])).toBe(true)
    world.clock.ms += 10
    expect(await move(world, item, [b, a], 'trade:two')).toBe(true)
    const after = expectStatus(200, await world.anonymous.get(historyOf(item)))
    expect(after.origin).toEqual(before.origin)
    expect(after.transfers).toMatchObject([
      { sequence: 2, ref: 'trade:one', owner: { handle: b.handle }, previousHash: before.origin.hash },
      { sequence: 3, ref: 'trade:two', owner: { handle: a.handle } },
    ])
    expect(findProvenanceFlaw(after)).toBeNull()
  })

  test('decides who has the item in the collection; the opened pack still shows what was drawn', async () => {
    const [a, b] = [await namedFan(world), await namedFan(world)]
    const item = await drawnItem(world, a)
    expect(await move(world, item, [a, b])).toBe(true)
    expect([await idsOf(a), await idsOf(b)]).toEqual([[], [item.collectibleId]])
    expect(expectStatus(200, await open(a, item.userPackId))).toEqual(item.opened)
  })

  test('gets a link when its owner is merged, is valid offline, and continues with the remaining fan', async () => {
    const [a, b, c] = [await namedFan(world), await namedFan(world), await namedFan(world)]
    const [given, kept] = [await drawnItem(world, a), await drawnItem(world, b)]
    expect(await move(world, given, [a, b])).toBe(true)
    await world.db.write(tx => mergeFans(tx, { from: b.id, into: c.id, mergedBy: 'Ana', reason: null }))
    world.clock.ms += 10
    expect(await move(world, given, [c, a], 'trade:two')).toBe(true)
    const link = (ref: string, handle: string | null) => ({ ref, owner: { state: 'active', handle } })
    for (const [item, links] of [
      [given, [link('trade:one', null), link('merge', c.handle), link('trade:two', a.handle)]],
      [kept, [link('merge', c.handle)]],
    ] as const) {
      const history = expectStatus(200, await world.anonymous.get(historyOf(item)))
      expect(history.transfers).toMatchObject(links)
      expect(findProvenanceFlaw(history)).toBeNull()
    }
    expect([await idsOf(a), await idsOf(c)]).toEqual([[given.collectibleId], [kept.collectibleId]])
    const found: Finding[] = []
    await verifyProvenance(world.db, { onFinding: finding => void found.push(finding) })
    const isOfThese = ({ what }: Finding) => [given, kept].some(item => what.includes(item.collectibleId))
    expect(found.filter(isOfThese)).toEqual([])
  })

  test('does not grow when the item is not owned, or rests', async () => {
    const [a, b] = [await namedFan(world), await namedFan(world)]
    const item = await drawnItem(world, a)
    expect(await move(world, item, [b, a])).toBe(false)
    expect(await move(world, item, [a, b])).toBe(true)
    expect(await move(world, item, [a, b])).toBe(false)
    expect(await move(world, item, [b, a])).toBe(false)
    expect((await world.anonymous.get(historyOf(item))).body.transfers).toHaveLength(1)
  })

  test('shows no handle to a blocked fan, and no handle of a private fan', async () => {
    const [a, b] = [await namedFan(world), await namedFan(world)]
    const item = await drawnItem(world, a)
    await block(a, b.handle)
    expect((await b.get(historyOf(item))).body.origin.owner).toEqual({ state: 'active', handle: null })
    expectStatus(200, await a.send('/api/user/privacy', json('PATCH', { profile: 'private' })))
    expect((await world.anonymous.get(historyOf(item))).body.origin.owner.handle).toBeNull()
    expect((await a.get(historyOf(item))).body.origin.owner.handle).toBe(a.handle)
  })

  test.each(['an update', 'a deletion'])('is append-only: the database refuses %s', async change => {
    const [a, b] = [await namedFan(world), await namedFan(world)]
    const item = await drawnItem(world, a)
    expect(await move(world, item, [a, b])).toBe(true)
    const { itemTransfers } = world.db.tables
    const before = await world.db.read.select().from(itemTransfers)
    const changed = world.db.write(async tx =>
      change === 'an update' ? tx.update(itemTransfers).set({ ownerId: a.id }) : tx.delete(itemTransfers),
    )
    const refusal = await changed.then(() => '').catch(error => `${error} ${error.cause}`)
    expect(refusal).toContain('item_transfers is append-only')
    expect(await world.db.read.select().from(itemTransfers)).toEqual(before)
  })

  test('decides who owns the item: verify-ledger reports a different owner', async () => {
    const [a, b] = [await namedFan(world), await namedFan(world)]
    const item = await drawnItem(world, a)
    expect(await move(world, item, [a, b])).toBe(true)
    const findings = async () => {
      const found: Finding[] = []
      await verifyLedger(world.db, { onFinding: finding => void found.push(finding) })
      return found.filter(({ what }) => what.startsWith('user_items.owner_id'))
    }
    expect(await findings()).toEqual([])
    const { userItems } = world.db.tables
    const setOwner = (ownerId: string) =>
      world.db.write(tx =>
        tx.update(userItems).set({ ownerId }).where(eq(userItems.userPackId, item.userPackId)),
      )
    await setOwner(a.id)
    const what = `user_items.owner_id of ${item.collectibleId}/${item.serialNumber}`
    expect(await findings()).toEqual([{ userId: a.id, what, expected: b.id, actual: a.id }])
    await setOwner(b.id)
  })

  test.each(['nothing/serials/1', 'nothing/serials/9999999999999999'])('is not found for %s', async path => {
    const response = await world.anonymous.get(`/api/collectibles/${path}/provenance`)
    expect(refusal(response)).toEqual([404, 'item_not_found'])
  })

  test('moves once when several transfers of one item run at once', async () => {
    const fans = await Promise.all(Array.from({ length: 6 }, () => namedFan(world)))
    const [owner, ...others] = fans
    if (!owner) throw new Error('the owner is made before')
    const item = await drawnItem(world, owner)
    const moved = await Promise.all(others.map(other => move(world, item, [owner, other])))
    expect(moved.filter(Boolean)).toHaveLength(1)
    expect((await world.anonymous.get(historyOf(item))).body.transfers).toHaveLength(1)
  })
})

const json = (method: string, body: object) => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

test('the example of the document is valid, and each change of a hashed member is found', () => {
  expect(findProvenanceFlaw(exampleProvenance)).toBeNull()
  const { origin, transfers } = exampleProvenance
  const [link] = transfers
  if (!link) throw new Error('the example has a link')
  const changed = [
    { ...exampleProvenance, serialNumber: 43 },
    { ...exampleProvenance, origin: { ...origin, source: 'quest:other:ever' } },
    ...Object.entries({ sequence: 3, ref: 'trade:x', at: origin.at, ownerHash: link.hash }).map(
      ([name, value]) => ({ ...exampleProvenance, transfers: [{ ...link, [name]: value }] }),
    ),
    { ...exampleProvenance, transfers: [{ ...link, previousHash: link.hash }] },
  ]
  for (const one of changed) expect(findProvenanceFlaw(one)).not.toBeNull()
})
