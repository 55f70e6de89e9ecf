/** Buys packs with points, opens packs, and verifies each draw against the commitment that was published before. */
import { type Commitment, type Proof, verifyDraw } from '@matchday/client'
import {
  type Card,
  completePurchase,
  openPack,
  orNull,
  readPack,
  readProof,
  readPurchase,
  startPurchase,
  type UserPack,
} from './api.ts'
import { text } from './lang/lang.ts'

export interface Drawn {
  userPackId: string
  /** The serial number is known only for packs that this page has opened, since a proof has none. */
  items: (Pick<Card, 'id' | 'name' | 'description' | 'imageUrl' | 'rarity'> & { serialNumber?: number })[]
  proof: Proof
  /** The commitment that the purchase published. */
  commitment: Commitment
  /** Whether the draw follows from the published commitment. */
  holds: boolean
}

/** Opened by this page. */
const opened = new Map<string, Drawn>()

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
  const drawn = { userPackId, items, proof, commitment, holds }
  opened.set(userPackId, drawn)
  return drawn
}

/** The items of an opened pack, verified again. */
export async function readDrawn({ id: userPackId, packId, purchaseId }: UserPack): Promise<Drawn> {
  const known = opened.get(userPackId)
  if (known) return known
  const [proof, commitment, pack] = await Promise.all([
    readProof(userPackId),
    readPurchase(purchaseId),
    orNull(readPack(packId), 'pack_not_found'),
  ])
  const { holds } = await verifyDraw(proof, commitment)
  const rarities = new Map(proof.weights.map(({ id, rarity }) => [id, rarity]))
  const items = proof.items.map(
    itemId => pack?.items.find(({ id }) => id === itemId) ?? nameless(itemId, rarities.get(itemId)),
  )
  return { userPackId, items, proof, commitment, holds }
}

/** A card that the club has withdrawn. */
const nameless = (id: string, rarity = '') => ({ id, name: id, description: '', imageUrl: null, rarity })
