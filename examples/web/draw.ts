/** Buys packs with points, opens packs, and verifies each draw against what was published before it. */
import { type Commitment, verifyDraw } from '@matchday/client'
import {
  completePurchase,
  type OpenedPack,
  openPack,
  readPurchase,
  startPurchase,
  type UserPack,
} from './api.ts'
import { text } from './lang/lang.ts'

export interface Drawn {
  userPackId: string
  items: OpenedPack['items']
  /** Whether the draw follows from what was published. */
  holds: boolean
}

/** `key` names the intent: the same key buys and opens the same pack again. */
export async function buyPack(packId: string, key: string): Promise<Drawn> {
  const purchase = await startPurchase(packId, `${key}:start`)
  const { userPack } = await completePurchase({ purchaseId: purchase.id }, `${key}:complete`)
  if (!userPack) throw new Error(text.states.failed)
  return open(userPack.id, purchase, key)
}

export async function openSealed({ id, purchaseId }: UserPack, key: string): Promise<Drawn> {
  return open(id, await readPurchase(purchaseId), key)
}

/** The seed of this browser is part of the draw, so that the server alone cannot choose it. */
async function open(userPackId: string, commitment: Commitment, key: string): Promise<Drawn> {
  const { items, proof } = await openPack({ userPackId, clientSeed: key }, `${key}:open`)
  const { holds } = await verifyDraw(proof, commitment)
  return { userPackId, items, holds }
}
