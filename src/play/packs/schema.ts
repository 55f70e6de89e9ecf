import { ShownSponsorId } from '../../club/sponsors/sponsorship.ts'
import { Closed, Id, IdReference, Instant, Integer, NextCursor, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { BlockedBy, ShownRequires } from '../eligibility/requires.ts'
import { PaymentReference, StoreGateway } from '../purchases/gateways/gateway.ts'

const Price = Closed(
  {
    amount: Integer({ minimum: 0, description: 'Points, or minor units of the currency.' }),
    currency: Type.String({ pattern: '^(POINTS|[A-Z]{3})$', description: '`POINTS`, or ISO 4217.' }),
  },
  { title: 'Price' },
)

const ItemsPerPack = Integer({ minimum: 1, description: 'Number of collectibles in the pack.' })
const Rarity = Type.String({ description: 'Rarity: any text of the catalogue.', examples: ['rare'] })

const packMembers = {
  id: Type.String({ description: 'Slug of the pack.' }),
  name: Type.String({ description: 'Name of the pack.' }),
  description: Type.String({ description: 'Description of the contents.' }),
  imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
  price: Price,
  itemsPerPack: ItemsPerPack,
  supply: Nullable(
    Closed({
      total: Integer({ minimum: 0, description: 'Total number of packs.' }),
      remaining: Integer({ minimum: 0, description: 'Number of packs neither sold nor held.' }),
    }),
    { description: 'Null: no limit.' },
  ),
  odds: Type.Array(
    Closed({
      rarity: Rarity,
      probability: Type.String({
        pattern: '^[01]\\.[0-9]{6}$',
        description: 'Probability as an exact decimal. Those of a pack add up to 1.',
      }),
    }),
    { description: 'Probability of each rarity, for each item that is drawn.' },
  ),
  sponsorId: ShownSponsorId,
  requires: ShownRequires('Requirements for buying it. All of them must be met.'),
  blockedBy: BlockedBy(
    'Requirements in `requires` that you do not meet: the problem codes of a purchase made now, in the order of the checks.',
  ),
  tradable: Type.Boolean({ description: 'Whether fans can trade what it gives.' }),
  active: Type.Boolean({
    description: 'On sale now: its flag is on, and now is between `startsAt` and `endsAt`.',
  }),
  startsAt: Nullable(Instant('When the sale starts.')),
  endsAt: Nullable(Instant('When the sale ends.')),
}

const collectibleMembers = {
  id: Type.String({ description: 'Slug of the collectible.' }),
  name: Type.String({ description: 'Name of the collectible.' }),
  description: Type.String({ description: 'Description of the collectible.' }),
  imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
  rarity: Rarity,
}

const PackId = Type.String({ description: 'Slug of the pack.', examples: ['starter'] })

const Share = Integer({ minimum: 1, description: 'Probability in millionths.' })

export const Packs = Closed(
  {
    packs: Type.Array(Closed(packMembers, { title: 'Pack' }), {
      description: 'The packs on sale, ordered by id.',
    }),
  },
  { title: 'Packs' },
)

export const PackWithItems = Closed(
  {
    ...packMembers,
    items: Type.Array(Closed({ ...collectibleMembers, weight: Share }, { title: 'PackItem' }), {
      description: 'The items that can be drawn.',
    }),
  },
  { title: 'PackWithItems' },
)

const UserPack = Closed(
  {
    id: Id('Id of the fan’s pack: the `userPackId` in requests.'),
    packId: PackId,
    purchaseId: Id('Id of the purchase of this pack.'),
    state: OneOf(['sealed', 'opened', 'revoked'], {
      description: '`revoked`: its purchase was refunded before it was opened.',
    }),
    seedHash: Type.String({ description: 'SHA-256 of the server seed, which the proof reveals.' }),
    createdAt: Instant('When the pack was bought.'),
    openedAt: Nullable(Instant('When the pack was opened.')),
  },
  { title: 'UserPack' },
)

export const Purchase = Closed(
  {
    id: Id('Id of the purchase: the `purchaseId` in requests.'),
    packId: PackId,
    status: OneOf(['pending', 'completed', 'expired', 'cancelled', 'refund_due', 'refunded'], {
      description:
        '`cancelled`: by the fan, before it was completed. `refund_due`: paid too late, or after it was cancelled; the money is refunded.',
    }),
    price: Price,
    seedHash: Type.String({ description: 'SHA-256 of the server seed, which the proof reveals.' }),
    termsHash: Type.String({
      description: 'SHA-256 of the terms of the draw: pack, number of items and weights.',
    }),
    createdAt: Instant('When the purchase was started.'),
    expiresAt: Instant('When the hold expires.'),
    completedAt: Nullable(Instant('When the purchase was completed.')),
    userPack: Nullable(UserPack, {
      description: 'The pack that was bought; null until the purchase is completed.',
    }),
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

export const PreparePayment = Closed(
  {
    purchaseId: IdReference('The `id` of the purchase.'),
    method: Type.Optional(
      OneOf(['gateway', 'cash'], {
        description: 'How the fan pays: through a payment gateway, or with the cash of their account.',
        default: 'gateway',
      }),
    ),
    gateway: Type.Optional(StoreGateway),
  },
  { title: 'PreparePayment' },
)
export type PreparePayment = typeof PreparePayment.static

export const CompletePurchase = Closed(
  {
    purchaseId: IdReference('The `id` of the purchase.'),
    paymentReference: Type.Optional(PaymentReference),
  },
  { title: 'CompletePurchase' },
)
export type CompletePurchase = typeof CompletePurchase.static

export const OpenPack = Closed(
  {
    userPackId: IdReference('The `id` of the fan’s pack.'),
    clientSeed: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Any text, which the draw uses as a seed. Empty by default.',
      }),
    ),
  },
  { title: 'OpenPack' },
)
export type OpenPack = typeof OpenPack.static

const hex = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description })

export const Proof = Closed(
  {
    version: Type.Literal(1, { description: 'Version of the proof’s format.' }),
    userPackId: Id('Id of the opened pack.'),
    packId: PackId,
    itemsPerPack: ItemsPerPack,
    weights: Type.Array(
      Closed({ id: Type.String({ description: 'Slug of the collectible.' }), rarity: Rarity, weight: Share }),
      { description: 'The items that could be drawn, in the order of the draw.' },
    ),
    serverSeed: hex('Revealed now.'),
    seedHash: hex('SHA-256 of the server seed, published when the purchase started.'),
    clientSeed: Type.String({
      description: 'The seed that the fan sent when opening the pack; may be empty.',
    }),
    termsHash: hex('SHA-256 of the canonical terms.'),
    items: Type.Array(Type.String(), { description: 'Drawn collectibles, by index.' }),
    digest: hex('SHA-256 over all the other members.'),
  },
  { title: 'Proof', description: 'Verify it offline: `bun run verify-draw PROOF.json`.' },
)
export type Proof = typeof Proof.static

export const OpenedPack = Closed(
  {
    userPack: UserPack,
    items: Type.Array(
      Closed(
        {
          ...collectibleMembers,
          serialNumber: Integer({ minimum: 1, description: 'Number of this copy among all copies drawn.' }),
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
          count: Integer({ minimum: 1, description: 'Number of copies that the fan has.' }),
          serialNumbers: Type.Array(Integer({ minimum: 1 }), { description: 'Serial numbers, ascending.' }),
          resting: Type.Array(
            Closed({
              serialNumber: Integer({ minimum: 1, description: 'One of `serialNumbers`.' }),
              until: Instant('When it can be traded again.'),
            }),
            { description: 'Copies that cannot be traded yet, because they changed owner a short time ago.' },
          ),
          untradable: Type.Array(Integer({ minimum: 1 }), {
            description:
              'Those of `serialNumbers` that cannot be traded, since they are of a pack that is not `tradable`.',
          }),
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
