import { ShownSponsorId } from '../../club/sponsors/sponsorship.ts'
import { Closed, IdReference, Instant, Integer, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

const Count = (description: string) => Integer({ minimum: 0, description })

const Reward = (description: string) =>
  Closed(
    {
      points: Count('Points.'),
      account: Type.Optional(
        Type.String({ description: 'The account in which they are kept. Absent for points to spend.' }),
      ),
      rewardId: Nullable(Type.String(), { description: 'A reward, which is claimed for the fan.' }),
      collectibleId: Nullable(Type.String(), { description: 'A collectible.' }),
    },
    { description },
  )

const Streak = Closed(
  {
    current: Count('Periods completed in a row, not counting days of grace; 0 when the run has ended.'),
    best: Count('Periods of the longest run.'),
    atRiskUntil: Nullable(
      Instant(
        'When the run becomes shorter, or ends, if no further period is completed. Null without a run.',
      ),
    ),
    graceLeft: Count('Days that may still be missed before the run becomes shorter.'),
  },
  { title: 'Streak' },
)

const Quest = Closed(
  {
    id: Type.String({ description: 'Slug of the quest.' }),
    title: Type.String({ description: 'For the fan to read.' }),
    description: Type.String({ description: 'For the fan to read.' }),
    imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
    kind: OneOf(['quest', 'achievement', 'streak'], {
      description: 'An achievement is completed once; a streak counts the periods completed in a row.',
    }),
    reward: Reward('What the completed period gives; fixed at the first progress in the period.'),
    claim: OneOf(['auto', 'manual'], { description: '`manual`: the fan claims the reward.' }),
    sponsorId: ShownSponsorId,
    startsAt: Nullable(Instant('When the quest starts.')),
    endsAt: Nullable(Instant('When the quest ends.')),
    period: Nullable(
      Closed({
        key: Type.String({
          description: 'A day, an ISO week or a month in the quest’s time zone.',
          examples: ['2026-W47'],
        }),
        startsAt: Instant('Inclusive.'),
        endsAt: Instant('Exclusive.'),
      }),
      { description: 'Null for a quest that does not start again.' },
    ),
    state: OneOf(['locked', 'in_progress', 'completed', 'claimed', 'expired'], {
      description:
        '`locked`: the quests in `blockedBy` must be completed first, but events already count. `completed`: the reward can be claimed, also after the period. `expired`: the period ended incomplete.',
    }),
    progress: Type.Array(
      Closed({
        stepId: Type.String({ description: 'Slug of the step.' }),
        count: Count('At most the target.'),
        target: Integer({ minimum: 1, description: 'Fixed at the first progress in the period.' }),
      }),
      { description: 'All steps.' },
    ),
    blockedBy: Type.Array(Type.String(), {
      description:
        'Quests that must be completed first; then the problem codes of a claim made now that follow from the other requirements.',
    }),
    completedAt: Nullable(Instant('When the period was completed.')),
    claimedAt: Nullable(Instant('When the reward was given.')),
    given: Nullable(
      Reward(
        'What was given: `rewardId` is null if the fan had claimed that reward before, or its stock was empty.',
      ),
      { description: 'Null until the reward is given.' },
    ),
    streak: Type.Optional(Streak),
  },
  { title: 'Quest', description: 'A period of a quest as the caller sees it.' },
)

export const Quests = Closed(
  {
    quests: Type.Array(Quest, {
      description:
        'The current period of each quest, by id; then up to 100 earlier periods to be claimed, newest first.',
    }),
  },
  { title: 'Quests' },
)

export const QuestResult = Closed({ quest: Quest }, { title: 'QuestResult' })

export const ClaimQuest = Closed(
  {
    questId: IdReference('The `id` of the quest.', 'shop-week'),
    periodKey: Type.Optional(
      IdReference('The `key` of the period. Default: the current period.', '2026-W47'),
    ),
  },
  { title: 'ClaimQuest' },
)
export type ClaimQuest = typeof ClaimQuest.static

export const exampleQuest = {
  id: 'shop-week',
  title: 'Shop twice this week',
  description: 'Two purchases in the club shop, on any days of the week.',
  imageUrl: null,
  kind: 'quest',
  reward: { points: 50, rewardId: null, collectibleId: null },
  claim: 'manual',
  sponsorId: null,
  startsAt: null,
  endsAt: null,
  period: { key: '2026-W47', startsAt: '2026-11-16T00:00:00.000Z', endsAt: '2026-11-23T00:00:00.000Z' },
  state: 'completed',
  progress: [{ stepId: 'purchases', count: 2, target: 2 }],
  blockedBy: [],
  completedAt: '2026-11-18T18:30:00.000Z',
  claimedAt: null,
  given: null,
}

export const exampleClaimed = {
  ...exampleQuest,
  state: 'claimed',
  claimedAt: '2026-11-19T08:00:00.000Z',
  given: { points: 50, rewardId: null, collectibleId: null },
}
