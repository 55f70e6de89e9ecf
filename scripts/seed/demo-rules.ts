/** The demonstration rules: how a club's own systems let fans earn points. */
import type { RuleEntry } from '../../src/economy/rules/rule.ts'
import { type Calendar, calendarOf } from './calendar.ts'
import { inLanguages } from './texts/texts.ts'

const timeZone = 'Europe/Dublin'
const inEuros = { path: '/currency', op: 'eq', value: 'EUR' } as const

const entriesOf = ({ inDays }: Calendar): (RuleEntry & { name: string })[] => [
  {
    id: 'away-support',
    name: 'A match away from home',
    eventType: 'ticket.scanned',
    when: [{ path: '/away', op: 'eq', value: true }],
    points: { fixed: 100 },
    limit: { count: 1, per: 'day' },
    timeZone,
  },
  {
    id: 'big-basket',
    name: 'A purchase of €100 or more in the shop',
    eventType: 'shop.purchase',
    when: [inEuros, { path: '/amount', op: 'gte', value: 10_000 }],
    points: { fixed: 250 },
    limit: { count: 1, per: 'week' },
    timeZone,
  },
  {
    id: 'early-renewal',
    name: 'A membership renewed early',
    eventType: 'membership.renewed',
    when: [{ path: '/daysLeft', op: 'gte', value: 30 }],
    points: { fixed: 500 },
    limit: { count: 1, per: 'ever' },
    budget: 250_000,
    timeZone,
  },
  {
    id: 'match-attendance',
    name: 'A ticket scanned at the gate',
    eventType: 'ticket.scanned',
    points: { fixed: 50 },
    limit: { count: 1, per: 'day' },
    timeZone,
  },
  {
    id: 'shop-purchase',
    name: 'A point for each euro in the shop',
    eventType: 'shop.purchase',
    when: [inEuros],
    points: { per: '/amount', every: 100, points: 1 },
    limit: { count: 10, per: 'day' },
    timeZone,
  },
  {
    id: 'welcome-bonus',
    name: 'A new member of the supporters’ club',
    eventType: 'membership.joined',
    points: { fixed: 200 },
    limit: { count: 1, per: 'ever' },
    timeZone,
  },
  {
    id: 'opening-weekend',
    name: 'A ticket of the opening weekend',
    eventType: 'ticket.scanned',
    points: { fixed: 100 },
    limit: { count: 1, per: 'ever' },
    timeZone,
    startsAt: inDays(-154).toISOString(),
    endsAt: inDays(-152).toISOString(),
  },
]

export const rulesOf = (calendar: Calendar): RuleEntry[] =>
  entriesOf(calendar).map(rule => ({ ...rule, name: inLanguages(rule.name) }))

export const ruleIds = rulesOf(calendarOf(new Date(0))).map(({ id }) => id)
