/**
 * What the page *Season* counts, of what is recorded about fans: the same for new records, which the sweep adds, and for all
 * records, which the verification adds up again. Counts are sums, so the order of fans does not matter.
 */
import type { Tables } from '../../../db/index.ts'
import { APPLICATION, type ApplicationEventType, type DataOf } from '../../economy/events/types.ts'
import { hasBit, noteResult, withBit } from './fan-bits.ts'
import { noSponsor, type SponsoredKind, type SponsorOf } from './sponsored.ts'

/** What is known of a fan. A tally changes it. */
export type FanRow = Tables['seasonFans']['$inferSelect']
export type FanEvent = Pick<
  Tables['events']['$inferSelect'],
  'userId' | 'source' | 'type' | 'recordedAt' | 'data'
>
export type Entry = Pick<
  Tables['pointsEntries']['$inferSelect'],
  'userId' | 'seq' | 'delta' | 'balanceAfter' | 'reason' | 'ref' | 'createdAt'
>

interface Price {
  amount: number
  currency: string
}

export interface Count {
  kind: string
  /** A day, week or minute since 1970, or a number of points. */
  bucket: number
  name: string
  amount: number
}

/** Steps of the funnel, by the bit in `season_fans.steps`. Fans with a row have signed in. */
export const STEPS = ['signedIn', 'onboarded', 'predicted', 'claimed', 'redeemed', 'bought'] as const
const ONBOARDED = 1
export const PREDICTED = 2
const CLAIMED = 3
const REDEEMED = 4
const BOUGHT = 5
/** Weeks after joining in which activity is counted: a number has enough bits. */
export const WEEKS = 52

/** The bucket of counts without a time. */
export const EVER = 0

const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

export const dayNumber = (instant: Date) => Math.floor(instant.getTime() / DAY_MS)
export const minuteNumber = (instant: Date) => Math.floor(instant.getTime() / MINUTE_MS)
/** 1 January 1970 was a Thursday; weeks begin on Monday. */
export const weekOf = (day: number) => Math.floor((day + 3) / 7)
export const weekNumber = (instant: Date) => weekOf(dayNumber(instant))
export const mondayOf = (week: number) => new Date((week * 7 - 3) * DAY_MS)

/** Below 1,000 points each balance is counted by itself, above by its first three digits. */
export function roundBalance(balance: number): number {
  const step = 10 ** Math.max(0, String(balance).length - 3)
  return balance - (balance % step)
}

/** Types that are no action of the fan: what the club did. A settled prediction is: fans can withdraw the others. */
const passive: ApplicationEventType[] = [
  ...(['points.expiring', 'report.resolved', 'sanction.applied', 'sanction.lifted'] as const),
  ...(['appeal.decided', 'order.expired', 'order.refund_due', 'order.refunded'] as const),
  ...(['order.line_changed', 'purchase.refunded', 'reward.claim_undone', 'reward.code_replaced'] as const),
  ...(['reward.use_undone', 'fan.merged', 'question.answered'] as const),
]
const PASSIVE = new Set<string>(passive)
const STEP_OF: Record<string, number | undefined> = {
  'onboarding.completed': ONBOARDED,
  'reward.claimed': CLAIMED,
  'reward.redeemed': REDEEMED,
  'purchase.completed': BOUGHT,
  'order.paid': BOUGHT,
}
const MINUTES_OF: Record<string, string | undefined> = {
  'match.checked_in': 'minute.checkIns',
  'pack.opened': 'minute.packs',
}
/** The kind of what gave or took points, for its sponsor. */
const SPONSORED_BY: Record<string, SponsoredKind | undefined> = {
  quest: 'quest',
  prediction: 'match',
  prediction_void: 'match',
  question: 'question',
  question_void: 'question',
}
/** What fans do with what a sponsor supports. */
export const ACTIONS = ['claimed', 'redeemed', 'completed', 'bought', 'checkedIn', 'voted'] as const
type Action = (typeof ACTIONS)[number]

type DetailedData = DataOf<'reward.claimed'> &
  DataOf<'quest.completed'> &
  DataOf<'purchase.completed'> &
  DataOf<'order.paid'> &
  DataOf<'match.checked_in'> &
  Pick<DataOf<'question.voted'>, 'questionId'>
/** Types whose data name what is counted. */
const DETAILED = new Set([
  ...[
    'reward.claimed',
    'reward.redeemed',
    'reward.claim_undone',
    'quest.completed',
    'purchase.completed',
    'order.paid',
    'match.checked_in',
    'question.voted',
  ],
])

/** Recorded only if a system asked for them. */
export const isNotice = (type: string | null) => type === 'points.changed' || type === 'cash.changed'

/** Numbers of the subjects that fans can have: assigned at the first use. */
export type NumberOf = (kind: string, name: string) => number

export function createTally(numberOf: NumberOf, sponsorOf: SponsorOf = noSponsor) {
  const counts = new Map<string, Count>()

  function add(kind: string, bucket: number, name: string, amount: number): void {
    const count = counts.getOrInsertComputed(`${kind}\n${bucket}\n${name}`, () => ({
      kind,
      bucket,
      name,
      amount: 0,
    }))
    count.amount += amount
  }

  /** Something that a fan can have again, by week: `fans` and `repeats` count each fan once, ever. */
  function addResult(fan: FanRow, kind: string, bucket: number, name: string, times = 1): void {
    add(`${kind}.times`, bucket, name, times)
    const number = numberOf(kind, name)
    for (let nth = 0; nth < Math.min(times, 2); nth++) {
      const { results, change } = noteResult(fan.results, number)
      fan.results = results
      if (change) add(`${kind}.${change}`, EVER, name, 1)
    }
  }

  /** For the sponsor of the entry, if it has one: by day what was done, and each fan once, ever. */
  function addSponsored(
    fan: FanRow,
    at: Date,
    action: Action,
    [kind, id]: [SponsoredKind, string],
    times = 1,
  ) {
    const sponsor = sponsorOf(kind, id, at)
    if (sponsor === null) return null
    add('sponsor.day', dayNumber(at), `${sponsor} ${action}`, times)
    addResult(fan, 'sponsor', weekNumber(at), sponsor, times)
    return sponsor
  }

  const noteStep = (fan: FanRow, step: number) => {
    fan.steps = withBit(fan.steps, step)
  }

  function noteActivity(fan: FanRow, at: Date): void {
    const week = weekNumber(at) - fan.week
    if (week >= 0 && week < WEEKS) fan.weeks = withBit(fan.weeks, week)
  }

  function addEvent(fan: FanRow, { source, type, recordedAt, data }: FanEvent): void {
    if (type === null || isNotice(type)) return
    if (source !== APPLICATION || !PASSIVE.has(type)) noteActivity(fan, recordedAt)
    if (source !== APPLICATION) return
    const day = dayNumber(recordedAt)
    add('event', day, type, 1)
    const [step, minutes] = [STEP_OF[type], MINUTES_OF[type]]
    if (step !== undefined) noteStep(fan, step)
    if (minutes) add(minutes, minuteNumber(recordedAt), '', 1)
    if (data !== null) addData(fan, recordedAt, type, data)
  }

  function addData(fan: FanRow, at: Date, type: string, text: string): void {
    if (!DETAILED.has(type)) return
    const week = weekNumber(at)
    // Guarantee of the cast: an event of the application has the data of its type, which are these.
    const data = JSON.parse(text) as Partial<DetailedData>
    if (type === 'reward.claimed') {
      addResult(fan, 'reward', week, data.rewardId ?? '')
      add('reward.given', EVER, data.rewardId ?? '', 1)
      addSponsored(fan, at, 'claimed', ['reward', data.rewardId ?? ''])
    }
    if (type === 'reward.redeemed') {
      add('reward.redeemed', week, data.rewardId ?? '', 1)
      addSponsored(fan, at, 'redeemed', ['reward', data.rewardId ?? ''])
    }
    if (type === 'reward.claim_undone') add('reward.undone', EVER, data.rewardId ?? '', 1)
    if (type === 'quest.completed') {
      addResult(fan, 'quest', week, data.questId ?? '')
      addSponsored(fan, at, 'completed', ['quest', data.questId ?? ''])
    }
    if (type === 'match.checked_in') addSponsored(fan, at, 'checkedIn', ['match', data.matchId ?? ''])
    if (type === 'question.voted') addSponsored(fan, at, 'voted', ['question', data.questionId ?? ''])
    if (type === 'purchase.completed' && data.price) {
      addResult(fan, 'pack', week, data.packId ?? '')
      add('pack.sum', week, `${data.price.currency} ${data.packId}`, data.price.amount)
      addPaid(week, addSponsored(fan, at, 'bought', ['pack', data.packId ?? '']), data.price, 1)
    }
    for (const { productId, quantity, price } of data.lines ?? []) {
      addResult(fan, 'product', week, productId, quantity)
      add('product.sum', week, `${price.currency} ${productId}`, price.amount * quantity)
      addPaid(week, addSponsored(fan, at, 'bought', ['product', productId], quantity), price, quantity)
    }
  }

  function addPaid(week: number, sponsor: string | null, price: Price, units: number): void {
    if (sponsor !== null) add('sponsor.sum', week, `${price.currency} ${sponsor}`, price.amount * units)
  }

  /** `isMoved`: false for an entry whose effect on the balance is counted already. */
  function addEntry(fan: FanRow, entry: Entry, isMoved = true): void {
    const { delta, balanceAfter, reason, ref, seq } = entry
    const day = dayNumber(entry.createdAt)
    add(delta > 0 ? 'points.in' : 'points.out', day, reason, Math.abs(delta))
    if (isMoved) {
      add('balance', roundBalance(balanceAfter), '', 1)
      if (seq > 1) add('balance', roundBalance(balanceAfter - delta), '', -1)
    }
    // A slug has no colon: the first part of the ref of a rule is the rule, of a quest the quest.
    const [name = ''] = ref.split(':', 1)
    const week = weekNumber(entry.createdAt)
    if (reason === 'rule') addResult(fan, 'rule', week, name)
    if (reason === 'rule' || reason === 'rule_void') add('rule.points', week, name, delta)
    if (reason === 'quest') add('quest.points', week, name, delta)
    const kind = SPONSORED_BY[reason]
    const sponsor = kind ? sponsorOf(kind, name, entry.createdAt) : null
    if (sponsor !== null) add('sponsor.points', week, sponsor, delta)
  }

  function addPrediction(fan: FanRow, at: Date): void {
    noteStep(fan, PREDICTED)
    add('minute.predictions', minuteNumber(at), '', 1)
  }

  /** The fan in the sums of all fans, of the team and of the country. `sign`: -1 for what the fan was before. */
  function addFan({ week, teamId, country, steps, weeks }: FanRow, sign: 1 | -1): void {
    const segments = [
      'all',
      ...(teamId ? [`team:${teamId}`] : []),
      ...(country ? [`country:${country}`] : []),
    ]
    for (const segment of segments) {
      const kind = `cohort:${segment}`
      add('segment', EVER, segment, sign)
      for (let step = 0; step < STEPS.length; step++)
        if (hasBit(steps, step)) add(kind, week, `step:${step}`, sign)
      for (let nth = 0; nth < WEEKS; nth++) if (hasBit(weeks, nth)) add(kind, week, `week:${nth}`, sign)
    }
  }

  return { add, addEvent, addEntry, addPrediction, addFan, list: () => [...counts.values()] }
}

export type Tally = ReturnType<typeof createTally>

export interface KnownFan {
  id: string
  createdAt: Date
  favoriteTeamId: string | null
  country: string | null
}

/** A fan with nothing counted but the sign-in. */
export const newFanRow = ({ id, createdAt, favoriteTeamId, country }: KnownFan): FanRow => ({
  userId: id,
  week: weekNumber(createdAt),
  teamId: favoriteTeamId,
  country,
  steps: 1,
  weeks: 0,
  results: '',
  stated: false,
})
