import { Closed, Instant, Integer, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

const SetCollectible = Closed(
  {
    id: Type.String({ description: 'Slug of the collectible.' }),
    name: Type.String({ description: 'Name of the collectible.' }),
    imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
    rarity: Type.String({ description: 'Rarity: any text of the catalogue.', examples: ['rare'] }),
    count: Integer({ minimum: 0, description: 'Number of its items that you own now.' }),
  },
  { title: 'SetCollectible' },
)

const CollectibleSet = Closed(
  {
    id: Type.String({ description: 'Slug of the set.' }),
    name: Type.String({ description: 'For the fan to read.' }),
    reward: Closed(
      {
        points: Integer({ minimum: 0, description: 'Points.' }),
        rewardId: Nullable(Type.String(), { description: 'A reward, which is claimed for the fan.' }),
      },
      { title: 'SetReward', description: 'What the fan gets once for completing the set.' },
    ),
    active: Type.Boolean({ description: 'Whether it can be completed.' }),
    collectibles: Type.Array(SetCollectible, { description: 'The collectibles of the set, in its order.' }),
    owned: Integer({ minimum: 0, description: 'Number of these collectibles that you own now.' }),
    total: Integer({ minimum: 1, description: 'Number of collectibles of the set.' }),
    completedAt: Nullable(
      Instant(
        'When you first owned all of them. Does not change if you give an item away or the set changes.',
      ),
    ),
  },
  { title: 'CollectibleSet', description: 'A set as the caller sees it.' },
)

export const Sets = Closed(
  {
    sets: Type.Array(CollectibleSet, {
      description: 'Active sets, and others that you have completed, by id.',
    }),
  },
  { title: 'Sets' },
)

export const exampleSet = {
  id: 'derby-moments',
  name: 'Derby moments',
  reward: { points: 250, rewardId: null },
  active: true,
  collectibles: [
    ...[{ id: 'goalkeeper-gloves', name: 'The keeper’s gloves', imageUrl: null, rarity: 'common', count: 2 }],
    ...[{ id: 'winning-goal', name: 'The winning goal', imageUrl: null, rarity: 'rare', count: 0 }],
  ],
  owned: 1,
  total: 2,
  completedAt: null,
}
