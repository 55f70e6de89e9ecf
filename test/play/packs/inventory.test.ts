import { expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { addPack, buy, FREE, open, patientFan, refusal } from './packs-world.ts'
import { refundPack } from './refund-pack.ts'

interface Owned {
  id: string
  state: string
}
interface Collected {
  id: string
  rarity: string
  count: number
  serialNumbers: number[]
  resting: { serialNumber: number; until: string }[]
  untradable: number[]
}

/** Every page of a list, two at a time. */
async function readAll<Row>(fan: Client, path: string, member: string): Promise<Row[][]> {
  const pages: Row[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await fan.get(`${path}?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
    pages.push(body[member])
    cursor = body.nextCursor
  }
  return pages
}

onEachEngine('GET /api/user/packs', world => {
  test('returns an empty list for a fan without a record', async () => {
    const { status, body } = await (await patientFan(world)).get('/api/user/packs')
    expect([status, body]).toEqual([200, { packs: [], nextCursor: null }])
  })

  test('lists the fan’s packs, newest first, sealed, opened and revoked', async () => {
    const fan = await patientFan(world)
    const packId = await addPack(world, { price: FREE })
    const bought = [await buy(fan, packId), await buy(fan, packId), await buy(fan, packId)]
    const opened = await open(fan, bought[1].userPack.id)
    await world.db.write(tx => refundPack(tx, bought[2].id))
    const { body } = await fan.get('/api/user/packs')
    expect(body).toEqual({
      packs: [{ ...bought[2].userPack, state: 'revoked' }, opened.body.userPack, bought[0].userPack],
      nextCursor: null,
    })
  })

  test('a started purchase is not a pack yet', async () => {
    const fan = await patientFan(world)
    await fan.post('/api/packs/purchase', { packId: await addPack(world, { price: FREE }) })
    expect((await fan.get('/api/user/packs')).body.packs).toEqual([])
  })

  test('pages through each pack once, and marks the last page', async () => {
    const fan = await patientFan(world)
    const packId = await addPack(world, { price: FREE })
    const bought: Owned[] = []
    for (let n = 0; n < 5; n++) bought.unshift((await buy(fan, packId)).userPack)
    const pages = await readAll<Owned>(fan, '/api/user/packs', 'packs')
    expect(pages.map(page => page.length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(bought)
  })

  test('shows no packs of another fan, and refuses another fan’s cursors', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const packId = await addPack(world, { price: FREE })
    for (const each of [fan, fan, other]) await buy(each, packId)
    expect((await other.get('/api/user/packs')).body.packs).toHaveLength(1)
    const { nextCursor } = (await fan.get('/api/user/packs?limit=1')).body
    for (const path of [`packs?cursor=${nextCursor}`, `collection?cursor=${nextCursor}`]) {
      expect(refusal(await other.get(`/api/user/${path}`))).toEqual([400, 'invalid_cursor'])
    }
    expect(refusal(await fan.get(`/api/user/collection?cursor=${nextCursor}`))).toEqual([
      400,
      'invalid_cursor',
    ])
  })
})

onEachEngine('GET /api/user/collection', world => {
  /** The collection that must follow from the drawn items. */
  function collect(drawn: { id: string; rarity: string; serialNumber: number }[]): Collected[] {
    const ids = [...new Set(drawn.map(({ id }) => id))].toSorted((a, b) => (a < b ? -1 : 1))
    return ids.map(id => {
      const same = drawn.filter(item => item.id === id)
      const { serialNumber: _, ...collectible } = { rarity: '', serialNumber: 0, ...same[0], id }
      const serialNumbers = same.map(({ serialNumber }) => serialNumber).toSorted((a, b) => a - b)
      return { ...collectible, count: same.length, serialNumbers, resting: [], untradable: [] }
    })
  }

  test('returns an empty collection before a pack is opened', async () => {
    const fan = await patientFan(world)
    expect((await fan.get('/api/user/collection')).body).toEqual({ items: [], nextCursor: null })
    await buy(fan, await addPack(world, { price: FREE }))
    expect((await fan.get('/api/user/collection')).body).toEqual({ items: [], nextCursor: null })
  })

  test('lists each collectible once, with count and serial numbers, apart from those of other fans', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const packId = await addPack(world, {
      price: FREE,
      itemsPerPack: 4,
      weights: { common: 500_000, rare: 500_000 },
    })
    const drawn = new Map([fan, other].map(each => [each, [] as Parameters<typeof collect>[0]]))
    for (const each of [fan, other, fan, other, fan]) {
      const { items } = (await open(each, (await buy(each, packId)).userPack.id)).body
      drawn.get(each)?.push(...items)
    }
    for (const [each, items] of drawn) {
      const { body } = await each.get('/api/user/collection')
      expect(body).toEqual({ items: collect(items), nextCursor: null })
    }
    const counts = collect([...drawn.values()].flat()).map(({ count }) => count)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(20)
  })

  test('pages by collectible, each once and whole', async () => {
    const fan = await patientFan(world)
    const rarities = ['a', 'b', 'c', 'd', 'e'].map(name => [name, 200_000] as const)
    const packId = await addPack(world, {
      price: FREE,
      itemsPerPack: 100,
      weights: Object.fromEntries(rarities),
    })
    const { items } = (await open(fan, (await buy(fan, packId)).userPack.id)).body
    const pages = await readAll<Collected>(fan, '/api/user/collection', 'items')
    expect(pages.map(page => page.length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual(collect(items))
  })
})
