import { Type } from '@sinclair/typebox'
import { Closed, Instant, Integer, NextCursor, Nullable } from '../core/schemas.ts'

const Price = Closed(
  {
    amount: Integer({ minimum: 0, description: 'Points, or minor units of the currency.' }),
    currency: Type.String({ pattern: '^(POINTS|[A-Z]{3})$', description: '`POINTS`, or ISO 4217.' }),
  },
  { title: 'Price' },
)

const packMembers = {
  id: Type.String({ description: 'Slug of the pack.' }),
  name: Type.String(),
  description: Type.String(),
  imageUrl: Nullable(Type.String()),
  price: Price,
  itemsPerPack: Integer({ minimum: 1 }),
  supply: Nullable(
    Closed({
      total: Integer({ minimum: 0 }),
      remaining: Integer({ minimum: 0, description: 'Neither sold nor held.' }),
    }),
    { description: 'Null: without limit.' },
  ),
  odds: Type.Array(
    Closed({
      rarity: Type.String(),
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
  name: Type.String(),
  description: Type.String(),
  imageUrl: Nullable(Type.String()),
  rarity: Type.String(),
}

const Share = Integer({ minimum: 1, description: 'Share in millionths.' })

export const Packs = Closed({ packs: Type.Array(Closed(packMembers, { title: 'Pack' })) }, { title: 'Packs' })

export const PackWithItems = Closed(
  {
    ...packMembers,
    items: Type.Array(Closed({ ...collectibleMembers, weight: Share }, { title: 'PackItem' })),
  },
  { title: 'PackWithItems' },
)

const UserPack = Closed(
  {
    id: Type.String(),
    packId: Type.String(),
    purchaseId: Type.String(),
    state: Type.Union([Type.Literal('sealed'), Type.Literal('opened'), Type.Literal('revoked')]),
    seedHash: Type.String({ description: 'SHA-256 of the server seed, which the proof reveals.' }),
    createdAt: Instant('When it was bought.'),
    openedAt: Nullable(Instant('When it was opened.')),
  },
  { title: 'UserPack' },
)

export const Purchase = Closed(
  {
    id: Type.String(),
    packId: Type.String(),
    status: Type.Union([
      Type.Literal('pending'),
      Type.Literal('completed'),
      Type.Literal('expired'),
      Type.Literal('cancelled', { description: 'Cancelled by the fan before it was completed.' }),
      Type.Literal('refund_due', {
        description: 'Paid too late, or after it was cancelled: the money is refunded.',
      }),
      Type.Literal('refunded'),
    ]),
    price: Price,
    seedHash: Type.String({ description: 'SHA-256 of the server seed, which the proof reveals.' }),
    termsHash: Type.String({
      description: 'SHA-256 of pack, number of items and weights, as the draw will use them.',
    }),
    createdAt: Instant('When it was started.'),
    expiresAt: Instant('When the hold expires.'),
    completedAt: Nullable(Instant('When it was completed.')),
    userPack: Nullable(UserPack),
  },
  { title: 'Purchase' },
)

export const Purchases = Closed(
  { purchases: Type.Array(Purchase), nextCursor: NextCursor },
  { title: 'Purchases' },
)

export const StartPurchase = Closed(
  { packId: Type.String({ minLength: 1, maxLength: 100 }) },
  { title: 'StartPurchase' },
)
export type StartPurchase = typeof StartPurchase.static

export const CompletePurchase = Closed(
  {
    purchaseId: Type.String({ minLength: 1, maxLength: 100 }),
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
    userPackId: Type.String({ minLength: 1, maxLength: 100 }),
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
    version: Type.Literal(1),
    userPackId: Type.String(),
    packId: Type.String(),
    itemsPerPack: Integer({ minimum: 1 }),
    weights: Type.Array(Closed({ id: Type.String(), rarity: Type.String(), weight: Share })),
    serverSeed: hex('Revealed now.'),
    seedHash: hex('SHA-256 of the server seed: promised when the purchase started.'),
    clientSeed: Type.String(),
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
      Closed({ ...collectibleMembers, serialNumber: Integer({ minimum: 1 }) }, { title: 'DrawnItem' }),
    ),
    proof: Proof,
  },
  { title: 'OpenedPack' },
)

export const UserPacks = Closed(
  { packs: Type.Array(UserPack), nextCursor: NextCursor },
  { title: 'UserPacks' },
)

export const Collection = Closed(
  {
    items: Type.Array(
      Closed(
        {
          ...collectibleMembers,
          count: Integer({ minimum: 1 }),
          serialNumbers: Type.Array(Integer({ minimum: 1 })),
        },
        { title: 'CollectedItem' },
      ),
    ),
    nextCursor: NextCursor,
  },
  { title: 'Collection' },
)

export const PackParams = Closed({ packId: Type.String({ minLength: 1, maxLength: 100 }) })
export const PurchaseParams = Closed({ purchaseId: Type.String({ minLength: 1, maxLength: 100 }) })
export const ProofParams = Closed({ userPackId: Type.String({ minLength: 1, maxLength: 100 }) })
