import { availabilityMembers, EntrySlug, Maybe, PictureUrl } from '../../club/catalogue/entry-schema.ts'
import { Text } from '../../club/catalogue/texts.ts'
import { SponsorId } from '../../club/sponsors/sponsorship.ts'
import { Closed, Integer, OneOf, Slug } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { RequiresEntry } from '../eligibility/requires.ts'
import { TaxRate } from '../purchases/tax-rate.ts'
import { Delivers } from './delivers.ts'

export const PRODUCT_KINDS = ['physical', 'digital', 'voucher', 'pack'] as const

const VariantEntry = Closed(
  {
    id: Slug('Slug of the variant, unique within the product.'),
    name: Text(100, 'What fans see, such as a size.'),
    sku: Maybe(Type.String({ minLength: 1, maxLength: 64, description: 'Stock keeping unit of the club.' })),
    stock: Maybe(
      Integer({ minimum: 0, description: 'Total number of units, sold ones included. Null: no limit.' }),
    ),
  },
  { title: 'ProductVariant' },
)

/** A product in a catalogue file. */
export const ProductEntry = Closed(
  {
    id: EntrySlug('Slug of the product.'),
    name: Text(100, 'What fans see.'),
    description: Text(2000, 'What it is.'),
    images: Type.Optional(
      Type.Array(PictureUrl('A picture of it.'), { maxItems: 10, default: [], description: 'Pictures.' }),
    ),
    category: Slug('Category, by which the list can be filtered.'),
    kind: OneOf(PRODUCT_KINDS, { description: 'How it is delivered.' }),
    price: Closed({
      amount: Integer({ minimum: 0, description: 'Points, or minor units of the currency.' }),
      currency: Type.String({
        pattern: '^(POINTS|[A-Z]{3})$',
        description: 'POINTS, or ISO 4217.',
        errorNoun: 'POINTS or a currency like EUR',
      }),
    }),
    taxRate: Maybe(TaxRate),
    variants: Type.Array(VariantEntry, {
      minItems: 1,
      maxItems: 100,
      description: 'In the order of the list.',
    }),
    maxPerFan: Maybe(
      Integer({ minimum: 1, description: 'Units of all variants that a fan can buy. Null: no limit.' }),
    ),
    shipsTo: Maybe(
      Type.Array(Type.String({ pattern: '^[A-Z]{2}$', errorNoun: 'a country like GB' }), {
        minItems: 1,
        maxItems: 250,
        description: 'Countries, ISO 3166-1 alpha-2 or XK. Null: all countries.',
      }),
    ),
    delivers: Maybe(Delivers),
    requires: Maybe(RequiresEntry('What a fan needs to buy it.')),
    sponsorId: SponsorId,
    ...availabilityMembers,
  },
  { title: 'Product' },
)
export type ProductEntry = Static<typeof ProductEntry>
