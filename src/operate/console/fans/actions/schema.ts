/** Requests and responses of the actions on a fan. */
import { Closed, IdReference, Instant, Integer, Nullable, Slug } from '../../../../core/schemas.ts'
import { Type } from '../../../../core/typebox.ts'
import { CashPromotion } from '../../../../economy/cash/grant-cash.ts'
import { Grant } from '../../../../economy/points/grants.ts'
import { Reason } from '../../../../identity/staff/reason.ts'
import { MembershipUpdate, membershipMembers } from '../../../../play/memberships/schema.ts'
import { CodeReference } from '../../../../play/rewards/redemption-schema.ts'

export const FanPath = Closed({ fanId: IdReference('The fan.') })
export const FanRewardPath = Closed({ fanId: IdReference('The fan.'), rewardId: Slug('The reward.') })

export const OnlyReason = Closed({ reason: Reason }, { title: 'OnlyReason' })

const { delta, ref, account } = Grant.properties
const Optional = (description: string) => Nullable(Type.String({ format: 'date-time' }), { description })

export const FanClaims = Closed(
  {
    claims: Type.Array(
      Closed({
        rewardId: Type.String({ description: 'The reward.' }),
        title: Type.String({ description: 'Its title.' }),
        claimedAt: Instant('When the fan claimed it.'),
        redeemedAt: Optional('When the fan redeemed it.'),
        usedAt: Optional('When its code was used.'),
        usedBy: Nullable(Type.String(), { description: 'The source that used it.' }),
      }),
      { description: 'Newest first, at most 200.' },
    ),
  },
  { title: 'FanClaims' },
)

export const Withdrawal = Closed(
  { purpose: Slug('The purpose of the consent.'), reason: Reason },
  { title: 'Withdrawal' },
)
export const Withdrawn = Closed(
  { withdrawn: Type.Boolean({ description: 'False: the fan did not agree before either.' }) },
  { title: 'Withdrawn' },
)

export const FanGrant = Closed({ delta, ref, account, reason: Reason }, { title: 'FanGrant' })

const { amount, currency, ref: cashRef, expiresAt } = CashPromotion.properties
export const FanCash = Closed(
  { amount, currency, ref: cashRef, expiresAt, reason: Reason },
  { title: 'FanCash' },
)

const { fan: _, ...terms } = MembershipUpdate.properties
export const FanMembership = Closed(
  {
    ref: Type.Optional(
      Type.String({
        ...membershipMembers.ref,
        description: 'Id of the membership in the ticket office. Absent: a new one, with an id of its own.',
      }),
    ),
    ...terms,
    reason: Reason,
  },
  { title: 'FanMembership' },
)
export const FanMembershipPath = Closed({ fanId: IdReference('The fan.'), ref: membershipMembers.ref })

export const EventToVoid = Closed(
  {
    source: Type.String({ minLength: 1, maxLength: 100, description: 'The source of the event.' }),
    eventId: Type.String({ minLength: 1, maxLength: 128, description: 'Its id.' }),
    reason: Reason,
  },
  { title: 'EventToVoid' },
)

export const VoidedEvent = Closed(
  {
    taken: Type.Array(
      Closed({
        ruleId: Type.String({ description: 'The rule.' }),
        points: Integer({ minimum: 0, description: 'Points that were taken back.' }),
        uncollected: Integer({ minimum: 0, description: 'Points that the fan has spent.' }),
      }),
    ),
  },
  { title: 'VoidedEventOfFan' },
)

export const NewNames = Closed(
  {
    displayName: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 200 }), { description: 'Null clears it.' }),
    ),
    handle: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 200 }), { description: 'Null frees it.' }),
    ),
    reason: Reason,
  },
  { title: 'NewNames' },
)

export const CodeToReopen = Closed({ code: CodeReference, reason: Reason }, { title: 'CodeToReopen' })

export const FanDocument = Type.String({
  contentMediaType: 'application/octet-stream',
  description: 'The document of `bun run export-user`.',
})

export const Booked = Closed(
  {
    created: Type.Boolean({ description: 'False: it was booked before, and nothing was changed.' }),
    balance: Integer({ minimum: 0, description: 'Afterwards: points, or minor units that can be spent.' }),
  },
  { title: 'BookedForFan' },
)

export const EndedSessions = Closed(
  { devices: Integer({ minimum: 0, description: 'Devices that were signed in.' }) },
  { title: 'EndedSessions' },
)

export const Erase = Closed(
  {
    confirm: Type.String({
      maxLength: 255,
      description: 'The handle of the fan, or the id of a fan without one, as typed by you.',
    }),
    reason: Reason,
  },
  { title: 'EraseFan' },
)

const count = (description: string) => Integer({ minimum: 0, description })

export const Erased = Closed(
  {
    devices: count('Devices.'),
    redemptionCodes: count('Codes that are worthless now.'),
    grantNotes: count('Notes of grants.'),
    eventData: count('Events whose data was deleted.'),
  },
  { title: 'ErasedFan' },
)

const into = IdReference('The fan that remains.')
export const MergePlan = Closed({ into }, { title: 'MergePlan' })
export const Merge = Closed({ into, reason: Reason }, { title: 'MergeOfFans' })

export const MergeReport = Closed(
  {
    fromId: Type.String({ description: 'The fan who is merged.' }),
    intoId: Type.String({ description: 'The fan that remains.' }),
    points: Closed({ balance: count('Points.'), lifetime: count('Lifetime points.') }),
    accounts: count('Points in accounts.'),
    cash: Type.Array(Closed({ currency: Type.String(), amount: count('Minor units.') })),
    profile: Type.Array(Type.String(), { description: 'Members of the profile that the other fan gets.' }),
    rewards: Closed({ moved: count('Claims that move.'), ended: count('Claims that both had.') }),
    items: count('Items that get a new owner.'),
    quests: count('Periods of quests.'),
    sets: count('Completed sets.'),
    predictions: count('Open predictions.'),
    votes: count('Votes in questions without an answer.'),
    relations: count('Fans with relations to this one.'),
    locker: Type.Boolean({ description: 'Whether the locker moves.' }),
    leagues: count('Memberships of leagues.'),
    divisions: count('Seats in tables of divisions.'),
    devices: count('Devices that are signed out.'),
    moved: Type.Record(Type.String(), Type.Integer(), { description: 'Other rows, by table.' }),
  },
  { title: 'MergeReport' },
)
