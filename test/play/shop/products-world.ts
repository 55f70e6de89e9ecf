/** Products for tests. */
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import type { ProductEntry } from '../../../src/play/shop/entry-schema.ts'
import type { World } from '../../support/world.ts'

let made = 0

export const entryOf = (members: Partial<ProductEntry> = {}): ProductEntry => ({
  id: `scarf-${++made}`,
  name: 'Scarf',
  description: 'Knitted.',
  category: 'scarves',
  kind: 'physical',
  price: { amount: 1900, currency: 'EUR' },
  variants: [
    { id: 'short', name: '140 cm', sku: 'SC-140', stock: 3 },
    { id: 'long', name: '170 cm' },
  ],
  ...members,
})

export const record = (entry: ProductEntry) => ({ kind: 'product', entry }) as const
export const addProduct = (world: World, entry: ProductEntry) =>
  world.db.write(tx => writeRecord(tx, record(entry)))
