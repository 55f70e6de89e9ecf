/** The members of each public event that a feed shows. */
import type { PUBLIC_EVENT_TYPES } from '../../../db/schema/economy/events.ts'
import { Closed, Id, Instant, NextCursor, Nullable } from '../../core/schemas.ts'
import { type Static, type TObject, type TProperties, Type } from '../../core/typebox.ts'
import { type ApplicationEventType, applicationEvents } from '../../economy/events/types.ts'

type ShownType = (typeof PUBLIC_EVENT_TYPES)[number] & ApplicationEventType

/** Guarantee of the cast: the members with these names. */
const pick = <Members extends TProperties, const Names extends readonly (string & keyof Members)[]>(
  { properties }: TObject<Members>,
  names: Names,
) =>
  Closed(Object.fromEntries(names.map(name => [name, properties[name]])) as Pick<Members, Names[number]>, {
    description: 'What the fan did.',
  })

/** No points and no prices, and no ids of what the fan alone may use. */
const SHOWN = {
  'match.checked_in': pick(applicationEvents['match.checked_in'], ['matchId', 'homeTeamId', 'awayTeamId']),
  'pack.opened': pick(applicationEvents['pack.opened'], ['packId', 'items', 'rarities']),
  'prediction.settled': pick(applicationEvents['prediction.settled'], [
    ...(['matchId', 'predicted', 'result'] as const),
    ...(['outcome', 'difference', 'exact'] as const),
  ]),
  'quest.completed': pick(applicationEvents['quest.completed'], ['questId', 'kind', 'period', 'streak']),
  'reward.claimed': pick(applicationEvents['reward.claimed'], ['rewardId']),
  'set.completed': pick(applicationEvents['set.completed'], ['setId']),
  'trade.completed': pick(applicationEvents['trade.completed'], ['role', 'give', 'want']),
} as const satisfies Record<ShownType, TObject>

const FeedFan = Closed(
  {
    handle: Nullable(Type.String(), { description: 'Null for a fan who has chosen none.' }),
    displayName: Nullable(Type.String(), { description: 'Null if the fan does not show it to you.' }),
    avatarUrl: Nullable(Type.String(), { description: 'Null if the fan does not show it to you.' }),
  },
  { title: 'FeedFan', description: 'Who did it.' },
)

const item = <Name extends ShownType>(type: Name, title: string) =>
  Closed(
    {
      id: Id('Unique among all items.'),
      type: Type.Literal(type, { description: 'What happened.' }),
      occurredAt: Instant('When it happened.'),
      fan: FeedFan,
      data: SHOWN[type],
    },
    { title },
  )

const FeedItem = Type.Union(
  [
    item('match.checked_in', 'CheckInInFeed'),
    item('pack.opened', 'OpeningInFeed'),
    item('prediction.settled', 'PredictionInFeed'),
    item('quest.completed', 'QuestInFeed'),
    item('reward.claimed', 'ClaimInFeed'),
    item('set.completed', 'SetInFeed'),
    item('trade.completed', 'TradeInFeed'),
  ],
  {
    description:
      'An event of a fan that you follow. Later versions add types: ignore those that you do not know.',
  },
)
export type FeedItem = Static<typeof FeedItem>

export const Feed = Closed(
  { items: Type.Array(FeedItem, { description: 'Newest first.' }), nextCursor: NextCursor },
  { title: 'Feed' },
)

export const exampleFeedItem: FeedItem = {
  id: '01981e2c-7c1f-7000-8000-000000000003',
  type: 'pack.opened',
  occurredAt: '2026-08-15T18:30:00.000Z',
  fan: { handle: 'calebe', displayName: 'Calebe', avatarUrl: null },
  data: { packId: 'derby', items: ['keeper', 'derby-goal'], rarities: { common: 1, rare: 1 } },
}

interface FoundEvent {
  eventId: string
  /** Null in no public event. */
  type: string | null
  occurredAt: Date | null
  data: string | null
  handle: string | null
  displayName: string | null
  avatarUrl: string | null
  isShown: boolean
}

/** Guarantee of the cast: the application alone records these types, with the members that `applicationEvents` declares. */
export function presentFeedItem({
  eventId,
  type,
  occurredAt,
  data,
  handle,
  isShown,
  ...names
}: FoundEvent): FeedItem {
  const { displayName, avatarUrl } = isShown ? names : { displayName: null, avatarUrl: null }
  const members: Record<string, unknown> = JSON.parse(data ?? '{}')
  const { properties } = SHOWN[type as ShownType]
  // Guarantee of the cast: `recordEvent` wrote the data of this type.
  return {
    id: eventId,
    type,
    occurredAt: occurredAt?.toISOString(),
    fan: { handle, displayName, avatarUrl },
    data: Object.fromEntries(Object.keys(properties).map(name => [name, members[name]])),
  } as FeedItem
}
