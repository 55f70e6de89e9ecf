/** What each event of the application says about rows, which must be as it says. */
import type { Tables } from '../../../db/index.ts'
import type { Value } from '../../core/finding.ts'
import type { ApplicationEventType, DataOf } from '../../economy/events/types.ts'
import { inviteeOf } from '../../fan/referrals/referrals.ts'

export interface Happened<Type extends ApplicationEventType> {
  eventId: string
  data: DataOf<Type>
  at: Date
  /** The user ids that a row of the fan may have, including those of merged records. */
  fan: Fan
}

/** Matches any of these ids, since a row may have stayed with a merged record or moved. */
export class Fan {
  constructor(readonly ids: readonly string[]) {}
}

type Columns = Record<string, Value | Fan>

/** The expected columns of a row, which the key identifies. */
export interface Fact {
  of: keyof Tables
  key: Record<string, string | Fan>
  columns: Columns
}

type Facts = { [Type in ApplicationEventType]?: (happened: Happened<Type>) => readonly Fact[] }

type OrderEvent = Extract<ApplicationEventType, `order.${string}`>
type OrderHappened = Happened<Exclude<OrderEvent, 'order.line_changed' | 'order.withdrawn'>>

const orderFact = ({ data, fan }: OrderHappened, columns: Columns = {}): Fact => ({
  of: 'orders',
  key: { id: data.orderId },
  columns: { userId: fan, priceAmount: data.total.amount, priceCurrency: data.total.currency, ...columns },
})

/** Later facts of a row replace earlier ones, column by column. */
export const FACTS: Facts = {
  'onboarding.completed': ({ at, fan }) => [
    { of: 'onboardings', key: { userId: fan }, columns: { completedAt: at } },
  ],
  'reward.claimed': ({ data, at, fan }) => [claimFact(data.rewardId, fan, { claimedAt: at })],
  'reward.redeemed': ({ data, at, fan }) => [claimFact(data.rewardId, fan, { redeemedAt: at })],
  'purchase.completed': ({ data, at, fan }): Fact[] => [
    {
      of: 'packPurchases',
      key: { id: data.purchaseId },
      columns: {
        packId: data.packId,
        userId: fan,
        completedAt: at,
        priceAmount: data.price.amount,
        priceCurrency: data.price.currency,
      },
    },
    { of: 'userPacks', key: { id: data.userPackId }, columns: { purchaseId: data.purchaseId, userId: fan } },
  ],
  'purchase.refunded': ({ data, at }) => [
    { of: 'packPurchases', key: { id: data.purchaseId }, columns: { status: 'refunded', refundedAt: at } },
  ],
  'pack.opened': ({ data, at, fan }) => [
    {
      of: 'userPacks',
      key: { id: data.userPackId },
      columns: { packId: data.packId, userId: fan, openedAt: at },
    },
  ],
  'set.completed': ({ data, at, fan }) => [
    {
      of: 'setCompletions',
      key: { userId: fan, setId: data.setId },
      columns: { completedAt: at, points: data.points, rewardId: data.rewardId },
    },
  ],
  'trade.offered': ({ data, at, fan }) => [
    { of: 'trades', key: { id: data.tradeId }, columns: { [`${data.role}Id`]: fan, createdAt: at } },
  ],
  'trade.completed': ({ data, at, fan }) => [
    {
      of: 'trades',
      key: { id: data.tradeId },
      columns: { [`${data.role}Id`]: fan, status: 'completed', endedAt: at },
    },
  ],
  'code.redeemed': ({ data: { campaignId, redemptionId, ...gave }, at, fan }) => [
    {
      of: 'codeRedemptions',
      key: { id: redemptionId },
      columns: { campaignId, userId: fan, gave: JSON.stringify(gave), redeemedAt: at },
    },
  ],
  'referral.completed': ({ data: { role }, at, fan, eventId }) => [
    {
      of: 'referrals',
      key: { inviteeId: inviteeOf(eventId) },
      columns: { completedAt: at, voidedAt: null, ...(role === 'inviter' && { inviterId: fan }) },
    },
  ],
  'report.resolved': ({ data, at, fan }) => [
    {
      of: 'reports',
      key: { id: data.reportId },
      columns: {
        reporterId: fan,
        subjectKind: data.subjectKind,
        actionTaken: data.actionTaken,
        resolvedAt: at,
      },
    },
  ],
  'sanction.applied': ({ data, at, fan }) => [
    {
      of: 'moderationDecisions',
      key: { id: data.sanctionId },
      columns: {
        fanId: fan,
        kind: data.kind,
        reason: data.reason,
        createdAt: at,
        until: data.until === null ? null : new Date(data.until),
      },
    },
  ],
  'sanction.lifted': ({ data, at, fan, eventId }) => [
    {
      of: 'moderationDecisions',
      key: { id: eventId },
      columns: { fanId: fan, kind: 'lift', liftsId: data.sanctionId, createdAt: at },
    },
  ],
  'appeal.decided': ({ data, at, fan, eventId }) => [
    {
      of: 'appeals',
      key: { sanctionId: data.sanctionId },
      columns: { id: eventId, fanId: fan, granted: data.granted, decidedAt: at },
    },
  ],
  'order.created': happened => [orderFact(happened, { createdAt: happened.at }), ...lineFacts(happened)],
  // Recorded again after a refund of a part, with what is left.
  'order.paid': ({ data, at, fan }) => [
    {
      of: 'orders',
      key: { id: data.orderId },
      columns: { userId: fan, status: 'completed', completedAt: at },
    },
  ],
  'order.expired': happened => [orderFact(happened, { expiryNotedAt: happened.at })],
  'order.cancelled': happened => [orderFact(happened, { status: 'cancelled' })],
  'order.refund_due': happened => [orderFact(happened, { status: 'refund_due' })],
  'order.refunded': happened => [orderFact(happened, { status: 'refunded', refundedAt: happened.at })],
  'order.line_changed': ({ data: { orderId, line, state, carrier, tracking } }) => [
    { of: 'orderLines', key: { orderId, number: String(line) }, columns: { state, carrier, tracking } },
  ],
  'order.withdrawn': ({ data: { orderId, lines }, at }) =>
    lines.map(({ line }) => ({
      of: 'orderLines',
      key: { orderId, number: String(line) },
      columns: { withdrawnAt: at },
    })),
  'fan.merged': ({ data, at, fan }) => [
    { of: 'fanMerges', key: { fromId: data.fromUserId }, columns: { intoId: fan, mergedAt: at } },
  ],
  'match.checked_in': ({ data: { matchId }, at, fan }) => [
    { of: 'checkIns', key: { userId: fan, matchId }, columns: { checkedInAt: at } },
  ],
}

const claimFact = (rewardId: string, fan: Fan, columns: Columns = {}): Fact => {
  return { of: 'userRewards', key: { userId: fan, rewardId }, columns }
}

const lineFacts = ({ data: { orderId, lines } }: OrderHappened): Fact[] =>
  lines.map(({ productId, variantId, quantity, price }, index) => ({
    of: 'orderLines',
    key: { orderId, number: String(index + 1) },
    columns: { productId, variantId, quantity, priceAmount: price.amount },
  }))

/** After a void, facts of these types no longer hold. A purchase still delivered its goods, even after its refund. */
export const UNDONE_BY_VOID: readonly string[] = ['reward.claimed', 'reward.redeemed', 'referral.completed']

/** The facts of these types do not need the data of the event. */
export const WITHOUT_DATA: readonly string[] = ['onboarding.completed']
