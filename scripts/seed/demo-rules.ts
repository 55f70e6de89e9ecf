/** The demonstration rules: how a club's own systems let fans earn points. */
import type { RuleEntry } from '../../src/economy/rules/entry-schema.ts'
import { inLanguages } from './texts/texts.ts'

const timeZone = 'Europe/London'
const inPounds = { path: '/currency', op: 'eq', value: 'GBP' } as const

const entries: (RuleEntry & { name: string })[] = [
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
    name: 'A purchase of £100 or more in the shop',
    eventType: 'shop.purchase',
    when: [inPounds, { path: '/amount', op: 'gte', value: 10_000 }],
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
    name: 'A point for each pound in the shop',
    eventType: 'shop.purchase',
    when: [inPounds],
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
    startsAt: '2025-08-15T23:00:00.000Z',
    endsAt: '2025-08-17T23:00:00.000Z',
  },
]

export const rules: RuleEntry[] = entries.map(rule => ({ ...rule, name: inLanguages(rule.name) }))
