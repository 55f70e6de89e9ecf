/** Responses of the console about fans. */
import { AgeBandOrUnknown } from '../../../core/age-bands.ts'
import {
  Closed,
  Id,
  IdReference,
  Instant,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
  Slug,
} from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { PointsEntry, PointsHistory } from '../../../economy/points/schema.ts'
import { Consents } from '../../../fan/consents/schema.ts'
import { FanAccounts } from '../../../fan/status/schema.ts'
import { SANCTIONS } from '../../../identity/sanctions/kinds.ts'
import { REASONS } from '../../../identity/sanctions/reasons.ts'
import { Membership } from '../../../play/memberships/schema.ts'
import { SetLimits } from '../../../play/purchases/limit-schema.ts'
import { MATCHES } from './lookups.ts'
import { FAN_STATES } from './states.ts'
import { TimelineItem } from './timeline/item.ts'
import { TIMELINE_KINDS } from './timeline/kinds.ts'

export const FanSearchQuery = Closed({
  text: Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      'The beginning of a handle or of a name, or the whole of an e-mail address, a subject, a redemption or voucher code, or an id of a fan, an order, a trade, a pack, a top-up or a payment.',
    examples: ['Calebe'],
  }),
})

const States = Type.Array(OneOf(FAN_STATES), { description: 'Empty: active.' })

const FoundFan = Closed(
  {
    id: Id('The fan.'),
    provider: Type.String({ description: 'The identity provider.' }),
    subject: Nullable(Type.String(), { description: 'At the provider. Null for an erased fan.' }),
    handle: Nullable(Type.String(), { description: 'Unique among fans.' }),
    displayName: Nullable(Type.String(), { description: 'The fan’s own name.' }),
    name: Nullable(Type.String(), { description: 'The provider’s name; initials without `fans.personal`.' }),
    email: Nullable(Type.String(), { description: 'Masked without `fans.personal`.' }),
    createdAt: Instant('When the record was created.'),
    states: States,
    mergedIntoId: Nullable(Type.String(), { description: 'The fan into which this one was merged.' }),
    matches: Type.Array(
      Closed({
        by: OneOf(MATCHES, { description: 'What the text is.' }),
        exact: Type.Boolean({ description: 'False: only its beginning.' }),
      }),
      { description: 'Why the fan was found.' },
    ),
  },
  { title: 'FoundStaffFan' },
)

export const FoundFans = Closed({
  fans: Type.Array(FoundFan, { description: 'Exact matches first.' }),
  more: Type.Boolean({ description: 'Whether a longer text would find others.' }),
})

export const FanPath = Closed({ fanId: IdReference('The fan.') })

const Sanction = Closed(
  {
    id: Id('The decision.'),
    kind: OneOf(SANCTIONS),
    reason: OneOf(REASONS),
    until: Nullable(Type.String({ format: 'date-time' }), { description: 'Of a suspension.' }),
    createdAt: Instant('When it was decided.'),
    decidedBy: Nullable(Type.String(), { description: 'Null without `moderation.read`.' }),
  },
  { title: 'SanctionInForce' },
)

/** States that may prevent a fan from doing something. */
const BLOCKERS = [
  ...(['erased', 'merged', 'deleted_at_provider', 'suspended', 'hidden', 'muted'] as const),
  ...(['terms_not_accepted', 'refund_due', 'sync_deferred'] as const),
] as const

const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const FanHead = Closed(
  {
    id: Id('The fan.'),
    provider: Type.String({ description: 'The identity provider.' }),
    subject: Nullable(Type.String(), { description: 'At the provider. Null for an erased fan.' }),
    handle: Nullable(Type.String()),
    displayName: Nullable(Type.String(), { description: 'The fan’s own name.' }),
    avatarUrl: Nullable(Type.String()),
    bio: Nullable(Type.String()),
    country: Nullable(Type.String()),
    locale: Nullable(Type.String()),
    favoriteTeam: Nullable(Closed({ id: Type.String(), name: Type.String() })),
    identity: Closed({
      name: Nullable(Type.String(), { description: 'Initials without `fans.personal`.' }),
      email: Nullable(Type.String(), { description: 'Masked without `fans.personal`.' }),
      emailVerified: Nullable(Type.Boolean()),
      syncedAt: Nullable(Type.String({ format: 'date-time' })),
    }),
    createdAt: Instant('When the record was created.'),
    erasedAt: Nullable(Type.String({ format: 'date-time' })),
    lastSeenAt: Nullable(Type.String({ format: 'date-time' }), {
      description: 'When a device of the fan last used its session, or the identity was synced.',
    }),
    lastEventAt: Nullable(Type.String({ format: 'date-time' }), {
      description: 'When the newest event was recorded.',
    }),
    states: States,
    mergedIntoId: Nullable(Type.String()),
    mergedIds: Type.Array(Type.String(), { description: 'Records that were merged into this one.' }),
    points: Closed({ balance: Type.Integer(), held: Type.Integer(), lifetime: Type.Integer() }),
    cash: Nullable(
      Type.Array(Closed({ currency: Type.String(), available: Type.Integer(), held: Type.Integer() })),
      { description: 'Minor units. Null without `orders.read`.' },
    ),
    limits: Nullable(SetLimits, {
      description:
        'The limits of the fan’s own spending, which staff cannot change. Null without `orders.read`.',
    }),
    leaderboard: Closed({
      rank: Nullable(Type.Integer(), { description: 'On the global board.' }),
      enrolledAt: Nullable(Type.String({ format: 'date-time' })),
      leftAt: Nullable(Type.String({ format: 'date-time' })),
    }),
    onboardingCompletedAt: Nullable(Type.String({ format: 'date-time' })),
    privacy: Closed({
      profile: Type.String(),
      activity: Type.String(),
      locker: Type.String(),
      leaderboardName: Type.String(),
    }),
    sanctions: Type.Array(Sanction, { description: 'Those in force.' }),
    blockers: Type.Array(
      Closed({ code: OneOf(BLOCKERS), text: Type.String({ description: 'What it means, in a sentence.' }) }),
    ),
    counts: Closed({
      events: Count('Events ever.'),
      rewardsClaimed: Count('Claims, redeemed ones included.'),
      rewardsRedeemed: Count('Redeemed rewards.'),
      packsSealed: Count('Packs that are not opened.'),
      packsOpened: Count('Opened packs.'),
      items: Count('Collectibles that the fan owns.'),
      questsCompleted: Count('Completed periods of quests.'),
      orders: Count('Orders ever.'),
      openTrades: Count('Offers to and from the fan that are open.'),
      following: Count('Fans that this one follows.'),
      followers: Count('Fans who follow this one.'),
      devices: Count('Sessions of devices that have not ended.'),
      openReports: Count('Open reports about the fan.'),
      openAppeals: Count('Open appeals of the fan.'),
    }),
  },
  { title: 'FanHead' },
)

export const TimelineQuery = Closed({
  limit: PageQuery.limit,
  // Contains a position in each of the lists.
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 8_192, description: 'The `nextCursor` before.' }),
  ),
  kind: Type.Optional(OneOf(TIMELINE_KINDS, { description: 'Default: all.' })),
})

export const TimelinePage = Closed(
  {
    items: Type.Array(TimelineItem, {
      description: 'Newest first. It may be short, even empty, with a cursor.',
    }),
    nextCursor: NextCursor,
  },
  { title: 'TimelinePage' },
)

export const EventQuery = Closed({
  source: Type.String({ minLength: 1, maxLength: 500, description: 'Who reported it.' }),
  eventId: Type.String({ minLength: 1, maxLength: 500, description: 'Its id within the source.' }),
})

export const ExplainedEvent = Closed(
  {
    source: Type.String(),
    eventId: Type.String(),
    type: Type.String(),
    sequence: Type.Integer(),
    occurredAt: Instant('When it happened.'),
    recordedAt: Instant('When it was recorded.'),
    voidedAt: Nullable(Type.String({ format: 'date-time' })),
    granted: Type.Integer({ description: 'Points of all rules.' }),
    rules: Type.Array(
      Closed({
        ruleId: Type.String(),
        name: Type.String(),
        version: Type.Integer(),
        granted: Nullable(Type.Integer(), { description: 'Null: nothing.' }),
        words: Type.String({ description: 'What it decided, and why.' }),
      }),
      { description: 'Of the event’s type, by the rules of the time when it was recorded.' },
    ),
    taken: Nullable(Type.String(), { description: 'What its void took back, in words.' }),
    messages: Type.Array(
      Closed({
        notificationId: Type.String(),
        written: Type.Boolean({ description: 'Whether the fan got a message.' }),
        words: Type.String({ description: 'Why, or why not.' }),
      }),
      { description: 'Of notifications that listen to its type now.' },
    ),
    data: Nullable(Type.String(), {
      description: 'JSON. Null without `fans.personal`, and once it was deleted.',
    }),
  },
  { title: 'ExplainedEvent' },
)

export const FanMessages = Closed(
  {
    now: Type.Array(Type.String(), {
      description: 'What holds back a message that is written now, in words. Empty: nothing.',
    }),
    messages: Type.Array(
      Closed({
        id: Type.String(),
        notificationId: Type.String({ description: 'The notification that wrote it.' }),
        category: Type.String(),
        title: Nullable(Type.String(), {
          description: 'Null without `fans.personal`, and once the fan has deleted it.',
        }),
        createdAt: Instant('When it was written.'),
        readAt: Nullable(Type.String({ format: 'date-time' })),
        inbox: OneOf(['shown', 'deleted', 'off'], {
          description: '`off`: only devices get it, since the category is switched off in the inbox.',
        }),
        pushes: Type.Array(
          Closed({
            service: Type.String({ description: 'What sends it to the device.' }),
            state: OneOf(['pending', 'sent', 'skipped', 'failed']),
            words: Type.String({ description: 'When it was sent, or why not.' }),
          }),
          { description: 'One for each device. Empty: the fan had none, or the notification has no `push`.' },
        ),
      }),
      { description: 'The newest 50 of the last 90 days.' },
    ),
    campaigns: Type.Array(
      Closed({
        id: Type.String(),
        startedAt: Instant('When it was started.'),
        sent: Type.Boolean({ description: 'Whether the fan got it.' }),
        words: Type.String({ description: 'Why, or why not.' }),
      }),
      { description: 'The newest 50 of the last 90 days.' },
    ),
  },
  { title: 'FanMessages' },
)

const Columns = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
  { description: 'The columns by name.' },
)

export const FanRecord = Closed(
  {
    user: Columns,
    identity: Nullable(Columns, {
      description: 'The mirror of the provider’s data. Null before the first sync.',
    }),
    onboarding: Nullable(Type.String(), { description: 'When it was completed.' }),
  },
  { title: 'FanRecord' },
)

export const FanAccountPath = Closed({
  fanId: IdReference('The fan.'),
  accountId: Slug('The account.'),
})

export const FanStatus = Closed(
  {
    ...FanAccounts.properties,
    changes: Type.Array(
      Closed({
        type: OneOf(['tier.reached', 'tier.at_risk', 'tier.lost'], { description: 'The event.' }),
        accountId: Nullable(Type.String(), { description: 'Null once the data of the event was deleted.' }),
        tierId: Nullable(Type.String(), {
          description: 'The tier that was reached, is at risk or was lost.',
        }),
        toTierId: Nullable(Type.String(), { description: 'Of a lost tier: the tier after it.' }),
        reason: Nullable(Type.String(), { description: 'Of a lost tier: `season` or `correction`.' }),
        at: Instant('When it was recorded.'),
      }),
      { maxItems: 50, description: 'Newest first.' },
    ),
  },
  { title: 'FanStatus' },
)

export const FanPoints = Closed(
  {
    ...PointsHistory.properties,
    entries: Type.Array(
      Closed({
        ...PointsEntry.properties,
        title: Type.String({ description: 'What it is for, in words.' }),
        note: Nullable(Type.String(), { description: 'Of a grant; null without `fans.personal`.' }),
      }),
      { description: 'Newest first.' },
    ),
  },
  { title: 'FanPoints' },
)

export const FanConsents = Closed(
  {
    ...Consents.properties,
    history: Type.Array(
      Closed({
        purpose: Type.String({ description: 'What it is for.' }),
        seq: Integer({ minimum: 1, description: 'Of this purpose: 1, 2, 3 …' }),
        granted: Type.Boolean({ description: 'False: a withdrawal.' }),
        documentId: Type.String({ description: 'The document.' }),
        version: Type.String({ description: 'Its version.' }),
        source: Type.String({ description: 'Where it was stated, such as app or staff.' }),
        changedAt: Instant('When it was stated.'),
        by: Nullable(Type.String(), { description: 'Who of the staff recorded it.' }),
        reason: Nullable(Type.String(), { description: 'Why, if staff recorded it.' }),
      }),
      { description: 'Newest first.' },
    ),
    ageHistory: Type.Array(
      Closed({
        seq: Integer({ minimum: 1, description: '1, 2, 3 …' }),
        ageBand: AgeBandOrUnknown,
        source: Nullable(Type.String(), { description: 'Who has checked the band. Null after an erasure.' }),
        assuredAt: Instant('When it was checked.'),
        guardianConsent: Nullable(Type.Boolean(), { description: 'Null: nobody has asked.' }),
        statedBy: Nullable(Type.String(), {
          description: 'Who stated the change. `merge`: a merge of fans. Null after an erasure.',
        }),
        changedAt: Instant('When it was stated.'),
      }),
      { description: 'What was known of the age after each change, newest first.' },
    ),
  },
  { title: 'FanConsents' },
)

export const FanMemberships = Closed(
  {
    memberships: Type.Array(Membership, {
      description: 'Newest first. `holder` has only initials without `fans.personal`.',
    }),
    kinds: Type.Array(Closed({ id: Type.String(), name: Type.String() }), {
      description: 'Active kinds of the catalogue, by id.',
    }),
  },
  { title: 'FanMemberships' },
)
