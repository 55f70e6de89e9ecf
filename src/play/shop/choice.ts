/** What a cart chooses, under the locks of its stock. */
import type { Transaction } from '../../../db/index.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { POINTS } from '../purchases/purchase.ts'
import type { Cart } from './order-schema.ts'
import { shopProblems } from './problems.ts'
import { type ProductRow, readProducts, readVariants } from './products.ts'
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
  // PostgreSQL reads the products after the locks: an import waits for them, so prices and stock are consistent.
  const [{ now, variants }, products] = await Promise.all([
    lockStock(tx, chosen),
    readProducts(tx, [...new Set(chosen.map(({ productId }) => productId))]),
  ])
  const byId = new Map(products.map(row => [row.id, row]))
  const found = chosen.map(line => {
    const product = byId.get(line.productId)
    if (!product) throw new DomainError(shopProblems.product_not_found)
    if (!variants.get(nameOfVariant(line))?.listed) throw noVariant(product.id)
    return { ...line, product }
  })
  for (const { productId, product } of found)
    if (!isActive(product, now)) throw new DomainError(shopProblems.product_inactive, { productId })
  return { lines: found, products, currency: currencyOf(products), now, variants }
}

/** The variant may be absent for a product with only one. @throws DomainError `product_not_found`, `validation_failed` */
async function chooseVariants(tx: Transaction, lines: Cart['lines']): Promise<ChosenLine[]> {
  const unnamed = lines.flatMap(({ productId, variantId }) => (variantId === undefined ? productId : []))
  const listed = await readVariants(tx, [...new Set(unnamed)])
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const chosen = lines.map(({ productId, variantId, quantity }, index) => {
    const [first, ...others] = listed.get(productId) ?? []
    if (variantId === undefined && others.length > 0)
      errors.push({ pointer: `/lines/${index}/variantId`, message: 'is required: the product has several' })
    const id = variantId ?? first?.id
    if (id === undefined) throw new DomainError(shopProblems.product_not_found)
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

function currencyOf(products: ProductRow[]): string {
  const [currency = POINTS, ...others] = new Set(products.map(({ priceCurrency }) => priceCurrency))
  if (others.length > 0) throw new DomainError(shopProblems.mixed_currencies)
  return currency
}
