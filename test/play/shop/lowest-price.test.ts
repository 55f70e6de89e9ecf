/** `lowestPrice` of a product: what it cost at the least in the 30 days before its price was reduced. */
import { expect, test } from 'bun:test'
import type { ProductEntry } from '../../../src/play/shop/entry-schema.ts'
import { onEachEngine } from '../../support/world.ts'
import { DAY, expectStatus } from '../packs/packs-world.ts'
import { addProduct, entryOf } from './products-world.ts'

onEachEngine('The lowest price', world => {
  /** Changes the price, and returns what fans see then. */
  async function priced(entry: ProductEntry, amount: number, members: Partial<ProductEntry> = {}) {
    await addProduct(world, { ...entry, price: { amount, currency: 'EUR' }, ...members })
    return shown(entry)
  }
  async function shown({ id }: ProductEntry): Promise<number | null> {
    const { lowestPrice } = expectStatus(200, await world.anonymous.get(`/api/products/${id}`))
    return lowestPrice === null ? null : lowestPrice.amount
  }
  const pass = (days: number) => world.clock.advance(days * DAY)

  test('is that of the 30 days before the reduction, while the price is reduced, also in the list', async () => {
    const entry = entryOf()
    expect(await priced(entry, 2_000)).toBeNull()
    pass(10)
    expect(await priced(entry, 1_500)).toBe(2_000)
    pass(5)
    expect(await priced(entry, 2_500)).toBeNull()
    pass(20)
    // 1500 was the price until 20 days ago.
    expect(await priced(entry, 2_200)).toBe(1_500)
    const { products } = expectStatus(200, await world.anonymous.get('/api/products'))
    expect(products.find(({ id }: ProductEntry) => id === entry.id)).toMatchObject({
      price: { amount: 2_200, currency: 'EUR' },
      lowestPrice: { amount: 1_500, currency: 'EUR' },
    })
    pass(40)
    expect(await shown(entry)).toBe(1_500)
    expect(await priced(entry, 2_200, { name: 'Renamed' })).toBe(1_500)
    expect(await priced(entry, 2_400)).toBeNull()
  })

  test('forgets what was the price more than 30 days ago, and counts the price that was in force then', async () => {
    const entry = entryOf()
    await priced(entry, 1_000)
    pass(1)
    await priced(entry, 3_000)
    pass(29)
    // 1000 ended 29 days ago.
    expect(await priced(entry, 2_900)).toBe(1_000)
    pass(2)
    // 1000 ended 31 days ago; 3000 was in force at the start of the window.
    expect(await priced(entry, 2_000)).toBe(2_900)
    pass(31)
    expect(await priced(entry, 1_900)).toBe(2_000)
  })

  test('does not count prices at which it was not offered, or of another currency', async () => {
    const entry = entryOf()
    await priced(entry, 100, { active: false })
    pass(1)
    await priced(entry, 2_000)
    pass(1)
    expect(await priced(entry, 1_800)).toBe(2_000)
    expect(await priced(entry, 100, { price: { amount: 100, currency: 'POINTS' } })).toBeNull()
  })
})
