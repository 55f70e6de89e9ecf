/** The lowest price of the 30 days before a price was reduced (Directive 98/6/EC, Article 6a), from the history of the product. */
import type { Transaction } from '../../../db/index.ts'
import { readEntriesSince } from '../../club/catalogue/history.ts'
import type { ProductEntry } from './entry-schema.ts'
import type { ProductRow } from './products.ts'

const WINDOW_MS = 30 * 86_400_000

/**
 * The column of a product whose price becomes `price`. It is kept while the price stays, and ends when the price rises. Prices at which
 * the product was not offered do not count.
 */
export async function lowestBefore(
  tx: Transaction,
  row: ProductRow,
  { amount, currency }: ProductEntry['price'],
): Promise<Pick<ProductRow, 'lowestPriceAmount'>> {
  const { id, active, priceAmount, priceCurrency, lowestPriceAmount } = row
  if (currency === priceCurrency && amount === priceAmount) return { lowestPriceAmount }
  if (currency !== priceCurrency || amount > priceAmount) return { lowestPriceAmount: null }
  const since = new Date(tx.now().getTime() - WINDOW_MS)
  // Guarantee of the cast: the history of a product has its entries.
  const entries = (await readEntriesSince(tx, 'product', id, since)) as ProductEntry[]
  const prices = entries
    .filter(entry => entry.active !== false && entry.price.currency === currency)
    .map(({ price }) => price.amount)
  const offered = active ? [...prices, priceAmount] : prices
  return { lowestPriceAmount: offered.length === 0 ? null : Math.min(...offered) }
}
