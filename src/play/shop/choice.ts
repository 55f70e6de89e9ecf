/** What a cart chooses, under the locks of its stock. */
import type { Transaction } from '../../../db/index.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { POINTS } from '../purchases/purchase.ts'
import { type ProductRow, readProducts, readVariants } from './catalogue.ts'
import type { Cart } from './order-schema.ts'
import { shopProblems } from './problems.ts'
import { type LockedStock, lockStock, nameOfVariant, type VariantReference } from './stock.ts'
import { lockVoucherByText } from './vouchers.ts'

export interface ChosenLine extends VariantReference {
  quantity: number
}

interface FoundLine extends ChosenLine {
  product: ProductRow
}

/** What the cart asks for, as it is under the locks of the stock. */
export interface Choice extends LockedStock {
  lines: FoundLine[]
  products: ProductRow[]
  currency: string
}

/** @throws DomainError `product_not_found`, `product_inactive`, `mixed_currencies`, `validation_failed` */
export async function choose(tx: Transaction, { lines, voucher }: Cart): Promise<Choice> {
  const chosen = await chooseVariants(tx, lines)
  if (voucher !== undefined) await lockVoucherByText(tx, voucher)
  const { now, variants } = await lockStock(tx, chosen)
  // Read after the locks: an import of these products waits for them, so prices and stock are consistent.
  const products = await requireProducts(tx, lines, now)
  const found = chosen.map(line => {
    const [product, variant] = [products.get(line.productId), variants.get(nameOfVariant(line))]
    if (!product || !variant?.listed) throw new DomainError(shopProblems.product_not_found)
    return { ...line, product }
  })
  const all = [...products.values()]
  return { lines: found, products: all, currency: currencyOf(all), now, variants }
}

/** The variant may be absent for a product with only one. @throws DomainError `product_not_found`, `validation_failed` */
async function chooseVariants(tx: Transaction, lines: Cart['lines']): Promise<ChosenLine[]> {
  const listed = await readVariants(tx, [...new Set(lines.map(({ productId }) => productId))])
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const chosen = lines.map(({ productId, variantId, quantity }, index) => {
    const variants = listed.get(productId)
    const [first, ...others] = variants ?? []
    if (!variants || !first) throw new DomainError(shopProblems.product_not_found)
    if (variantId === undefined && others.length > 0)
      errors.push({ pointer: `/lines/${index}/variantId`, message: 'is required: the product has several' })
    const id = variantId ?? first.id
    if (!variants.some(variant => variant.id === id)) throw noVariant(productId)
    const line = { productId, variantId: id, quantity }
    if (seen.has(nameOfVariant(line)))
      errors.push({ pointer: `/lines/${index}`, message: 'must not have the variant of another line' })
    seen.add(nameOfVariant(line))
    return line
  })
  if (errors.length > 0) throw invalid(errors)
  return chosen
}

export const invalid = (errors: FieldError[]) =>
  new DomainError(transportProblems.validation_failed, { errors })

const noVariant = (productId: string) =>
  new DomainError(shopProblems.product_not_found, { detail: `The product ${productId} has no such variant.` })

/** By id. @throws DomainError `product_not_found`, `product_inactive` */
async function requireProducts(tx: Transaction, lines: Cart['lines'], now: Date) {
  const rows = await readProducts(tx, [...new Set(lines.map(({ productId }) => productId))])
  const products = new Map(rows.map(row => [row.id, row]))
  for (const { productId } of lines) {
    const product = products.get(productId)
    if (!product) throw new DomainError(shopProblems.product_not_found)
    if (!isActive(product, now)) throw new DomainError(shopProblems.product_inactive, { productId })
  }
  return products
}

function currencyOf(products: ProductRow[]): string {
  const [currency = POINTS, ...others] = new Set(products.map(({ priceCurrency }) => priceCurrency))
  if (others.length > 0) throw new DomainError(shopProblems.mixed_currencies)
  return currency
}
