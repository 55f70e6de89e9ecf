import { Conditions, DataPointer, EventType } from '../../club/catalogue/conditions.ts'
import { availabilityMembers, EntrySlug, Maybe, PictureUrl } from '../../club/catalogue/entry-schema.ts'
import { Text } from '../../club/catalogue/texts.ts'
import { FanMember } from '../../club/segments/segment-kind.ts'
import { SponsorId } from '../../club/sponsors/sponsorship.ts'
import { Closed, Integer, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { RequiresEntry } from '../eligibility/requires.ts'

export const QuestStep = Closed(
  {
    id: EntrySlug('Slug of the step, unique within the quest.'),
    eventType: EventType('Type of the events that count.'),
    when: Type.Optional(Conditions),
    target: Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Number of events that complete the step.',
    }),
    distinctBy: Maybe(DataPointer('Counts each value at this place of the data once.')),
  },
  { title: 'QuestStep' },
)
export type QuestStep = Static<typeof QuestStep>

export const QuestReward = Closed(
  {
    points: Type.Optional(
      Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Points. Default: 0.' }),
    ),
    account: Maybe(EntrySlug('The account in which the points are kept. Null: the points that fans spend.')),
    rewardId: Maybe(EntrySlug('Slug of a reward, which is claimed for the fan.')),
    collectibleId: Maybe(EntrySlug('Slug of a collectible.')),
  },
  { title: 'QuestReward', description: 'What a completed period gives.' },
)
export type QuestReward = Static<typeof QuestReward>

const RequiredQuests = Type.Array(EntrySlug('Slug of a quest.'), {
  maxItems: 10,
  uniqueItems: true,
  description:
    'Quests that must be completed first, while the period and the quest last. Events count before that as well.',
})

const QuestRequires = Closed(
  {
    quests: Type.Optional(RequiredQuests),
    ...RequiresEntry('').properties,
  },
  { description: 'The quests, and what a fan needs to get the reward.' },
)

/** A quest, an achievement or a streak in a catalogue file. */
export const QuestEntry = Closed(
  {
    id: EntrySlug('Slug of the quest.'),
    title: Text(100, 'What fans see.'),
    description: Text(2000, 'What fans do to complete it.'),
    imageUrl: Maybe(PictureUrl('Picture of it.')),
    kind: OneOf(['quest', 'achievement', 'streak'], {
      description: 'An achievement is completed once; a streak counts the periods completed in a row.',
      errorNoun: 'quest, achievement or streak',
    }),
    steps: Type.Array(QuestStep, {
      minItems: 1,
      maxItems: 20,
      description: 'All must be completed, in any order.',
    }),
    fan: FanMember,
    period: OneOf(['once', 'day', 'week', 'month'], {
      description: 'How often it starts again: weeks start on Mondays.',
      errorNoun: 'once, day, week or month',
    }),
    timeZone: Type.Optional(
      Type.String({ maxLength: 64, default: 'UTC', description: 'IANA time zone of the periods.' }),
    ),
    graceDays: Type.Optional(
      Integer({
        minimum: 0,
        maximum: 31,
        description:
          'Days that a run of a streak may miss in all; it reaches as far back as they do. Default: 0.',
      }),
    ),
    requires: Maybe(
      Type.Union([RequiredQuests, QuestRequires], {
        description: 'A list of quests is the short form of `quests`.',
      }),
    ),
    reward: Type.Optional(QuestReward),
    claim: Type.Optional(
      OneOf(['auto', 'manual'], {
        default: 'auto',
        description: 'Whether the reward is given at once, or when the fan claims it.',
        errorNoun: 'auto or manual',
      }),
    ),
    sponsorId: SponsorId,
    ...availabilityMembers,
  },
  { title: 'Quest' },
)
export type QuestEntry = Static<typeof QuestEntry>
