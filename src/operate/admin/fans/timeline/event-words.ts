/** What each type of event of Matchday itself says in the timeline. */
import type { Tables } from '../../../../../db/index.ts'
import { dataOf, type EventData } from '../../../../economy/events/event.ts'
import { APPLICATION, type ApplicationEventType } from '../../../../economy/events/types.ts'
import { type Fact, fact, idFact, isCount, plural, type Shown, timeFact } from './item.ts'
import type { TOLD_BY_ROWS } from './kinds.ts'
import type { Names } from './names.ts'
import type { Related } from './related.ts'

type EventRow = Tables['events']['$inferSelect']

export interface Context {
  names: Names
  related: Related
  /** Whether the role sees personal data. */
  personal: boolean
}

type Words = Omit<Shown, 'kind' | 'event'>

interface Type {
  describe: (data: EventData, context: Context) => Words
  /** For an event whose data is no longer stored, where the sentence needs it. */
  withoutData?: string
}

/** Undefined for an event of another source, and for a type of a later version. */
export function describeType(row: EventRow, context: Context): Words | undefined {
  const types: Partial<Record<string, Type>> = TYPES
  const type = row.source === APPLICATION ? types[row.type ?? ''] : undefined
  if (row.data === null && type?.withoutData !== undefined)
    return { title: type.withoutData, detail: 'Its details are no longer stored.' }
  return type?.describe(dataOf(row), context)
}

const ROUND_CLOSED = 'A round of a league was closed'
/** By outcome. */
const ROUNDS: Record<string, string> = {
  won: 'Won a round of a league',
  drawn: 'Drew a round of a league',
  lost: 'Lost a round of a league',
  bye: 'Had no opponent in a round of a league',
}

/** A type of the application that is shown and has no words does not compile. */
const TYPES: Record<Exclude<ApplicationEventType, (typeof TOLD_BY_ROWS)[number]>, Type> = {
  'onboarding.completed': { describe: () => ({ title: 'Completed the onboarding' }) },
  'profile.completed': { describe: () => ({ title: 'Filled in the whole profile' }) },
  'reward.claimed': {
    describe: (data, { names, related }) => ({
      title: `Claimed the reward ${names.quote('reward', data.rewardId)}`,
      facts: factsOfReward(data, related, false),
    }),
    withoutData: 'Claimed a reward',
  },
  'reward.redeemed': {
    describe: (data, { names, related, personal }) => ({
      title: `Redeemed the reward ${names.quote('reward', data.rewardId)}`,
      facts: factsOfReward(data, related, personal),
    }),
    withoutData: 'Redeemed a reward',
  },
  'reward.claim_undone': {
    describe: data => ({ title: 'The club has undone a claim', facts: [idOf('Reward', data.rewardId)] }),
  },
  'reward.code_replaced': {
    describe: data => ({
      title: 'The club has replaced a redemption code',
      facts: [idOf('Reward', data.rewardId)],
    }),
  },
  'reward.use_undone': {
    describe: data => ({
      title: 'The club has undone the use of a code',
      facts: [idOf('Reward', data.rewardId), idOf('Order', data.orderId)],
    }),
  },
  'purchase.completed': {
    describe: (data, { names }) => ({
      title: `Paid for the pack ${names.quote('pack', data.packId)}`,
      facts: [idOf('Purchase', data.purchaseId)],
    }),
    withoutData: 'Paid for a pack',
  },
  'purchase.refunded': {
    describe: (data, { names }) => ({
      title: `Got a refund for the pack ${names.quote('pack', data.packId)}`,
      facts: [idOf('Purchase', data.purchaseId)],
    }),
    withoutData: 'Got a refund for a pack',
  },
  'pack.opened': {
    describe: ({ packId, userPackId, items }, { names }) => ({
      title: `Opened the pack ${names.quote('pack', packId)}`,
      detail:
        Array.isArray(items) && items.length > 0
          ? `Drew ${items.map(id => names.name('collectible', id)).join(', ')}.`
          : null,
      facts: [idOf('Pack', userPackId)],
    }),
    withoutData: 'Opened a pack',
  },
  'set.completed': {
    describe: (data, { names }) => ({
      title: `Completed the set ${names.quote('set', data.setId)}`,
      facts: [fact('Points', data.points)],
    }),
    withoutData: 'Completed a set',
  },
  'code.redeemed': {
    describe: (data, { names }) => ({
      title: `Redeemed a code of ${names.quote('campaign', data.campaignId)}`,
      facts: [fact('Points', data.points), idOf('Redemption', data.redemptionId)],
    }),
    withoutData: 'Redeemed a code',
  },
  'referral.completed': {
    describe: ({ role }) => ({
      title: role === 'inviter' ? 'Invited a fan' : 'Came by the invitation of a fan',
      tone: 'good',
    }),
    withoutData: 'An invitation was completed',
  },
  'consent.changed': {
    describe: ({ granted, purpose, version }) => ({
      title: granted ? 'Agreed to a document' : 'Withdrew a consent',
      facts: [fact('Purpose', purpose), fact('Version', version)],
    }),
    withoutData: 'Changed a consent',
  },
  'quest.completed': { describe: describeQuest, withoutData: 'Completed a quest' },
  'trade.completed': {
    describe: data => ({ title: 'Completed a trade', tone: 'good', facts: [idOf('Trade', data.tradeId)] }),
  },
  'report.resolved': {
    describe: data => ({
      title: data.actionTaken ? 'A report of this fan was upheld' : 'A report of this fan was dismissed',
      facts: [idOf('Report', data.reportId), fact('Reported', data.subjectKind)],
    }),
    withoutData: 'A report of this fan was decided',
  },
  'appeal.decided': {
    describe: data => ({
      title: data.granted ? 'The club granted an appeal' : 'The club refused an appeal',
      facts: [idOf('Sanction', data.sanctionId)],
    }),
    withoutData: 'The club decided an appeal',
  },
  'fan.merged': {
    describe: data => ({
      title: 'Another fan was merged into this one',
      facts: [idOf('Merged fan', data.fromUserId), fact('Points', data.balance)],
    }),
  },
  'wallet.linked': {
    describe: data => ({
      title: 'Linked a wallet',
      facts: [idOf('Address', data.address), fact('Chain', data.chainId)],
    }),
  },
  'match.checked_in': {
    describe: (data, { names }) => ({
      title: `Checked in at ${names.name('team', data.homeTeamId)} – ${names.name('team', data.awayTeamId)}`,
      facts: [idOf('Match', data.matchId)],
    }),
    withoutData: 'Checked in at a match',
  },
  'prediction.settled': {
    describe: (data, { names }) => ({
      title: `Predicted ${scoreOf(data.predicted)} for ${names.name('match', data.matchId)}, which ended ${scoreOf(data.result)}`,
      detail: detailOfPoints(data),
      facts: [idOf('Match', data.matchId), fact('Points', data.points), fact('Revision', data.revision)],
    }),
    withoutData: 'A prediction was settled',
  },
  'question.voted': {
    describe: ({ questionId }) => ({ title: 'Voted in a question', facts: [idOf('Question', questionId)] }),
    withoutData: 'Voted in a question',
  },
  'question.answered': {
    describe: ({ questionId, correct, points, revision }) => ({
      title: correct === true ? 'Had the right answer to a question' : 'Had a wrong answer to a question',
      facts: [idOf('Question', questionId), fact('Points', points), fact('Revision', revision)],
    }),
    withoutData: 'A vote was settled',
  },
  'points.expiring': {
    describe: ({ amount, expiresAt }) => ({
      title: `${isCount(amount) ? plural(amount, 'point') : 'Points'} will expire unless they are spent`,
      facts: [typeof expiresAt === 'string' ? timeFact('End', new Date(expiresAt)) : null],
    }),
    withoutData: 'Points were about to expire',
  },
  'tier.reached': ofTier('Reached a tier', 'good'),
  'tier.at_risk': ofTier('May lose a tier after the season', 'warn'),
  'tier.lost': ofTier('Lost a tier'),
  'segment.entered': {
    describe: ({ segmentId }) => ({ title: 'Is in a segment', facts: [idOf('Segment', segmentId)] }),
    withoutData: 'Entered a segment',
  },
  'segment.left': {
    describe: ({ segmentId }) => ({
      title: 'Is no longer in a segment',
      facts: [idOf('Segment', segmentId)],
    }),
    withoutData: 'Left a segment',
  },
  'league.round_closed': {
    describe: ({ leagueId, week, outcome, points, opponentPoints }) => ({
      title: typeof outcome === 'string' ? (ROUNDS[outcome] ?? ROUND_CLOSED) : ROUND_CLOSED,
      facts: [
        ...[idOf('League', leagueId), fact('Week', week), fact('Points', points)],
        fact('Points of the opponent', opponentPoints),
      ],
    }),
    withoutData: ROUND_CLOSED,
  },
  'division.promoted': ofDivision('Rose in a division', 'good'),
  'division.relegated': ofDivision('Fell in a division'),
  'membership.started': ofMembership('A membership has started', 'good'),
  'membership.renewed': ofMembership('A membership was renewed', 'good'),
  'membership.ended': ofMembership('A membership has ended'),
  'order.paid': ofOrder({ title: 'Paid an order', tone: 'good' }),
  'order.expired': ofOrder({ title: 'An order expired unpaid' }),
  'order.cancelled': ofOrder({ title: 'Cancelled an order' }),
  'order.refund_due': ofOrder({ title: 'An order must be refunded', tone: 'warn' }),
  'order.refunded': ofOrder({ title: 'An order was refunded' }),
  'order.withdrawn': ofOrder({ title: 'Withdrew from an order', tone: 'warn' }),
  'order.line_changed': {
    describe: ({ orderId, productId, state, carrier, tracking }, { names }) => ({
      title: `${names.quote('product', productId)} ${LINE_STATES[String(state)] ?? `is ${state}`}`,
      facts: [idOf('Order', orderId), fact('Carrier', carrier), fact('Tracking', tracking)],
    }),
    withoutData: 'A line of an order changed its state',
  },
}

const LINE_STATES: Record<string, string> = {
  none: 'is to be packed',
  ready: 'is packed',
  shipped: 'is on its way',
  delivered: 'was delivered',
  returned: 'came back',
}

function ofTier(title: string, tone?: Words['tone']): Type {
  return {
    describe: ({ accountId, tierId }) => ({
      title,
      ...(tone ? { tone } : {}),
      facts: [idOf('Account', accountId), idOf('Tier', tierId)],
    }),
  }
}

function ofDivision(title: string, tone?: Words['tone']): Type {
  return {
    describe: ({ divisionId, levelId, toLevelId, rank, points }) => ({
      title,
      ...(tone ? { tone } : {}),
      facts: [
        ...[idOf('Division', divisionId), idOf('Level before', levelId), idOf('Level', toLevelId)],
        ...[fact('Rank', rank), fact('Points', points)],
      ],
    }),
    withoutData: title,
  }
}

function ofMembership(title: string, tone?: Words['tone']): Type {
  return {
    describe: ({ ref, kindId, endsAt }) => ({
      title,
      ...(tone ? { tone } : {}),
      facts: [
        idOf('Kind', kindId),
        idOf('Membership', ref),
        typeof endsAt === 'string' ? timeFact('End', new Date(endsAt)) : null,
      ],
    }),
  }
}

function ofOrder(words: Words): Type {
  return { describe: data => ({ ...words, facts: [idOf('Order', data.orderId)] }) }
}

function idOf(name: string, value: unknown): Fact | null {
  return typeof value === 'string' ? idFact(name, value) : null
}

/** The current state of the claim, not its state at the time of the event. */
function factsOfReward({ rewardId }: EventData, related: Related, withCode: boolean): (Fact | null)[] {
  const claim = typeof rewardId === 'string' ? related.claims.get(rewardId) : undefined
  if (!claim) return []
  const { redeemedAt, redemptionCode, usedAt, usedBy } = claim
  return [
    timeFact('Redeemed', redeemedAt),
    withCode ? idFact('Code', redemptionCode) : null,
    timeFact('Used at the desk', usedAt),
    fact('Used by', usedBy),
  ]
}

function describeQuest(data: EventData, { names, related }: Context): Words {
  const { questId, kind, period, streak } = data
  const what = kind === 'achievement' ? 'achievement' : 'quest'
  const progress = related.quests.get(`${questId} ${period}`)
  return {
    title: `Completed the ${what} ${names.quote('quest', questId)}`,
    detail: isCount(streak) && streak > 1 ? `${streak} periods in a row.` : null,
    state: progress ? (progress.claimedAt ? 'claimed' : 'not claimed') : null,
    facts: [period === 'ever' ? null : fact('Period', period), timeFact('Claimed', progress?.claimedAt)],
  }
}

/** What the crowd and a joker did to the points of a prediction. */
function detailOfPoints({ bonus, joker }: EventData): string | null {
  const parts = [
    isCount(bonus) ? `${plural(bonus, 'point')} more, since other fans chose another outcome` : null,
    joker === true ? 'doubled by a joker' : null,
  ].filter(part => part !== null)
  return parts.length === 0 ? null : capitalized(`${parts.join('; ')}.`)
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function scoreOf(scores: unknown): string {
  // Guarantee of the cast: `applicationEvents` declares the member; deleted data has none.
  const { homeScore, awayScore } = (scores ?? {}) as Partial<Record<'homeScore' | 'awayScore', number>>
  return isCount(homeScore) && isCount(awayScore) ? `${homeScore}:${awayScore}` : 'unknown'
}
