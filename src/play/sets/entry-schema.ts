import { Active, EntrySlug, Maybe } from '../../club/catalogue/entry-schema.ts'
import { Text } from '../../club/catalogue/texts.ts'
import { Closed, Integer } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'

/** A set of collectibles in a catalogue file. */
export const SetEntry = Closed(
  {
    id: EntrySlug('Slug of the set.'),
    name: Text(100, 'What fans see.'),
    collectibleIds: Type.Array(EntrySlug('Slug of a collectible.'), {
      minItems: 1,
      maxItems: 200,
      uniqueItems: true,
      description: 'A fan who owns an item of each completes the set.',
    }),
    reward: Type.Optional(
      Closed(
        {
          points: Type.Optional(
            Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Points. Default: 0.' }),
          ),
          rewardId: Maybe(EntrySlug('Slug of a reward, which is claimed for the fan.')),
        },
        { title: 'SetReward', description: 'What completing the set gives, once per fan.' },
      ),
    ),
    active: Active,
  },
  { title: 'Set' },
)
export type SetEntry = Static<typeof SetEntry>
