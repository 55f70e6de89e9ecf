import { Closed, IdReference, Instant, Integer, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

const Hash = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description })

const Owner = Closed(
  {
    state: OneOf(['active', 'erased'], { description: '`erased`: the fan has deleted the account.' }),
    handle: Nullable(Type.String(), { description: 'Null if the fan does not show it to you, or has none.' }),
  },
  { description: 'The fan who got the item.' },
)

export const Provenance = Closed(
  {
    collectibleId: Type.String({ description: 'Slug of the collectible.' }),
    serialNumber: Integer({ minimum: 1, description: 'Number of this copy.' }),
    name: Type.String({
      description: 'Name of the collectible. This member and the next two are not part of any hash.',
    }),
    imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
    rarity: Type.String({ description: 'Rarity: any text of the catalogue.' }),
    origin: Closed(
      {
        source: Type.String({
          description:
            '`pack:ID:POSITION` for a drawn item: its proof is at `/api/packs/proofs/ID`. Otherwise what gave it, such as `quest:ID:PERIOD`.',
        }),
        owner: Owner,
        at: Instant('When the item was made.'),
        hash: Hash('SHA-256 of the members except `owner`.'),
      },
      { description: 'The first link.' },
    ),
    transfers: Type.Array(
      Closed({
        sequence: Integer({ minimum: 2, description: 'Number of the link.' }),
        ref: Type.String({ description: 'What transferred the item, such as `trade:ID`.' }),
        owner: Owner,
        ownerHash: Hash('SHA-256 of a secret salt and the id of the owner.'),
        at: Instant('When the item changed owner.'),
        previousHash: Hash('The hash of the link before.'),
        hash: Hash('SHA-256 of the members except `owner`.'),
      }),
      { description: 'The changes of owner, oldest first.' },
    ),
  },
  {
    title: 'Provenance',
    description: 'The history of an item. Verify it offline: `bun run verify-provenance FILE`.',
  },
)
export type Provenance = typeof Provenance.static

export const SerialParams = Closed({
  collectibleId: IdReference('Slug of the collectible.', 'harbour-lights'),
  serialNumber: Type.String({
    pattern: '^[1-9][0-9]{0,15}$',
    description: 'Number of the copy.',
    errorNoun: 'a serial number',
    documentedAs: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [17] },
  }),
})
