/** What a product requires of the fan who buys it. Each requirement of a product is checked here, and nowhere else. */

import type { Reader } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { readBalance } from '../../economy/points/account.ts'
import { insufficientPoints } from '../../economy/points/ledger.ts'
import { pointsProblems } from '../../economy/points/problems.ts'
import { ownsCollectible } from '../packs/ownership.ts'
import type { ProductRow } from './catalogue.ts'
import { shopProblems } from './problems.ts'

/** @throws DomainError `insufficient_points` (lifetime points), `collectible_required` */
export async function requireFulfilled(reader: Reader, userId: string, product: ProductRow): Promise<void> {
  const { requiredPoints, requiredCollectibleId: collectibleId } = product
  if (requiredPoints !== null) {
    const { lifetime } = await readBalance(reader, userId)
    if (lifetime < requiredPoints) throw insufficientPoints(requiredPoints, lifetime)
  }
  if (collectibleId !== null && !(await ownsCollectible(reader, userId, collectibleId)))
    throw new DomainError(shopProblems.collectible_required, { productId: product.id, collectibleId })
}
requireFulfilled.problems = [pointsProblems.insufficient_points, shopProblems.collectible_required] as const
