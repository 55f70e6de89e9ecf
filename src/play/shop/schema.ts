import { ShownSponsorId } from '../../club/sponsors/sponsorship.ts'
import {
  Closed,
  IdReference,
  Instant,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
  Slug,
} from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { BlockedBy, ShownRequires } from '../eligibility/requires.ts'
import { ShownDelivers } from './delivers.ts'
import { PRODUCT_KINDS } from './entry-schema.ts'

const ProductVariant = Closed(
  {
    id: Type.String({ description: 'Slug of the variant, unique within the product.' }),
    name: Type.String({ description: 'What fans see, such as a size.' }),
    sku: Nullable(Type.String(), { description: 'Stock keeping unit of the club.' }),
    stockRemaining: Nullable(Integer({ minimum: 0 }), {
      description: 'Units that can be bought. Null: no limit.',
    }),
  },
  { title: 'ProductVariant' },
)

export const Price = Closed(
  {
    amount: Integer({ minimum: 0, description: 'Points, or minor units of the currency.' }),
    currency: Type.String({ pattern: '^(POINTS|[A-Z]{3})$', description: '`POINTS`, or ISO 4217.' }),
  },
  { title: 'Price' },
)

export const Product = Closed(
  {
    id: Type.String({ description: 'Slug of the product.' }),
    name: Type.String({ description: 'Name of the product.' }),
    description: Type.String({ description: 'What it is.' }),
    images: Type.Array(Type.String(), { description: 'https URLs, or paths of the API’s origin.' }),
    category: Type.String({ description: 'Slug of the category.' }),
    kind: OneOf(PRODUCT_KINDS, { description: 'How it is delivered.' }),
    variants: Type.Array(ProductVariant, { description: 'In the order of the club.' }),
    price: Price,
    lowestPrice: Nullable(Price, {
      description:
        'While the price is reduced: the lowest price of the 30 days before the reduction. Otherwise null.',
    }),
    maxPerFan: Nullable(Integer({ minimum: 1 }), {
      description: 'Units of all variants that a fan can buy. Null: no limit.',
    }),
    shipsTo: Nullable(Type.Array(Type.String()), {
      description: 'Countries, ISO 3166-1 alpha-2 or XK. Null: all countries.',
    }),
    delivers: Nullable(ShownDelivers, {
      description: 'What the fan gets with each unit. Null for products that are shipped.',
    }),
    sponsorId: ShownSponsorId,
    requires: ShownRequires('Requirements for buying it. All of them must be met.'),
    blockedBy: BlockedBy(
      'Requirements in `requires`, or of a pack that it delivers, that you do not meet: the problem codes of an order made now, in the order of the checks. For products that are shipped, the country of the order’s address decides.',
    ),
    active: Type.Boolean({
      description: 'On sale now: its flag is on, and now is between `startsAt` and `endsAt`.',
    }),
    startsAt: Nullable(Instant('When the sale starts.')),
    endsAt: Nullable(Instant('When the sale ends.')),
  },
  { title: 'Product' },
)

export const Products = Closed(
  { products: Type.Array(Product, { description: 'Ordered by id.' }), nextCursor: NextCursor },
  { title: 'Products' },
)

export const ProductsQuery = Closed({
  category: Type.Optional({ ...Slug('Only products of this category.'), examples: ['scarves'] }),
  ...PageQuery,
})
export type ProductsQuery = Static<typeof ProductsQuery>

export const ProductParams = Closed({ productId: IdReference('The `id` of the product.', 'home-scarf') })

export const exampleProduct: Static<typeof Product> = {
  id: 'home-scarf',
  name: 'Home scarf',
  description: 'Knitted, in the colours of the club.',
  images: ['/pictures/scarf.svg'],
  category: 'scarves',
  kind: 'physical',
  variants: [{ id: 'short', name: '140 cm', sku: 'SC-140', stockRemaining: 40 }],
  price: { amount: 1900, currency: 'EUR' },
  lowestPrice: null,
  maxPerFan: 2,
  shipsTo: ['GB', 'PT'],
  delivers: null,
  sponsorId: 'tideline-ferries',
  requires: { points: 100 },
  active: true,
  startsAt: null,
  endsAt: null,
}
