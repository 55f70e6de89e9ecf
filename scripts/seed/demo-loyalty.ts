/** The demonstration accounts, memberships, codes and segments, and the rules that pay into the accounts. */
import type { CatalogueRecord } from '../../src/play/catalogue-file/kinds.ts'
import type { Calendar } from './calendar.ts'
import { documents } from './demo-documents.ts'
import { inLanguages } from './texts/texts.ts'

/** What the ticket office imports for each fan and season. */
export const IMPORTED = 'loyalty.imported'
export const SHARED_CODE = 'DERBY-DAY'
export const UNIQUE_CAMPAIGN = 'scratch-card'
export const [SEASON_TICKET, MEMBER] = ['season-ticket', 'member']

const timeZone = 'Europe/Dublin'

const tier = (id: string, name: string, from: number, ...benefits: string[]) => ({
  id,
  name: inLanguages(name),
  from,
  benefits: benefits.map(inLanguages),
  graceDays: 30,
})

/** In the order of an import. */
export function loyaltyOf({ now, inDays }: Calendar): CatalogueRecord[] {
  const fromNow = { startsAt: now.toISOString(), timeZone, limit: { count: 1, per: 'day' } } as const
  return [
    {
      kind: 'account',
      entry: {
        id: 'loyalty',
        name: inLanguages('Loyalty points'),
        unit: inLanguages('points'),
        window: { seasons: 3 },
        public: true,
        tiers: [
          tier('bronze', 'Bronze', 100, 'Tickets a day before the general sale'),
          tier('silver', 'Silver', 400, 'Tickets two days before the general sale'),
          tier('gold', 'Gold', 900, 'First choice of away tickets'),
        ],
      },
    },
    {
      kind: 'account',
      entry: {
        id: 'away',
        name: inLanguages('Away trips'),
        unit: inLanguages('trips'),
        window: null,
        public: true,
        tiers: [
          tier('traveller', 'Traveller', 3, 'A seat on the first coach'),
          tier('road-captain', 'Road captain', 12, 'First choice of away tickets'),
        ],
      },
    },
    {
      kind: 'segment',
      entry: {
        id: 'holders',
        name: inLanguages('Holders of a season ticket'),
        when: [{ fact: 'membership', op: 'eq', value: SEASON_TICKET }],
        tracked: true,
      },
    },
    {
      kind: 'segment',
      entry: {
        id: 'regulars',
        name: inLanguages('Often at the ground, no season ticket'),
        when: [
          { fact: 'checkIns', op: 'gte', value: 3 },
          { fact: 'membership', op: 'ne', value: SEASON_TICKET },
        ],
      },
    },
    {
      kind: 'segment',
      entry: {
        id: 'gold-news',
        name: inLanguages('Gold fans who want news'),
        when: [
          { fact: 'tier.loyalty', op: 'eq', value: 'gold' },
          { fact: 'consent.marketing', op: 'eq', value: true },
        ],
      },
    },
    {
      kind: 'membership',
      entry: {
        id: SEASON_TICKET,
        name: inLanguages('Season ticket'),
        description: inLanguages('Every league match at home, in the same seat.'),
        benefits: ['Your seat at every home match', 'Priority for away games'].map(inLanguages),
      },
    },
    {
      kind: 'membership',
      entry: {
        id: MEMBER,
        name: inLanguages('Member'),
        description: inLanguages('Part of the club, wherever you live.'),
        benefits: [inLanguages('Ten per cent off in the shop')],
      },
    },
    {
      kind: 'rule',
      entry: {
        id: 'loyalty-imported',
        name: inLanguages('Loyalty points of earlier seasons'),
        eventType: IMPORTED,
        points: { per: '/points', every: 1, points: 1 },
        account: 'loyalty',
        timeZone,
      },
    },
    {
      kind: 'rule',
      entry: {
        id: 'away-imported',
        name: inLanguages('Away trips of earlier seasons'),
        eventType: IMPORTED,
        when: [{ path: '/away', op: 'gte', value: 1 }],
        points: { per: '/away', every: 1, points: 1 },
        account: 'away',
        timeZone,
      },
    },
    {
      kind: 'rule',
      entry: {
        id: 'loyalty-attendance',
        name: inLanguages('Loyalty points for a check-in at the ground'),
        eventType: 'match.checked_in',
        points: { fixed: 20 },
        account: 'loyalty',
        ...fromNow,
      },
    },
    {
      kind: 'rule',
      entry: {
        id: 'away-trip',
        name: inLanguages('An away trip for an away ticket scanned'),
        eventType: 'ticket.scanned',
        when: [{ path: '/away', op: 'eq', value: true }],
        points: { fixed: 1 },
        account: 'away',
        ...fromNow,
      },
    },
    {
      kind: 'campaign',
      entry: {
        id: 'derby-day',
        name: inLanguages('Derby day, on the screens of the ground'),
        kind: 'shared',
        code: SHARED_CODE,
        gives: { points: 50 },
        total: 5_000,
        startsAt: inDays(-1).toISOString(),
        endsAt: inDays(30).toISOString(),
      },
    },
    {
      kind: 'campaign',
      entry: {
        id: UNIQUE_CAMPAIGN,
        name: inLanguages('Scratch cards of the coffee sponsor'),
        kind: 'unique',
        gives: { points: 25, account: 'loyalty' },
        perFan: 3,
        startsAt: inDays(-20).toISOString(),
        endsAt: inDays(60).toISOString(),
      },
    },
  ]
}

/** The newsletter in a new version: who agreed to the previous one is asked again. */
export const newNewsletter = (): CatalogueRecord[] =>
  documents.flatMap(document =>
    document.id === 'newsletter' ? [{ kind: 'document', entry: { ...document, version: '2026-10' } }] : [],
  )
