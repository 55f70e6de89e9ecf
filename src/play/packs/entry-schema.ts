import { availabilityMembers, EntrySlug, Maybe, PictureUrl } from '../../club/catalogue/entry-schema.ts'
import { Text } from '../../club/catalogue/texts.ts'
import { SponsorId } from '../../club/sponsors/sponsorship.ts'
import { Closed, Integer } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { RequiresEntry } from '../eligibility/requires.ts'
import { TaxRate } from '../purchases/tax-rate.ts'

/** An item of a pack. At least one pack describes each collectible; other packs may give only id and weight. */
export const PackItemEntry = Closed(
  {
    id: EntrySlug('Slug of the collectible.'),
    weight: Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Share in millionths; those of a pack add up to 1000000.',
    }),
    name: Type.Optional(Text(100, 'What fans see.')),
    description: Type.Optional(Text(2000, 'What it shows.')),
    imageUrl: Maybe(PictureUrl('Picture of it.')),
    rarity: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9_-]{0,29}$',
        description: 'Rarity, such as common or legendary. It must not change.',
        errorNoun: 'a rarity: at most 30 of a-z, 0-9, "_" and "-"',
      }),
    ),
  },
  { title: 'PackItem' },
)
export type PackItemEntry = Static<typeof PackItemEntry>

/** A pack in a catalogue file. */
export const PackEntry = Closed(
  {
    id: EntrySlug('Slug of the pack.'),
    name: Text(100, 'What fans see.'),
    description: Text(2000, 'What is in it.'),
    imageUrl: Maybe(PictureUrl('Picture of it.')),
    price: Closed({
      amount: Integer({ minimum: 0, description: 'Points, or minor units of the currency.' }),
      currency: Type.String({
        pattern: '^(POINTS|[A-Z]{3})$',
        description: 'POINTS, or ISO 4217.',
        errorNoun: 'POINTS or a currency like EUR',
      }),
    }),
    taxRate: Maybe(TaxRate),
    itemsPerPack: Integer({ minimum: 1, maximum: 100, description: 'Number of items that are drawn.' }),
    supply: Maybe(
      Integer({ minimum: 0, description: 'Total number of packs, sold ones included. Null: no limit.' }),
    ),
    items: Type.Array(PackItemEntry, { minItems: 1, maxItems: 1000 }),
    requires: Maybe(RequiresEntry('What a fan needs to buy it.')),
    tradable: Maybe(Type.Boolean({ description: 'False: fans cannot trade what it gave. Default: true.' })),
    sponsorId: SponsorId,
    ...availabilityMembers,
  },
  { title: 'Pack' },
)
export type PackEntry = Static<typeof PackEntry>
