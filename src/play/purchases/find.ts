import type { Reader } from '../../../db/index.ts'
import type { PurchaseKind } from './kind.ts'
import type { Purchase } from './purchase.ts'

/** A purchase of any of these kinds: ids are unique among all kinds. */
export async function findOfKinds(reader: Reader, kinds: readonly PurchaseKind[], id: string) {
  for (const kind of kinds) {
    const purchase: Purchase | undefined = await kind.find(reader, id)
    if (purchase) return { kind, purchase }
  }
  return undefined
}
