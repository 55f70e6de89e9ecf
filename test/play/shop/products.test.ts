/** Products: imported, listed and read. */
import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { entryKinds, planRecord, recordFaults } from '../../../src/play/catalogue-file/kinds.ts'
import type { ProductEntry } from '../../../src/play/shop/entry-schema.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addPack, DAY, refusal } from '../packs/packs-world.ts'
import { addProduct as add, entryOf, record } from './products-world.ts'

const plan = (world: World, entry: ProductEntry) => planRecord(world.db.read, record(entry))

/** The changes of an import, as planned and as written. */
async function change(world: World, entry: ProductEntry) {
  const planned = await plan(world, entry)
  expect(await add(world, entry)).toEqual(planned)
  return planned
}

/** Of the variant `short`. */
const sell = (world: World, entry: ProductEntry, stockSold: number) =>
  world.db.write(tx => {
    const { productVariants: table } = tx.tables
    const isShort = and(eq(table.productId, entry.id), eq(table.id, 'short'))
    return tx.update(table).set({ stockSold }).where(isShort)
  })

onEachEngine('GET /api/products', world => {
  const read = async (id: string) => (await world.anonymous.get(`/api/products/${id}`)).body
  const list = async (query = '') => (await world.anonymous.get(`/api/products${query}`)).body
  const idsOf = async (query = '') => (await list(query)).products.map(({ id }: { id: string }) => id)

  test('shows a product with its variants in the order of the file', async () => {
    const entry = entryOf({
      images: ['/pictures/scarf.svg'],
      maxPerFan: 2,
      shipsTo: ['GB', 'PT'],
      requires: { points: 100 },
    })
    await add(world, entry)
    const product = {
      id: entry.id,
      name: 'Scarf',
      description: 'Knitted.',
      images: ['/pictures/scarf.svg'],
      category: 'scarves',
      kind: 'physical',
      variants: [
        { id: 'short', name: '140 cm', sku: 'SC-140', stockRemaining: 3 },
        { id: 'long', name: '170 cm', sku: null, stockRemaining: null },
      ],
      price: { amount: 1900, currency: 'EUR' },
      lowestPrice: null,
      maxPerFan: 2,
      shipsTo: ['GB', 'PT'],
      delivers: null,
      sponsorId: null,
      requires: { points: 100 },
      active: true,
      startsAt: null,
      endsAt: null,
    }
    expect(await read(entry.id)).toEqual(product)
    expect((await list()).products).toContainEqual(product)
  })

  test('lists one category, in pages, and refuses the cursor of another list', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => {
        const entry = entryOf({ category: 'mugs' })
        await add(world, entry)
        return entry.id
      }),
    )
    expect(await idsOf('?category=mugs')).toEqual(ids.toSorted())
    const first = await list('?category=mugs&limit=2')
    const second = await list(`?category=mugs&limit=2&cursor=${first.nextCursor}`)
    expect([...first.products, ...second.products].map(({ id }) => id)).toEqual(ids.toSorted())
    expect(second.nextCursor).toBeNull()
    const other = await world.anonymous.get(`/api/products?limit=2&cursor=${first.nextCursor}`)
    expect(refusal(other)).toEqual([400, 'invalid_cursor'])
  })

  test('omits what is not on sale, to the millisecond, and still shows it by id', async () => {
    const at = (ms: number) => new Date(world.clock.ms + ms).toISOString()
    const later = entryOf({ category: 'later', startsAt: at(1), endsAt: at(DAY) })
    const off = entryOf({ category: 'later', active: false })
    for (const entry of [later, off]) await add(world, entry)
    expect(await idsOf('?category=later')).toEqual([])
    expect([(await read(later.id)).active, (await read(off.id)).active]).toEqual([false, false])
    world.clock.advance(1)
    expect(await idsOf('?category=later')).toEqual([later.id])
    expect((await read(later.id)).active).toBe(true)
  })

  test('answers in the language of the client', async () => {
    const entry = entryOf({
      name: { en: 'Scarf', pt: 'Cachecol' },
      variants: [{ id: 'one', name: { en: 'Long', pt: 'Comprido' } }],
    })
    await add(world, entry)
    const { body, headers } = await world.anonymous.get(`/api/products/${entry.id}?lang=pt`)
    expect([body.name, body.variants[0].name, headers.get('content-language')]).toEqual([
      'Cachecol',
      'Comprido',
      'pt',
    ])
  })

  test('404 product_not_found', async () => {
    expect(refusal(await world.anonymous.get('/api/products/no-such'))).toEqual([404, 'product_not_found'])
  })
})

onEachEngine('An import of products', world => {
  const read = async (id: string) => (await world.anonymous.get(`/api/products/${id}`)).body

  test('names each member that changes, and changes nothing when it is repeated', async () => {
    const entry = entryOf()
    expect(await change(world, entry)).toEqual({ outcome: 'created', members: {} })
    expect((await change(world, entry)).outcome).toBe('unchanged')
    const [short] = entry.variants
    if (!short) throw new Error('the entry has variants')
    const changed = { ...entry, name: 'Wool scarf', maxPerFan: 1, variants: [{ ...short, stock: 5 }] }
    expect((await change(world, changed)).members).toEqual({
      name: ['Scarf', 'Wool scarf'],
      maxPerFan: [null, 1],
      'variants/short': [
        { position: 0, name: '140 cm', sku: 'SC-140', stock: 3 },
        { position: 0, name: '140 cm', sku: 'SC-140', stock: 5 },
      ],
      'variants/long': [{ position: 1, name: '170 cm', sku: null, stock: null }, null],
    })
    expect((await read(entry.id)).variants).toEqual([
      { id: 'short', name: '140 cm', sku: 'SC-140', stockRemaining: 5 },
    ])
    expect((await change(world, entry)).outcome).toBe('changed')
    expect((await read(entry.id)).variants).toHaveLength(2)
  })

  test('keeps what is sold, and refuses a stock below it', async () => {
    const entry = entryOf()
    await add(world, entry)
    await sell(world, entry, 2)
    expect((await change(world, entry)).outcome).toBe('unchanged')
    const withStock = (stock: number) => ({ ...entry, variants: [{ id: 'short', name: '140 cm', stock }] })
    const errors = [{ pointer: '/variants/0/stock', message: 'must be at least 2, the number sold' }]
    for (const write of [plan, add])
      await expect(write(world, withStock(1))).rejects.toMatchObject({
        code: 'catalogue_conflict',
        explanation: { errors },
      })
    await add(world, withStock(2))
    expect((await read(entry.id)).variants[0].stockRemaining).toBe(0)
  })

  test('a required collectible must exist, or be written by the same import', async () => {
    const unknown = entryOf({ requires: { collectibleId: 'no-such' } })
    await expect(add(world, unknown)).rejects.toMatchObject({ code: 'catalogue_conflict' })
    const written = new Set(['collectibles no-such'])
    expect((await planRecord(world.db.read, record(unknown), { written })).outcome).toBe('created')
    await addPack(world)
    const [collectible] = await world.db.read.select().from(world.db.tables.collectibles).limit(1)
    const known = entryOf({ requires: { collectibleId: collectible?.id ?? '' } })
    await add(world, known)
    expect((await read(known.id)).requires).toEqual({ collectibleId: collectible?.id })
  })

  test('--prune deactivates a product', async () => {
    const entry = entryOf()
    await add(world, entry)
    expect(await entryKinds.product.listActive(world.db.read)).toContain(entry.id)
    await world.db.write(tx => entryKinds.product.deactivate(tx, entry.id))
    expect((await read(entry.id)).active).toBe(false)
  })
})

test.each([
  ['a currency that does not exist', { price: { amount: 1, currency: 'QQQ' } }, '/price/currency'],
  ['a variant twice', { variants: [1, 2].map(() => ({ id: 'a', name: 'A' })) }, '/variants/1/id'],
  ['countries of a voucher', { kind: 'voucher', shipsTo: ['GB'] }, '/shipsTo'],
  ['a pack of a physical product', { delivers: { packId: 'starter' } }, '/delivers/packId'],
  ['no pack of a pack', { kind: 'pack' }, '/delivers'],
  ['two digital goods', { kind: 'digital', delivers: { collectibleId: 'cup', file: 'a.png' } }, '/delivers'],
  ['a country that does not exist', { shipsTo: ['GB', 'ZZ'] }, '/shipsTo/1'],
  ['a country twice', { shipsTo: ['GB', 'GB'] }, '/shipsTo/1'],
  ['a picture without https', { images: ['http://pictures.example/a.png'] }, '/images/0'],
] as [string, Partial<ProductEntry>, string][])('an entry with %s is refused', (_, members, pointer) => {
  expect(recordFaults(record(entryOf(members))).map(fault => fault.pointer)).toEqual([pointer])
})
