/** The events that the application records itself (source `matchday`), and the schema of the data of each. */

import { Match } from '../../club/matches/schema.ts'
import { MOMENTS } from '../../club/notifications/moments.ts'
import { Closed, Id, Instant, Integer, Nullable, OneOf } from '../../core/schemas.ts'
import { type Static, type TObject, Type } from '../../core/typebox.ts'
import { REASONS } from '../../identity/sanctions/reasons.ts'
import { CASH_REASONS } from '../cash/reasons.ts'
import { POINTS_REASONS } from '../ledgers/reasons.ts'

/** The source of these events. No server key has this name. */
export const APPLICATION = 'matchday'

const PackId = Type.String({ description: 'The pack.' })
const PurchaseId = Id('The purchase.')
const UserPackId = Id('The fan’s pack.')
const RewardId = Type.String({ description: 'The reward.' })
const Price = Closed(
  {
    amount: Integer({ minimum: 0, description: 'Points, or minor units of the currency.' }),
    currency: Type.String({ description: '`POINTS`, or ISO 4217.' }),
  },
  { description: 'The price of the purchase.' },
)

const OrderId = Id('The order.')
const orderMembers = {
  orderId: OrderId,
  total: Closed(Price.properties, { description: 'What was to be paid.' }),
  lines: Type.Array(
    Closed({
      productId: Type.String({ description: 'The product.' }),
      variantId: Type.String({ description: 'The variant.' }),
      quantity: Integer({ minimum: 1, description: 'Units.' }),
      price: Closed(Price.properties, { description: 'Price of a unit.' }),
    }),
    { description: 'In the order of the cart.' },
  ),
}

const MatchId = Type.String({ description: 'The match.' })
const matchMembers = {
  competition: Type.String({ description: 'Competition of the match.' }),
  season: Type.String({ description: 'Season of the competition.' }),
  round: Nullable(Type.String(), { description: 'Round of the competition.' }),
  homeTeamId: Type.String({ description: 'The home team.' }),
  awayTeamId: Type.String({ description: 'The away team.' }),
  venue: Nullable(Type.String(), { description: 'Where the match is played.' }),
}

const Goals = Integer({ minimum: 0, description: 'Goals.' })
const MatchScores = (description: string) => Closed({ homeScore: Goals, awayScore: Goals }, { description })

const questionMembers = {
  questionId: Type.String({ description: 'The question.' }),
  matchId: Nullable(Type.String(), { description: 'The match that the question is about.' }),
  kind: OneOf(['poll', 'quiz', 'prediction', 'rating', 'player'], { description: 'Kind of the question.' }),
}

const tierMembers = {
  accountId: Type.String({ description: 'The account.' }),
  tierId: Type.String({ description: 'The tier.' }),
}

const membershipMembers = {
  ref: Type.String({ description: 'Id of the membership in the ticket office.' }),
  kindId: Type.String({ description: 'Kind of the membership.' }),
  startsAt: Instant('When it starts.'),
  endsAt: Instant('When it ends, exclusive.'),
  since: Instant('Start of the memberships of this kind that follow each other without a gap.'),
}

const segmentMembers = { segmentId: Type.String({ description: 'The segment.' }) }

const divisionMembers = {
  divisionId: Type.String({ description: 'The division.' }),
  levelId: Type.String({ description: 'The level in which the fan was.' }),
  toLevelId: Type.String({ description: 'The level in which the fan is now.' }),
  rank: Integer({ minimum: 1, description: 'Rank of the fan in the table.' }),
  points: Integer({ minimum: 1, description: 'Points that the fan earned in the period.' }),
  startsAt: Instant('Start of the period.'),
  endsAt: Instant('End of the period, exclusive.'),
}

const UNHEARD = 'Rules and quests cannot listen to it.'

/** A member may be added; a member that exists keeps its name and meaning. */
export const applicationEvents = {
  'onboarding.completed': Closed(
    { points: Integer({ minimum: 0, description: 'Points of the onboarding.' }) },
    { description: 'The fan completed the onboarding; once.' },
  ),
  'profile.completed': Closed(
    {},
    {
      description: 'The fan wrote a profile that has a value in every field; once, at the first such write.',
    },
  ),
  'reward.claimed': Closed({ rewardId: RewardId }, { description: 'The fan claimed a reward.' }),
  'reward.redeemed': Closed({ rewardId: RewardId }, { description: 'The fan redeemed a claimed reward.' }),
  'reward.claim_undone': Closed(
    { rewardId: RewardId },
    {
      description: `The club has undone a claim that was not used. The fan can claim the reward again. ${UNHEARD}`,
    },
  ),
  'reward.code_replaced': Closed(
    { rewardId: RewardId },
    {
      description: `The club has replaced the redemption code of a reward: the old code no longer works. \`GET /api/user/rewards\` has the new one. ${UNHEARD}`,
    },
  ),
  'reward.use_undone': Closed(
    {
      rewardId: Nullable(RewardId, { description: 'The reward. Null for a voucher of an order.' }),
      orderId: Nullable(Type.String(), { description: 'The order of a voucher.' }),
    },
    { description: `The club has undone the use of a redemption code: it can be used again. ${UNHEARD}` },
  ),
  'purchase.completed': Closed(
    { purchaseId: PurchaseId, packId: PackId, userPackId: UserPackId, price: Price },
    { description: 'A purchase of a pack was paid, and the fan has the sealed pack.' },
  ),
  'purchase.refunded': Closed(
    { purchaseId: PurchaseId, packId: PackId, price: Price },
    { description: `A purchase was refunded. ${UNHEARD}` },
  ),
  'pack.opened': Closed(
    {
      userPackId: UserPackId,
      packId: PackId,
      items: Type.Array(Type.String(), { description: 'The collectibles, in the order of the draw.' }),
      rarities: Type.Record(Type.String(), Type.Integer(), { description: 'Number of items by rarity.' }),
    },
    { description: 'The fan opened a pack.' },
  ),
  'set.completed': Closed(
    {
      setId: Type.String({ description: 'The set.' }),
      points: Integer({ minimum: 0, description: 'Points that the fan got for it.' }),
      rewardId: Nullable(Type.String(), {
        description: 'The reward that was claimed for the fan. Null if there was none to give.',
      }),
    },
    { description: 'The fan got the last missing item of a set; once per set.' },
  ),
  'code.redeemed': Closed(
    {
      campaignId: Type.String({ description: 'The campaign.' }),
      redemptionId: Id('The redemption.'),
      points: Nullable(Integer({ minimum: 1 }), { description: 'Points that the fan got for it.' }),
      account: Type.Optional(
        Nullable(Type.String(), {
          description: 'The account in which the points are kept. Null: the points that fans spend.',
        }),
      ),
      rewardId: Nullable(Type.String(), { description: 'The reward that was claimed for the fan.' }),
      packId: Nullable(Type.String(), { description: 'The pack that the fan got, sealed.' }),
      collectibleId: Nullable(Type.String(), {
        description: 'The collectible of which the fan got a copy.',
      }),
    },
    { description: 'The fan redeemed a code of a campaign.' },
  ),
  'referral.completed': Closed(
    {
      role: OneOf(['invited', 'inviter'], {
        description: '`invited`: the fan was invited. `inviter`: the fan invited another one.',
      }),
    },
    {
      description:
        'A fan who was invited did what the setting `referralCompletes` names: an event of each of the two fans, once for each invited fan.',
    },
  ),
  'consent.changed': Closed(
    {
      purpose: Type.String({ description: 'The purpose, such as marketing.' }),
      documentId: Type.String({ description: 'The document.' }),
      version: Type.String({ description: 'Version of the document that the fan has read.' }),
      granted: Type.Boolean({ description: 'Whether the fan agrees.' }),
    },
    { description: `The fan agreed to a document, or withdrew it. ${UNHEARD}` },
  ),
  'trade.offered': Closed(
    {
      tradeId: Id('The trade.'),
      role: OneOf(['from', 'to'], {
        description: '`from`: the fan made the offer. `to`: it was made to the fan.',
      }),
      give: Integer({ minimum: 1, description: 'Number of items that `from` gives.' }),
      want: Integer({ minimum: 0, description: 'Number of items that `to` gives; 0 for a gift.' }),
    },
    { description: `A trade or a gift was offered: an event of each of the two fans. ${UNHEARD}` },
  ),
  'trade.completed': Closed(
    {
      tradeId: Id('The trade.'),
      role: OneOf(['from', 'to'], {
        description: '`from`: the fan made the offer. `to`: it was made to the fan.',
      }),
      give: Integer({ minimum: 1, description: 'Number of items that `from` gives.' }),
      want: Integer({ minimum: 0, description: 'Number of items that `to` gives; 0 for a gift.' }),
    },
    {
      description:
        'A trade or a gift was accepted, and the items have new owners: an event of each of the two fans.',
    },
  ),
  'report.resolved': Closed(
    {
      reportId: Id('The report.'),
      subjectKind: OneOf(['fan', 'locker', 'trade', 'league'], { description: 'What the fan reported.' }),
      actionTaken: Type.Boolean({ description: 'Whether the club has acted on it.' }),
    },
    { description: `A report of the fan was decided. ${UNHEARD}` },
  ),
  'sanction.applied': Closed(
    {
      sanctionId: Id('The sanction.'),
      kind: OneOf(['hide', 'mute', 'suspend'], { description: 'As in `GET /api/user/sanctions`.' }),
      reason: OneOf(REASONS, { description: 'The reason of the club.' }),
      until: Nullable(Instant('When it ends.'), { description: 'For a suspension: when it ends.' }),
    },
    { description: `The club has sanctioned the fan. ${UNHEARD}` },
  ),
  'sanction.lifted': Closed(
    {
      sanctionId: Id('The sanction.'),
      kind: OneOf(['hide', 'mute', 'suspend'], { description: 'Kind of the sanction.' }),
    },
    {
      description: `The club has ended a sanction of the fan. A suspension that expires has no such event. ${UNHEARD}`,
    },
  ),
  'appeal.decided': Closed(
    {
      sanctionId: Id('The sanction.'),
      granted: Type.Boolean({ description: 'Whether the sanction was lifted.' }),
    },
    { description: `An appeal of the fan was decided. ${UNHEARD}` },
  ),
  'order.created': Closed(orderMembers, {
    description: `The fan started an order, which holds stock. ${UNHEARD}`,
  }),
  'order.paid': Closed(orderMembers, {
    description:
      'An order was paid. A refund of some of its lines voids it and records it again with what is left; the refund of the last one voids it.',
  }),
  'order.expired': Closed(orderMembers, {
    description: `An order was not paid in time, and its stock was released. A payment that comes later pays it if there is stock, or is refunded. ${UNHEARD}`,
  }),
  'order.cancelled': Closed(orderMembers, {
    description: `The fan cancelled an order before it was paid. ${UNHEARD}`,
  }),
  'order.refund_due': Closed(orderMembers, {
    description: `A payment of an order must be refunded: it arrived too late, or the club refunds the order. ${UNHEARD}`,
  }),
  'order.refunded': Closed(orderMembers, {
    description: `The payment of an order was refunded. ${UNHEARD}`,
  }),
  'order.withdrawn': Closed(
    {
      orderId: OrderId,
      lines: Type.Array(
        Closed({
          line: Integer({ minimum: 1, description: 'Number of the line.' }),
          productId: Type.String({ description: 'The product.' }),
          variantId: Type.String({ description: 'The variant.' }),
          quantity: Integer({ minimum: 1, description: 'Units of the line.' }),
        }),
        { description: 'The lines that the fan has withdrawn from now.' },
      ),
    },
    { description: `The fan withdrew from an order, or from lines of it. ${UNHEARD}` },
  ),
  'order.line_changed': Closed(
    {
      orderId: OrderId,
      line: Integer({ minimum: 1, description: 'Number of the line.' }),
      productId: Type.String({ description: 'The product.' }),
      variantId: Type.String({ description: 'The variant.' }),
      quantity: Integer({ minimum: 1, description: 'Units.' }),
      state: OneOf(['ready', 'shipped', 'delivered', 'returned'], { description: 'The new state.' }),
      carrier: Nullable(Type.String(), { description: 'Who ships it.' }),
      tracking: Nullable(Type.String(), { description: 'Number or address to follow it.' }),
    },
    { description: `The club changed the state of a line of an order. ${UNHEARD}` },
  ),
  'fan.merged': Closed(
    {
      fromUserId: Id('The fan who was merged. The id leads to the fan of this event from now on.'),
      balance: Integer({ minimum: 0, description: 'Points that were carried over to the balance.' }),
      lifetime: Integer({ minimum: 0, description: 'Points that were carried over to the lifetime points.' }),
    },
    {
      description: `An operator merged another fan into this one, such as two accounts of one person. ${UNHEARD}`,
    },
  ),
  'wallet.linked': Closed(
    {
      address: Type.String({ description: 'Address of the wallet, with the checksum of EIP-55.' }),
      chainId: Integer({ minimum: 1, description: 'The chain on which it was proved (EIP-155).' }),
    },
    { description: 'The fan linked a wallet. Voided when the fan unlinks it.' },
  ),
  'match.checked_in': Closed(
    { matchId: MatchId, ...matchMembers },
    { description: 'The fan checked in at the gate of a match; once per match.' },
  ),
  'prediction.settled': Closed(
    {
      matchId: MatchId,
      revision: Integer({ minimum: 1, description: 'Revision of the match that has the result.' }),
      predicted: MatchScores('What the fan predicted.'),
      result: MatchScores('The scores of this revision.'),
      outcome: Type.Boolean({ description: 'Whether home win, draw or away win was right.' }),
      difference: Type.Boolean({ description: 'Whether the goal difference was right.' }),
      exact: Type.Boolean({ description: 'Whether both scores were right.' }),
      points: Integer({ minimum: 0, description: 'Points for the most exact match of these.' }),
      bonus: Type.Optional(
        Integer({
          minimum: 1,
          description: 'What the crowd added to the outcome, before a joker doubled it.',
        }),
      ),
      joker: Type.Optional(Type.Literal(true, { description: 'A joker doubled the points.' })),
    },
    {
      description:
        'A prediction was settled by the result of its match. A corrected result voids the event if it changes the prediction’s.',
    },
  ),
  'question.voted': Closed(
    { ...questionMembers },
    { description: 'The fan voted in a question; once per question. A change of the vote has no event.' },
  ),
  'question.answered': Closed(
    {
      ...questionMembers,
      revision: Integer({ minimum: 1, description: 'Revision of the answer.' }),
      optionId: Type.String({ description: 'The vote of the fan: an option, or a rating as text.' }),
      answer: Type.String({ description: 'The correct option.' }),
      correct: Type.Boolean({ description: 'Whether the fan chose it.' }),
      points: Integer({ minimum: 0, description: 'Points for the correct option.' }),
    },
    {
      description:
        'A vote was settled by the answer of its question. A corrected answer voids the event if it changes the result of the vote.',
    },
  ),
  'tier.reached': Closed(tierMembers, {
    description: `The fan has reached a tier of an account; once each time. ${UNHEARD}`,
  }),
  'tier.at_risk': Closed(
    { ...tierMembers, endsAt: Instant('The end of the season.') },
    {
      description: `The total of the fan is too low to keep the tier after the season, which ends in at most 30 days; once a season. ${UNHEARD}`,
    },
  ),
  'tier.lost': Closed(
    {
      ...tierMembers,
      toTierId: Nullable(Type.String(), { description: 'The tier that the fan has now.' }),
      reason: OneOf(['season', 'correction'], {
        description: 'A season has ended, with its days of grace, or points were taken back.',
      }),
    },
    { description: `The fan no longer has a tier. ${UNHEARD}` },
  ),
  'league.round_closed': Closed(
    {
      leagueId: Type.String({ description: 'The league.' }),
      roundId: Type.String({ description: 'The number of the round.' }),
      week: Type.String({ description: 'The week of the round.' }),
      outcome: OneOf(['won', 'drawn', 'lost', 'bye'], { description: '`bye`: the fan had no opponent.' }),
      points: Integer({ minimum: 0, description: 'Points that the fan earned in the round.' }),
      opponentPoints: Nullable(Integer({ minimum: 0 }), { description: 'Those of the opponent.' }),
    },
    {
      description: `A round of a league head to head is closed; once for each member who is in its draw. ${UNHEARD}`,
    },
  ),
  'division.promoted': Closed(divisionMembers, {
    description: 'A period of a division has ended, and the fan rose to a higher level; once.',
  }),
  'division.relegated': Closed(divisionMembers, {
    description: 'A period of a division has ended, and the fan fell to a lower level; once.',
  }),
  'membership.started': Closed(membershipMembers, {
    description: 'A membership of the fan has started, and follows no other of its kind.',
  }),
  'membership.renewed': Closed(membershipMembers, {
    description:
      'A membership of the fan was made longer, or has started and follows another of its kind without a gap.',
  }),
  'membership.ended': Closed(membershipMembers, {
    description: 'A membership of the fan has ended, and no other of its kind is active.',
  }),
  'segment.entered': Closed(segmentMembers, {
    description: `The fan is in a tracked segment; once each time, some minutes after it. ${UNHEARD}`,
  }),
  'segment.left': Closed(segmentMembers, {
    description: `The fan is no longer in a tracked segment; once each time, some minutes after it. ${UNHEARD}`,
  }),
  'points.changed': Closed(
    {
      delta: Integer({ description: 'Points; negative if they were spent or taken back.' }),
      balance: Integer({ minimum: 0, description: 'Current points after it.' }),
      lifetime: Integer({ minimum: 0, description: 'Lifetime points after it.' }),
      reason: OneOf(POINTS_REASONS, { description: 'Why, as in `GET /api/user/points`.' }),
      ref: Type.String({ description: 'The cause within its reason.' }),
    },
    {
      description: `An entry was appended to the ledger of the fan; \`eventId\` is the id of the entry. ${UNHEARD}`,
    },
  ),
  'cash.changed': Closed(
    {
      currency: Type.String({ description: 'ISO 4217.' }),
      delta: Integer({ description: 'Minor units; negative if they were spent, refunded or have ended.' }),
      balance: Integer({ minimum: 0, description: 'Balance after it, including cash held for purchases.' }),
      reason: OneOf(CASH_REASONS, { description: 'Why, as in `GET /api/cash/{currency}/entries`.' }),
      ref: Type.String({ description: 'The cause within its reason.' }),
    },
    {
      description: `An entry was appended to the cash of the fan; \`eventId\` is the id of the entry. ${UNHEARD}`,
    },
  ),
  'points.expiring': Closed(
    {
      amount: Integer({ minimum: 1, description: 'Points that expire then, unless they are spent before.' }),
      expiresAt: Instant('When they end.'),
    },
    {
      description: `Points of the fan expire in 30 days (\`pointsExpireAfterDays\`); one event for all points that expire at the same time. The oldest points are spent first. ${UNHEARD}`,
    },
  ),
  'quest.completed': Closed(
    {
      questId: Type.String({ description: 'The quest.' }),
      kind: OneOf(['quest', 'achievement', 'streak'], { description: 'Kind of the quest.' }),
      period: Type.String({
        description: 'A day, an ISO week or a month; `ever` for a quest without periods.',
      }),
      streak: Nullable(Integer({ minimum: 1 }), {
        description: 'For a streak: the number of periods completed in a row, including this one.',
      }),
    },
    { description: 'The fan completed a period of a quest, an achievement or a streak.' },
  ),
} as const satisfies Record<string, TObject>

export const MATCH_UPDATED = 'match.updated'

const { id: _id, checkIn: _checkIn, sponsorId: _sponsorId, ...matchState } = Match.properties

/** The data of `match.updated`, which is of no fan: webhooks and the event sink get it. */
export const matchUpdated = Closed(matchState, {
  description: `Status, scores or kick-off of a match changed. ${UNHEARD}`,
})

/** What a webhook endpoint can ask for. */
export const messageTypes: readonly string[] = [...Object.keys(applicationEvents), MATCH_UPDATED]

export type ApplicationEventType = keyof typeof applicationEvents
export type DataOf<T extends ApplicationEventType> = Static<(typeof applicationEvents)[T]>

/** These namespaces are reserved for events of the application, so that a later version can add types. */
const NAMESPACES = new Set([
  ...['appeal', 'cash', 'onboarding', 'order', 'pack', 'points', 'prediction', 'profile', 'purchase'],
  ...['quest', 'question', 'report', 'reward', 'sanction', 'set', 'trade', 'wallet', 'webhook'],
])
/** Types in namespaces that the club's systems also use. */
const RESERVED_TYPES = new Set([...messageTypes, ...Object.keys(MOMENTS)])

/** Whether a server key must not report events of this type, because the application records them. */
export const isReservedType = (type: string): boolean =>
  RESERVED_TYPES.has(type) || NAMESPACES.has(type.split('.', 1)[0] ?? '')
