import { Type } from '@sinclair/typebox'
import { Closed, Id, IdReference, Instant, Integer, NextCursor, Nullable } from '../core/schemas.ts'

const Price = Closed(
  {
    amount: Integer({ minimum: 0, description: 'Points, or minor units of the currency.' }),
    currency: Type.String({ pattern: '^(POINTS|[A-Z]{3})$', description: '`POINTS`, or ISO 4217.' }),
  },
  { title: 'Price' },
)

const ItemsPerPack = Integer({ minimum: 1, description: 'How many collectibles it holds.' })
const Rarity = Type.String({ description: 'A free choice of the catalogue.', examples: ['rare'] })

const packMembers = {
  id: Type.String({ description: 'Slug of the pack.' }),
  name: Type.String({ description: 'For the fan to read.' }),
  description: Type.String({ description: 'What is in it, for the fan to read.' }),
  imageUrl: Nullable(Type.String(), { description: 'https URL.' }),
  price: Price,
  itemsPerPack: ItemsPerPack,
  supply: Nullable(
    Closed({
      total: Integer({ minimum: 0, description: 'How many there ever are.' }),
      remaining: Integer({ minimum: 0, description: 'Neither sold nor held.' }),
    }),
    { description: 'Null: without limit.' },
  ),
  odds: Type.Array(
    Closed({
      rarity: Rarity,
      probability: Type.String({
        pattern: '^[01]\\.[0-9]{6}$',
        description: 'Exact decimal; they add up to 1.',
      }),
    }),
    { description: 'For each item of the pack.' },
  ),
  active: Type.Boolean({
    description: 'On sale now: its flag is on, and now is between `startsAt` and `endsAt`.',
  }),
  startsAt: Nullable(Instant('From when it is on sale.')),
  endsAt: Nullable(Instant('Until when it is on sale.')),
}

const collectibleMembers = {
  id: Type.String({ description: 'Slug of the collectible.' }),
  name: Type.String({ description: 'For the fan to read.' }),
  description: Type.String({ description: 'What it shows, for the fan to read.' }),
  imageUrl: Nullable(Type.String(), { description: 'https URL.' }),
  rarity: Rarity,
}

const PackId = Type.String({ description: 'Slug of the pack.', examples: ['starter'] })

const Share = Integer({ minimum: 1, description: 'Share in millionths.' })

export const Packs = Closed(
  {
    packs: Type.Array(Closed(packMembers, { title: 'Pack' }), {
      description: 'On sale now, by id.',
    }),
  },
  { title: 'Packs' },
)

export const PackWithItems = Closed(
  {
    ...packMembers,
    items: Type.Array(Closed({ ...collectibleMembers, weight: Share }, { title: 'PackItem' }), {
      description: 'What a draw can give.',
    }),
  },
  { title: 'PackWithItems' },
)

const UserPack = Closed(
  {
    id: Id('The fan’s own pack; `userPackId` in requests.'),
    packId: PackId,
    purchaseId: Id('The purchase that it came from.'),
    state: Type.Union([Type.Literal('sealed'), Type.Literal('opened'), Type.Literal('revoked')], {
      description: '`revoked`: its purchase was refunded before it was opened.',
    }),
    seedHash: Type.String({ description: 'SHA-256 of the server seed, which the proof reveals.' }),
    createdAt: Instant('When it was bought.'),
    openedAt: Nullable(Instant('When it was opened.')),
  },
  { title: 'UserPack' },
)

export const Purchase = Closed(
  {
    id: Id('The purchase; `purchaseId` in requests.'),
    packId: PackId,
    status: Type.Union(
      [
        Type.Literal('pending'),
        Type.Literal('completed'),
        Type.Literal('expired'),
        Type.Literal('cancelled'),
        Type.Literal('refund_due'),
        Type.Literal('refunded'),
      ],
      {
        description:
          '`cancelled`: by the fan, before it was completed. `refund_due`: paid too late, or after it was cancelled; the money is refunded.',
      },
    ),
    price: Price,
    seedHash: Type.String({ description: 'SHA-256 of the server seed, which the proof reveals.' }),
    termsHash: Type.String({
      description: 'SHA-256 of pack, number of items and weights, as the draw will use them.',
    }),
    createdAt: Instant('When it was started.'),
    expiresAt: Instant('When the hold expires.'),
    completedAt: Nullable(Instant('When it was completed.')),
    userPack: Nullable(UserPack, { description: 'What was bought; null until the purchase is completed.' }),
  },
  { title: 'Purchase' },
)

export const Purchases = Closed(
  { purchases: Type.Array(Purchase, { description: 'Newest first.' }), nextCursor: NextCursor },
  { title: 'Purchases' },
)

export const StartPurchase = Closed(
  { packId: IdReference('The `id` of the pack.', 'starter') },
  { title: 'StartPurchase' },
)
export type StartPurchase = typeof StartPurchase.static

export const CompletePurchase = Closed(
  {
    purchaseId: IdReference('The `id` of the purchase.'),
    paymentReference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'What the payment gateway gave you. Not for points.',
      }),
    ),
  },
  { title: 'CompletePurchase' },
)
export type CompletePurchase = typeof CompletePurchase.static

export const OpenPack = Closed(
  {
    userPackId: IdReference('The `id` of the fan’s own pack.'),
    clientSeed: Type.Optional(
      Type.String({ maxLength: 100, description: 'Your part of the draw: any text. Empty when left out.' }),
    ),
  },
  { title: 'OpenPack' },
)
export type OpenPack = typeof OpenPack.static

const hex = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description })

export const Proof = Closed(
  {
    version: Type.Literal(1, { description: 'Of this form of proof.' }),
    userPackId: Id('The pack that was opened.'),
    packId: PackId,
    itemsPerPack: ItemsPerPack,
    weights: Type.Array(
      Closed({ id: Type.String({ description: 'Slug of the collectible.' }), rarity: Rarity, weight: Share }),
      { description: 'What the draw chose from, in this order.' },
    ),
    serverSeed: hex('Revealed now.'),
    seedHash: hex('SHA-256 of the server seed: promised when the purchase started.'),
    clientSeed: Type.String({ description: 'What the fan gave when opening; empty when nothing.' }),
    termsHash: hex('SHA-256 of the canonical terms.'),
    items: Type.Array(Type.String(), { description: 'Drawn collectibles, by index.' }),
    digest: hex('SHA-256 over all the other members.'),
  },
  { title: 'Proof', description: 'Verify it offline: `bun run verify-draw PROOF.json`.' },
)

export const OpenedPack = Closed(
  {
    userPack: UserPack,
    items: Type.Array(
      Closed(
        {
          ...collectibleMembers,
          serialNumber: Integer({ minimum: 1, description: 'Counts all that were ever drawn of it.' }),
        },
        { title: 'DrawnItem' },
      ),
      { description: 'In the order of the draw.' },
    ),
    proof: Proof,
  },
  { title: 'OpenedPack' },
)

export const UserPacks = Closed(
  { packs: Type.Array(UserPack, { description: 'Newest first.' }), nextCursor: NextCursor },
  { title: 'UserPacks' },
)

export const Collection = Closed(
  {
    items: Type.Array(
      Closed(
        {
          ...collectibleMembers,
          count: Integer({ minimum: 1, description: 'How many the fan has.' }),
          serialNumbers: Type.Array(Integer({ minimum: 1 }), { description: 'Of each of them, ascending.' }),
        },
        { title: 'CollectedItem' },
      ),
      { description: 'Each collectible once.' },
    ),
    nextCursor: NextCursor,
  },
  { title: 'Collection' },
)

export const PackParams = Closed({ packId: IdReference('The `id` of the pack.', 'starter') })
export const PurchaseParams = Closed({ purchaseId: IdReference('The `id` of the purchase.') })
export const ProofParams = Closed({ userPackId: IdReference('The `id` of the opened pack.') })
