/** What a product requires of the fan who buys it. Each requirement of a product is checked here, and nowhere else. */

import type { Database, Transaction } from '../../../db/index.ts'
import type { Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { readBalance } from '../../economy/points/account.ts'
import { insufficientPoints } from '../../economy/points/ledger.ts'
import { pointsProblems } from '../../economy/points/problems.ts'
import { ownsCollectible } from '../packs/ownership.ts'
import type { Chains } from '../wallets/chains.ts'
import { type Held, readHeld, requireHolder } from '../wallets/holdings.ts'
import { type ProductRow, readProducts } from './catalogue.ts'
import type { Cart } from './order-schema.ts'
import { shopProblems } from './problems.ts'

/** Before the unit of work: asks the chain what the fan holds, if products of the cart require tokens. */
export async function readHeldForCart(
  { db: { read }, chains }: { db: Database; chains: Chains },
  { userId }: Viewer,
  { lines }: Cart,
): Promise<Held | undefined> {
  const products = await readProducts(read, [...new Set(lines.map(({ productId }) => productId))])
  const requirements = new Set(products.flatMap(({ requiredHolding }) => requiredHolding ?? []))
  return readHeld({ read, chains }, userId, requirements)
}

/**
 * `held`: of `readHeldForCart`.
 * @throws DomainError `insufficient_points` (lifetime points), `collectible_required`, `not_a_holder`, `chain_unavailable`
 */
export async function requireFulfilled(
  tx: Transaction,
  userId: string,
  product: ProductRow,
  held: Held | undefined,
): Promise<void> {
  const { requiredPoints, requiredCollectibleId: collectibleId, requiredHolding } = product
  if (requiredPoints !== null) {
    const { lifetime } = await readBalance(tx, userId)
    if (lifetime < requiredPoints) throw insufficientPoints(requiredPoints, lifetime)
  }
  if (collectibleId !== null && !(await ownsCollectible(tx, userId, collectibleId)))
    throw new DomainError(shopProblems.collectible_required, { productId: product.id, collectibleId })
  if (requiredHolding !== null) await requireHolder(tx, userId, requiredHolding, held)
}
requireFulfilled.problems = [
  pointsProblems.insufficient_points,
  shopProblems.collectible_required,
  ...requireHolder.problems,
] as const
