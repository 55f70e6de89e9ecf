/** The shop for the cash scenario: fans with a balance; either all fans buy one product, or few fans buy each product. */
import { openDatabase } from '../../db/index.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { lockCash } from '../../src/economy/cash/ledger.ts'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import type { ProductEntry } from '../../src/play/shop/entry-schema.ts'

export const CURRENCY = 'EUR'
export const PRICE = 100
const BALANCE = 100_000_000
const PRODUCTS = 500
/** More than all fans buy. */
const STOCK = 10_000_000
/** Fans per unit of work. */
const BATCH = 500

/** The product of purchase number `n` of a round. */
export const productOf = {
  'one product': () => 'shared',
  'spread products': (n: number) => `own-${n % PRODUCTS}`,
  'one product with a limit': () => 'shared-limited',
  'spread products with limits': (n: number) => `own-limited-${n % PRODUCTS}`,
} as const satisfies Record<string, (n: number) => string>

const entryOf = (id: string, stock: number | null): ProductEntry => ({
  id,
  name: id,
  description: 'Knitted.',
  category: 'scarves',
  kind: 'physical',
  price: { amount: PRICE, currency: CURRENCY },
  variants: [{ id: 'one', name: 'One size', stock }],
})

/** Adds the products, and a balance for each fan of the database. */
export async function prepareShop(url: string): Promise<void> {
  const db = openDatabase(url, realSources, { spine: createSpine() })
  const own = Array.from({ length: PRODUCTS }, (_, n) => n)
  const entries = [
    ...[entryOf('shared', null), entryOf('shared-limited', STOCK)],
    ...own.flatMap(n => [entryOf(`own-${n}`, null), entryOf(`own-limited-${n}`, STOCK)]),
  ]
  await db.write(async tx => {
    for (const entry of entries) await writeRecord(tx, { kind: 'product', entry })
  })
  const { users } = db.tables
  const fans = await db.read.select({ id: users.id }).from(users)
  for (let first = 0; first < fans.length; first += BATCH)
    await db.write(async tx => {
      for (const { id: userId } of fans.slice(first, first + BATCH)) {
        const ledger = await lockCash(tx, { userId, currency: CURRENCY })
        await ledger.append({ delta: BALANCE, reason: 'top_up', ref: `bench-${userId}` })
      }
    })
  await db.close()
}
