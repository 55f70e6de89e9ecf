/** What each type of event of Matchday itself says in the timeline. */
import type { Tables } from '../../../../../db/index.ts'
import { dataOf, type EventData } from '../../../../economy/events/event.ts'
import { APPLICATION, type ApplicationEventType } from '../../../../economy/events/types.ts'
import { type Fact, fact, idFact, isCount, plural, type Shown, timeFact } from './item.ts'
import type { TOLD_BY_ROWS } from './kinds.ts'
import { isolate, type Names, partId } from './names.ts'
import { ofPeriod, periodInWords } from './periods.ts'
import type { Related, RelatedTrade } from './related.ts'

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

const ROUND_CLOSED = 'A round was closed in the league'
/** By outcome. */
const ROUNDS: Record<string, string> = {
  won: 'Won a round of the league',
  drawn: 'Drew a round of the league',
  lost: 'Lost a round of the league',
  bye: 'Had no opponent in a round of the league',
}

/** What a report is about. */
const SUBJECTS: Record<string, string> = {
  locker: 'a locker room',
  trade: 'a trade',
  league: 'a league',
}

/** By kind. */
const SANCTIONS: Record<string, string> = {
  hide: 'being hidden',
  mute: 'being muted',
  suspend: 'a suspension',
}

/** A type of the application that is shown and has no words does not compile. */
const TYPES: Record<Exclude<ApplicationEventType, (typeof TOLD_BY_ROWS)[number]>, Type> = {
  'onboarding.completed': {
    describe: ({ points }) => ({ title: 'Completed the onboarding', facts: [fact('Points', points)] }),
  },
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
    describe: ({ rewardId }, { names }) => ({
      title: `The club has undone the claim of the reward ${names.quote('reward', rewardId)}`,
      facts: [idOf('Reward', rewardId)],
    }),
    withoutData: 'The club has undone a claim',
  },
  'reward.code_replaced': {
    describe: ({ rewardId }, { names }) => ({
      title: `The club has replaced the code of the reward ${names.quote('reward', rewardId)}`,
      facts: [idOf('Reward', rewardId)],
    }),
    withoutData: 'The club has replaced a redemption code',
  },
  'reward.use_undone': {
    describe: ({ rewardId, orderId }, { names }) => ({
      title:
        typeof rewardId === 'string'
          ? `The club has undone the use of the code of the reward ${names.quote('reward', rewardId)}`
          : `The club has undone the use of a voucher of the order of ${names.name('order', orderId)}`,
      facts: [idOf('Reward', rewardId), idOf('Order', orderId)],
    }),
    withoutData: 'The club has undone the use of a code',
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
    describe: ({ granted, purpose, documentId, version }) => ({
      title: `${granted ? 'Agreed to' : 'Withdrew the consent for'} ${purposeInWords(purpose)}`,
      detail: typeof version === 'string' ? `Version ${isolate(version)} of the document.` : null,
      facts: [idOf('Document', documentId), fact('Purpose', purpose), fact('Version', version)],
    }),
    withoutData: 'Changed a consent',
  },
  'quest.completed': { describe: describeQuest, withoutData: 'Completed a quest' },
  'trade.completed': {
    describe: ({ tradeId, want }, { names, related }) => {
      const trade = typeof tradeId === 'string' ? related.trades.get(tradeId) : undefined
      const what = want === 0 ? 'gift' : 'trade'
      return {
        title: trade
          ? `Completed a ${what} with ${names.quote('fan', trade.otherId)}`
          : `Completed a ${what}`,
        detail: trade ? detailOfTrade(trade, names) : null,
        tone: 'good',
        otherFanId: trade?.otherId ?? null,
        facts: [idOf('Trade', tradeId)],
      }
    },
    withoutData: 'Completed a trade',
  },
  'report.resolved': {
    describe: ({ actionTaken, reportId, subjectKind }) => ({
      title: `A report by this fan about ${SUBJECTS[String(subjectKind)] ?? 'another fan'} was ${actionTaken ? 'upheld' : 'dismissed'}`,
      facts: [idOf('Report', reportId)],
    }),
    withoutData: 'A report by this fan was decided',
  },
  'appeal.decided': {
    describe: ({ granted, sanctionId }, { names }) => ({
      title: `The club ${granted ? 'granted' : 'refused'} the appeal against ${SANCTIONS[names.word('sanction', sanctionId)] ?? 'a sanction'}`,
      facts: [idOf('Sanction', sanctionId)],
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
      title: `Linked the wallet ${shortAddress(data.address)}`,
      facts: [idOf('Address', data.address), fact('Chain', data.chainId)],
    }),
    withoutData: 'Linked a wallet',
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
    describe: ({ questionId }, { names }) => ({
      title: `Voted in ${names.quote('question', questionId)}`,
      facts: [idOf('Question', questionId)],
    }),
    withoutData: 'Voted in a question',
  },
  'question.answered': {
    describe: ({ questionId, correct, points, revision }, { names }) => ({
      title: `Had ${correct === true ? 'the right' : 'a wrong'} answer to ${names.quote('question', questionId)}`,
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
  'tier.reached': ofTier('Reached the tier', 'Reached a tier', 'good'),
  'tier.at_risk': ofTier('May lose, after the season, the tier', 'May lose a tier after the season', 'warn'),
  'tier.lost': ofTier('Lost the tier', 'Lost a tier'),
  'segment.entered': {
    describe: ({ segmentId }, { names }) => ({
      title: `Is in the segment ${names.quote('segment', segmentId)}`,
      facts: [idOf('Segment', segmentId)],
    }),
    withoutData: 'Entered a segment',
  },
  'segment.left': {
    describe: ({ segmentId }, { names }) => ({
      title: `Is no longer in the segment ${names.quote('segment', segmentId)}`,
      facts: [idOf('Segment', segmentId)],
    }),
    withoutData: 'Left a segment',
  },
  'league.round_closed': {
    describe: ({ leagueId, week, outcome, points, opponentPoints }, { names }) => ({
      title: `${(typeof outcome === 'string' ? ROUNDS[outcome] : undefined) ?? ROUND_CLOSED} ${names.quote('league', leagueId)}`,
      detail: isCount(points)
        ? `${isCount(opponentPoints) ? `${points}:${plural(opponentPoints, 'point')}` : plural(points, 'point')} in ${periodInWords(week)}.`
        : null,
      facts: [
        ...[idOf('League', leagueId), fact('Week', week), fact('Points', points)],
        fact('Points of the opponent', opponentPoints),
      ],
    }),
    withoutData: 'A round of a league was closed',
  },
  'division.promoted': ofDivision('Rose', 'good'),
  'division.relegated': ofDivision('Fell'),
  'membership.started': ofMembership('has started', 'good'),
  'membership.renewed': ofMembership('was renewed', 'good'),
  'membership.ended': ofMembership('has ended'),
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

function ofTier(words: string, withoutData: string, tone?: Words['tone']): Type {
  return {
    describe: ({ accountId, tierId, toTierId }, { names }) => ({
      title: `${words} ${names.quote('tier', partId(accountId, tierId))} of ${names.quote('account', accountId)}`,
      detail:
        typeof toTierId === 'string' ? `Now: ${names.quote('tier', partId(accountId, toTierId))}.` : null,
      ...(tone ? { tone } : {}),
      facts: [idOf('Account', accountId), idOf('Tier', tierId)],
    }),
    withoutData,
  }
}

function ofDivision(verb: string, tone?: Words['tone']): Type {
  return {
    describe: ({ divisionId, levelId, toLevelId, rank, points }, { names }) => {
      const [from, to] = [levelId, toLevelId].map(level => names.name('level', partId(divisionId, level)))
      return {
        title: `${verb} from ${from} to ${to} in the division ${names.quote('division', divisionId)}`,
        detail: isCount(rank) && isCount(points) ? `Rank ${rank} with ${plural(points, 'point')}.` : null,
        ...(tone ? { tone } : {}),
        facts: [
          ...[idOf('Division', divisionId), idOf('Level before', levelId), idOf('Level', toLevelId)],
          ...[fact('Rank', rank), fact('Points', points)],
        ],
      }
    },
    withoutData: `${verb} in a division`,
  }
}

function ofMembership(verb: string, tone?: Words['tone']): Type {
  return {
    describe: ({ ref, kindId, endsAt }, { names }) => ({
      title: `The membership ${names.quote('membership', kindId)} ${verb}`,
      ...(tone ? { tone } : {}),
      facts: [
        idOf('Kind', kindId),
        idOf('Membership', ref),
        typeof endsAt === 'string' ? timeFact('End', new Date(endsAt)) : null,
      ],
    }),
    withoutData: `A membership ${verb}`,
  }
}

function ofOrder(words: Words): Type {
  return {
    describe: ({ orderId, lines }, { names }) => ({
      ...words,
      detail: detailOfLines(lines, names),
      facts: [idOf('Order', orderId)],
    }),
    withoutData: words.title,
  }
}

/** What was ordered, or withdrawn. */
function detailOfLines(lines: unknown, names: Names): string | null {
  // Guarantee of the cast: `applicationEvents` declares the members.
  const listed = (Array.isArray(lines) ? lines : []) as { quantity: number; productId: string }[]
  const words = listed.map(({ quantity, productId }) => `${quantity} × ${names.name('product', productId)}`)
  return words.join(', ') || null
}

function detailOfTrade({ gave, got }: RelatedTrade, names: Names): string {
  const list = (items: RelatedTrade['got']) =>
    items.map(item => `${names.name('collectible', item.collectibleId)} #${item.serialNumber}`).join(', ')
  const parts = [got.length > 0 ? `got ${list(got)}` : null, gave.length > 0 ? `gave ${list(gave)}` : null]
  return capitalized(`${parts.filter(part => part !== null).join('; ')}.`)
}

/** A purpose is a slug, such as `third-party-offers`. */
const purposeInWords = (purpose: unknown): string =>
  typeof purpose === 'string' ? isolate(purpose.replaceAll(/[-_]+/g, ' ')) : 'a document'

const shortAddress = (address: unknown): string =>
  typeof address === 'string' ? `${address.slice(0, 6)}…${address.slice(-4)}` : 'of a fan'

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
    title: `Completed the ${what} ${names.quote('quest', questId)}${ofPeriod(period)}`,
    detail: isCount(streak) && streak > 1 ? `${streak} periods in a row.` : null,
    state: progress ? (progress.claimedAt ? 'claimed' : 'not claimed') : null,
    facts: [timeFact('Claimed', progress?.claimedAt)],
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
