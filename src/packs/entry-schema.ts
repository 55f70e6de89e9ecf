import { type Static, Type } from '@sinclair/typebox'
import { availabilityMembers, EntrySlug, HttpsUrl, Line, Maybe } from '../catalogue/entry-schema.ts'
import { Closed, Integer } from '../core/schemas.ts'

/** What a pack may hold. A collectible is described in one pack at least; elsewhere its id and weight are enough. */
export const PackItemEntry = Closed(
  {
    id: EntrySlug('Slug of the collectible.'),
    weight: Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Share in millionths; those of a pack add up to 1000000.',
    }),
    name: Type.Optional(Line(100, 'What fans see.')),
    description: Type.Optional(Line(2000, 'What it shows.')),
    imageUrl: Maybe(HttpsUrl('Picture of it.')),
    rarity: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9_-]{0,29}$',
        description: 'Such as common or legendary; it never changes.',
        errorNoun: 'a rarity: at most 30 of a-z, 0-9, "_" and "-"',
      }),
    ),
  },
  { title: 'PackItem' },
)
export type PackItemEntry = Static<typeof PackItemEntry>

/** A pack as an importer states it. */
export const PackEntry = Closed(
  {
    id: EntrySlug('Slug of the pack.'),
    name: Line(100, 'What fans see.'),
    description: Line(2000, 'What is in it.'),
    imageUrl: Maybe(HttpsUrl('Picture of it.')),
    price: Closed({
      amount: Integer({ minimum: 0, description: 'Points, or minor units of the currency.' }),
      currency: Type.String({
        pattern: '^(POINTS|[A-Z]{3})$',
        description: 'POINTS, or ISO 4217.',
        errorNoun: 'POINTS or a currency like EUR',
      }),
    }),
    itemsPerPack: Integer({ minimum: 1, maximum: 100, description: 'How many are drawn.' }),
    supply: Maybe(
      Integer({ minimum: 0, description: 'Packs in all, those sold already included. Null: without limit.' }),
    ),
    items: Type.Array(PackItemEntry, { minItems: 1, maxItems: 1000 }),
    ...availabilityMembers,
  },
  { title: 'Pack' },
)
export type PackEntry = Static<typeof PackEntry>
