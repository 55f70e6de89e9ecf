/** An event of the timeline in words, with what its rules decided. */
import type { Tables } from '../../../../../db/index.ts'
import { decisionsOf, parseJson } from '../../../../economy/events/event.ts'
import { APPLICATION } from '../../../../economy/events/types.ts'
import type { TakenGrant } from '../../../../economy/rules/apply-rules.ts'
import type { Decision } from '../../../../economy/rules/decision.ts'
import { type Data, dataOf } from './event-data.ts'
import { type Fact, fact, idFact, isCount, plural, type Shown, timeFact } from './item.ts'
import { kindOfEvent } from './kinds.ts'
import { isolate, type Names, type WantedNames } from './names.ts'
import type { Related } from './related.ts'

type EventRow = Tables['events']['$inferSelect']

/** The names that `presentEvent` asks for. */
export function wantOfEvent(row: EventRow, names: WantedNames): void {
  names.want('rule', ...decisionsOf(row).map(({ ruleId }) => ruleId))
  if (row.source !== APPLICATION) return
  const { rewardId, packId, items, setId, questId, homeTeamId, awayTeamId, productId } = dataOf(row)
  names.want('reward', rewardId)
  names.want('pack', packId)
  names.want('set', setId)
  names.want('quest', questId)
  names.want('product', productId)
  names.want('team', homeTeamId, awayTeamId)
  if (Array.isArray(items)) names.want('collectible', ...items)
}

interface Context {
  names: Names
  related: Related
  /** Whether the role sees personal data. */
  personal: boolean
}

export function presentEvent(row: EventRow, context: Context): Shown {
  const type = row.type ?? ''
  const own = row.source === APPLICATION ? describe(row, type, context) : undefined
  const decisions = decisionsOf(row)
  const taken = parseJson<TakenGrant[]>(row.taken) ?? []
  return {
    kind: kindOfEvent(type),
    title: `${isolate(type)} reported by ${isolate(row.source)}`,
    ...own,
    detail: joined([
      own?.detail,
      ...decisions.map(one => describeDecision(one, context.names)),
      voidedBy(taken),
    ]),
    tone: row.voidedAt ? 'warn' : (own?.tone ?? 'neutral'),
    state: row.voidedAt ? 'voided' : (own?.state ?? null),
    event: { source: row.source, eventId: row.eventId },
    facts: [
      ...(own?.facts ?? []),
      fact('Type', type),
      fact('Source', row.source),
      idFact('Event', row.eventId),
      fact('Sequence', row.sequence),
      timeFact('Occurred', row.occurredAt),
      timeFact('Voided', row.voidedAt),
      context.personal ? fact('Note of the void', row.voidNote) : null,
    ],
  }
}

/** “Buy a shirt” granted 10 points. */
function describeDecision({ ruleId, outcome, points, window }: Decision, names: Names): string {
  const rule = `Rule ${names.quote('rule', ruleId)}`
  if (outcome === 'granted') return `${rule} granted ${plural(points, 'point')}.`
  if (outcome === 'limit')
    return `${rule} granted nothing: its limit was reached${window ? ` (${window})` : ''}.`
  if (outcome === 'full')
    return `${rule} granted nothing: the account could not hold ${plural(points, 'point')} more.`
  return `${rule} granted nothing: ${plural(points, 'point')} did not fit into the rest of its budget.`
}

function voidedBy(taken: TakenGrant[]): string | undefined {
  if (taken.length === 0) return undefined
  const points = taken.reduce((sum, grant) => sum + grant.points, 0)
  const uncollected = taken.reduce((sum, grant) => sum + grant.uncollected, 0)
  return `Its void took ${plural(points, 'point')} back${uncollected > 0 ? `; ${uncollected} had been spent` : ''}.`
}

const joined = (parts: (string | null | undefined)[]): string | null =>
  parts.filter(part => typeof part === 'string' && part !== '').join(' ') || null

const MATCH_SIDES = (data: Data, names: Names) =>
  `${names.name('team', data.homeTeamId)} – ${names.name('team', data.awayTeamId)}`

const scoreOf = (scores: unknown): string => {
  // Guarantee of the cast: `applicationEvents` declares the member; deleted data has none.
  const { homeScore, awayScore } = (scores ?? {}) as Partial<Record<'homeScore' | 'awayScore', number>>
  return isCount(homeScore) && isCount(awayScore) ? `${homeScore}:${awayScore}` : 'unknown'
}

type Own = Omit<Shown, 'kind' | 'event'>

const describe = (row: EventRow, type: string, context: Context): Own | undefined => {
  const known = describeOwn(type, dataOf(row), context)
  const title = row.data === null ? WITHOUT_DATA[type] : undefined
  return title === undefined ? known : { title, detail: 'Its details are no longer stored.' }
}

/** Types whose sentences need data, with sentences for events without data. */
const WITHOUT_DATA: Record<string, string> = {
  'reward.claimed': 'Claimed a reward',
  'reward.redeemed': 'Redeemed a reward',
  'purchase.completed': 'Paid for a pack',
  'purchase.refunded': 'Got a refund for a pack',
  'pack.opened': 'Opened a pack',
  'set.completed': 'Completed a set',
  'quest.completed': 'Completed a quest',
  'report.resolved': 'A report of this fan was decided',
  'appeal.decided': 'The club decided an appeal',
  'match.checked_in': 'Checked in at a match',
  'prediction.settled': 'A prediction was settled',
  'points.expiring': 'Points were about to end',
  'order.line_changed': 'A line of an order changed its state',
}

/** Undefined for a type of a later version. */
function describeOwn(type: string, data: Data, { names, related, personal }: Context): Own | undefined {
  const quote = names.quote
  switch (type) {
    case 'onboarding.completed':
      return { title: 'Completed the onboarding' }
    case 'profile.completed':
      return { title: 'Filled in the whole profile' }
    case 'reward.claimed':
      return {
        title: `Claimed the reward ${quote('reward', data.rewardId)}`,
        facts: factsOfReward(data, related, false),
      }
    case 'reward.redeemed':
      return {
        title: `Redeemed the reward ${quote('reward', data.rewardId)}`,
        facts: factsOfReward(data, related, personal),
      }
    case 'purchase.completed':
      return {
        title: `Paid for the pack ${quote('pack', data.packId)}`,
        facts: [idOf('Purchase', data.purchaseId)],
      }
    case 'purchase.refunded':
      return {
        title: `Got a refund for the pack ${quote('pack', data.packId)}`,
        facts: [idOf('Purchase', data.purchaseId)],
      }
    case 'pack.opened': {
      const items = Array.isArray(data.items) ? data.items : []
      const detail =
        items.length > 0 ? `Drew ${items.map(id => names.name('collectible', id)).join(', ')}.` : null
      return {
        title: `Opened the pack ${quote('pack', data.packId)}`,
        detail,
        facts: [idOf('Pack', data.userPackId)],
      }
    }
    case 'set.completed':
      return { title: `Completed the set ${quote('set', data.setId)}`, facts: [fact('Points', data.points)] }
    case 'quest.completed':
      return describeQuest(data, { names, related })
    case 'trade.completed':
      return { title: 'Completed a trade', tone: 'good', facts: [idOf('Trade', data.tradeId)] }
    case 'report.resolved':
      return {
        title: data.actionTaken ? 'A report of this fan was upheld' : 'A report of this fan was dismissed',
        facts: [idOf('Report', data.reportId), fact('Reported', data.subjectKind)],
      }
    case 'appeal.decided':
      return {
        title: data.granted ? 'The club granted an appeal' : 'The club refused an appeal',
        facts: [idOf('Sanction', data.sanctionId)],
      }
    case 'fan.merged':
      return {
        title: 'Another fan was merged into this one',
        facts: [idOf('Merged fan', data.fromUserId), fact('Points', data.balance)],
      }
    case 'reward.claim_undone':
      return { title: 'The club has undone a claim', facts: [idOf('Reward', data.rewardId)] }
    case 'reward.code_replaced':
      return { title: 'The club has replaced a redemption code', facts: [idOf('Reward', data.rewardId)] }
    case 'reward.use_undone':
      return {
        title: 'The club has undone the use of a code',
        facts: [idOf('Reward', data.rewardId), idOf('Order', data.orderId)],
      }
    case 'wallet.linked':
      return {
        title: 'Linked a wallet',
        facts: [idOf('Address', data.address), fact('Chain', data.chainId)],
      }
    case 'match.checked_in':
      return { title: `Checked in at ${MATCH_SIDES(data, names)}`, facts: [idOf('Match', data.matchId)] }
    case 'prediction.settled':
      return {
        title: `A prediction was settled: predicted ${scoreOf(data.predicted)}, result ${scoreOf(data.result)}`,
        facts: [idOf('Match', data.matchId), fact('Points', data.points), fact('Revision', data.revision)],
      }
    case 'points.expiring':
      return {
        title: `${isCount(data.amount) ? plural(data.amount, 'point') : 'Points'} will end unless they are spent`,
        facts: [typeof data.expiresAt === 'string' ? timeFact('End', new Date(data.expiresAt)) : null],
      }
    default:
      return describeOrder(type, data, names)
  }
}

const idOf = (name: string, value: unknown): Fact | null =>
  typeof value === 'string' ? idFact(name, value) : null

/** The current state of the claim, not its state at the time of the event. */
function factsOfReward({ rewardId }: Data, related: Related, withCode: boolean): (Fact | null)[] {
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

function describeQuest(data: Data, { names, related }: Pick<Context, 'names' | 'related'>): Own {
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

const ORDER_TITLES: Record<string, Own> = {
  'order.paid': { title: 'Paid an order', tone: 'good' },
  'order.expired': { title: 'An order expired unpaid' },
  'order.cancelled': { title: 'Cancelled an order' },
  'order.refund_due': { title: 'An order must be refunded', tone: 'warn' },
  'order.refunded': { title: 'An order was refunded' },
}

function describeOrder(type: string, data: Data, names: Names): Own | undefined {
  const facts = [idOf('Order', data.orderId)]
  if (type === 'order.line_changed')
    return {
      title: `${names.quote('product', data.productId)} is ${data.state}`,
      facts: [...facts, fact('Carrier', data.carrier), fact('Tracking', data.tracking)],
    }
  const known = ORDER_TITLES[type]
  return known && { ...known, facts }
}
