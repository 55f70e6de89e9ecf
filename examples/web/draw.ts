/** Buys and opens packs, and verifies each draw against what was published before it. */
import {
  ApiError,
  completePurchase,
  type OpenedPack,
  openPack,
  readPurchase,
  startPurchase,
  type UserPack,
} from './api.ts'
import { type Commitment, type Flaw, findFlaw } from './proof.ts'

export interface Drawn {
  userPackId: string
  items: OpenedPack['items']
  /** Null when the draw follows from what was published. */
  flaw: Flaw | null
}

/** `key` names the intent: the same key buys and opens the same pack again. */
export async function buyPack(packId: string, key: string): Promise<Drawn> {
  const purchase = await startPurchase(packId, `${key}:start`)
  const { userPack } = await completePurchase(purchase.id, `${key}:complete`)
  if (!userPack) throw new ApiError('unexpected_response', 502, 'A completed purchase has a pack.')
  return open(userPack.id, purchase, key)
}

export async function openSealed({ id, purchaseId }: UserPack, key: string): Promise<Drawn> {
  return open(id, await readPurchase(purchaseId), key)
}

/** The seed of this browser is part of the draw, so that the server alone cannot choose it. */
async function open(userPackId: string, commitment: Commitment, key: string): Promise<Drawn> {
  const { items, proof } = await openPack({ userPackId, clientSeed: key }, `${key}:open`)
  return { userPackId, items, flaw: await findFlaw(proof, commitment) }
}
