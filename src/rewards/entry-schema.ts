import type { Static } from '@sinclair/typebox'
import { availabilityMembers, EntrySlug, HttpsUrl, Line, Maybe } from '../catalogue/entry-schema.ts'
import { Closed, Integer } from '../core/schemas.ts'

/** A reward as an importer states it. */
export const RewardEntry = Closed(
  {
    id: EntrySlug('Slug of the reward.'),
    title: Line(100, 'What fans see.'),
    description: Line(2000, 'What it is, and how a fan gets it.'),
    imageUrl: Maybe(HttpsUrl('Picture of it.')),
    itemType: Line(50, 'The kind of item; a free choice.'),
    pointsRequired: Integer({ minimum: 0, description: 'Points needed to claim it. A claim spends none.' }),
    stock: Maybe(
      Integer({
        minimum: 0,
        description: 'Units in all, those claimed already included. Null: without limit.',
      }),
    ),
    ...availabilityMembers,
  },
  { title: 'Reward' },
)
export type RewardEntry = Static<typeof RewardEntry>
