import { availabilityMembers, EntrySlug, Line, Maybe, PictureUrl } from '../../club/catalogue/entry-schema.ts'
import { Text } from '../../club/catalogue/texts.ts'
import { Closed, Integer } from '../../core/schemas.ts'
import type { Static } from '../../core/typebox.ts'
import { RequiresEntry } from '../eligibility/requires.ts'

/** A reward in a catalogue file. */
export const RewardEntry = Closed(
  {
    id: EntrySlug('Slug of the reward.'),
    title: Text(100, 'What fans see.'),
    description: Text(2000, 'What the reward is, and how a fan gets it.'),
    imageUrl: Maybe(PictureUrl('Picture of it.')),
    itemType: Line(50, 'Kind of item: any text.'),
    pointsRequired: Integer({
      minimum: 0,
      description: 'Points required for a claim, which does not spend them.',
    }),
    stock: Maybe(
      Integer({
        minimum: 0,
        description: 'Total number of units, claimed ones included. Null: no limit.',
      }),
    ),
    requires: Maybe(RequiresEntry('What else a fan needs for a claim.')),
    ...availabilityMembers,
  },
  { title: 'Reward' },
)
export type RewardEntry = Static<typeof RewardEntry>
