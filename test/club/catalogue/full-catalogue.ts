/** A catalogue of every kind, with what is easy to lose: languages, null, defaults, order, and entries that are off. */
import type { CatalogueRecord } from '../../../src/play/catalogue-file/kinds.ts'

const long = { en: 'Scarf', pt: 'Cachecol', 'pt-BR': 'Manta', ar: 'وشاح' }

/** In the order of an import. `prefix` keeps the entries of several worlds apart. */
export function fullCatalogue(prefix = 'full'): CatalogueRecord[] {
  const id = (name: string) => `${prefix}-${name}`
  const item = (name: string, weight: number) => ({
    ...{ id: id(name), weight, rarity: name, imageUrl: null },
    name: { de: name, en: `The ${name}` },
    description: 'Sung by all.',
  })
  // Those of other worlds in the same database are at another time.
  const first = 2000 + (Bun.hash.crc32(prefix) % 5000)
  const season = (after: number) => ({
    startsAt: `${first + after}-07-01T00:00:00+02:00`,
    endsAt: `${first + after + 1}-07-01T00:00:00Z`,
  })
  return [
    {
      kind: 'team',
      entry: { id: id('harbour'), name: { en: 'Harbour', ar: 'هاربور' }, shortName: 'HAR', country: 'GB' },
    },
    { kind: 'team', entry: { id: id('bay'), name: 'Bay <b>', shortName: 'BAY', city: 'Bay', active: false } },
    {
      kind: 'player',
      entry: {
        ...{ id: id('nine'), teamId: id('harbour'), name: long, number: 9, position: { en: 'Forward' } },
        imageUrl: '/pictures/n.svg',
      },
    },
    { kind: 'player', entry: { id: id('former'), name: 'Former', active: false } },
    { kind: 'season', entry: { id: id('now'), name: long, ...season(0) } },
    { kind: 'season', entry: { id: id('off'), name: 'Off', ...season(0), active: false } },
    {
      kind: 'sponsor',
      entry: { id: id('ferries'), name: long, imageUrl: '/pictures/f.svg', url: 'https://ferries.example/' },
    },
    { kind: 'sponsor', entry: { id: id('energy'), name: 'Energy', active: false } },
    {
      kind: 'document',
      entry: { id: id('news'), version: '2', purpose: id('marketing'), text: long, required: true },
    },
    {
      kind: 'document',
      entry: { id: id('old'), version: '1', purpose: id('terms'), text: 'Old.', active: false },
    },
    {
      kind: 'account',
      entry: {
        ...{ id: id('status'), name: long, unit: 'points', window: { seasons: 2 }, public: true },
        tiers: [
          { id: 'silver', name: long, from: 100, benefits: ['Early entry', long], graceDays: 30 },
          { id: 'gold', name: 'Gold', from: 200 },
        ],
      },
    },
    { kind: 'account', entry: { id: id('games'), name: 'Games', unit: 'games', active: false } },
    {
      kind: 'segment',
      entry: {
        ...{ id: id('regulars'), name: long },
        when: [
          { fact: 'checkIns', op: 'gte', value: 5 },
          { fact: 'country', op: 'in', value: ['PT', 'GB'] },
        ],
      },
    },
    {
      kind: 'membership',
      entry: {
        ...{ id: id('ticket'), name: long, description: 'All home games.', imageUrl: '/pictures/t.svg' },
        benefits: ['Priority', long],
      },
    },
    { kind: 'membership', entry: { id: id('card'), name: 'Card', active: false } },
    {
      kind: 'reward',
      entry: {
        ...{
          id: id('scarf'),
          title: long,
          description: 'One scarf.',
          itemType: 'voucher',
          pointsRequired: 5,
          sponsorId: id('ferries'),
        },
        ...{ stock: 7, startsAt: '2026-01-01T00:00:00+02:00', endsAt: '2027-01-01T00:00:00Z' },
        requires: {
          holds: { chainId: 1, contract: '0x5B38Da6a701c568545dCfcB03FcB875f56beddC4', minimum: '2' },
        },
      },
    },
    {
      kind: 'reward',
      entry: {
        ...{ id: id('open'), title: 'Open', description: long, itemType: 'x', pointsRequired: 0 },
        ...{ requires: {}, active: false },
      },
    },
    {
      kind: 'pack',
      entry: {
        ...{ id: id('starter'), name: long, description: 'Two.', itemsPerPack: 2, supply: 10 },
        sponsorId: id('ferries'),
        price: { amount: 100, currency: 'POINTS' },
        items: [item('final', 100_000), item('anthem', 900_000)],
      },
    },
    {
      kind: 'pack',
      entry: {
        ...{ id: id('single'), name: 'Single', description: 'One.', itemsPerPack: 1 },
        price: { currency: 'EUR', amount: 299 },
        items: [{ id: id('anthem'), weight: 1_000_000 }],
      },
    },
    {
      kind: 'competition',
      entry: {
        ...{ id: id('cup'), name: { en: 'Cup', pt: 'Taça' }, deadline: 'round' },
        points: { exact: 30, difference: 15, outcome: 10 },
      },
    },
    {
      kind: 'competition',
      entry: {
        ...{ id: id('old-cup'), name: 'Old cup', deadline: 'match', active: false },
        points: { exact: 0, difference: 0, outcome: 0 },
      },
    },
    {
      kind: 'division',
      entry: {
        ...{
          id: id('weekly'),
          name: { en: 'Weekly', pt: 'Semanal' },
          scoring: 'points',
          size: 20,
          every: 'week',
        },
        levels: [
          { id: 'bronze', name: { en: 'Bronze', pt: 'Bronze' }, up: 5 },
          { id: 'silver', name: { en: 'Silver', pt: 'Prata' }, down: 5 },
        ],
      },
    },
    {
      kind: 'match',
      entry: {
        ...{ id: id('derby'), competition: long, season: '2026/27', revision: 4 },
        ...{ homeTeamId: id('harbour'), awayTeamId: id('bay'), kickoffAt: '2026-10-01T18:00:00Z' },
        ...{ status: 'finished', homeScore: 2, awayScore: 0, sponsorId: id('energy') },
      },
    },
    {
      kind: 'rule',
      entry: {
        ...{ id: id('shop'), name: long, eventType: 'shop.purchase', budget: 50_000 },
        when: [
          { path: '/currency', op: 'in', value: ['EUR', null, 3, false] },
          { path: '/a~1b/0', op: 'exists', value: false },
        ],
        ...{ points: { per: '/amount', every: 100, points: 1 }, limit: { per: 'day', count: 3 } },
        ...{ timeZone: 'Europe/Madrid', startsAt: '2026-01-01T00:00:00Z' },
      },
    },
    {
      kind: 'rule',
      entry: { id: id('plain'), name: 'Plain', eventType: 'a.b', points: { fixed: 1 }, active: false },
    },
    {
      kind: 'quest',
      entry: {
        ...{ id: id('z-first'), title: long, description: 'First.', kind: 'quest', period: 'once' },
        sponsorId: id('energy'),
        steps: [{ id: 'buy', eventType: 'shop.purchase', target: 2 }],
      },
    },
    {
      kind: 'quest',
      entry: {
        ...{ id: id('a-second'), title: 'Second', description: 'Second.', kind: 'streak', period: 'week' },
        ...{ timeZone: 'Europe/Lisbon', graceDays: 2, requires: [id('z-first')], claim: 'manual' },
        steps: [
          {
            ...{ id: 'buy', eventType: 'shop.purchase', target: 1, distinctBy: '/sku' },
            when: [{ path: '/amount', op: 'gte', value: 10 }],
          },
        ],
        ...{ reward: { points: 5, collectibleId: id('final') }, endsAt: '2028-01-01T00:00:00.000Z' },
      },
    },
    {
      kind: 'set',
      entry: {
        ...{ id: id('moments'), name: long, collectibleIds: [id('final'), id('anthem')] },
        reward: { rewardId: id('scarf') },
      },
    },
    {
      kind: 'question',
      entry: {
        ...{ id: id('quiz'), matchId: id('derby'), kind: 'quiz', title: long, imageUrl: '/pictures/q.svg' },
        options: [
          { id: 'old', text: long, imageUrl: '/pictures/o.svg' },
          { id: 'new', text: '1999' },
        ],
        ...{ opensAt: '2026-08-15T20:30:00+02:00', closesAt: '2026-08-15T18:40:00Z', offsetMs: 30_000 },
        ...{ changeable: true, results: 'after_close', correct: 'old', points: 10, sponsorId: id('ferries') },
        requires: { minAge: 13 },
      },
    },
    {
      kind: 'notification',
      entry: {
        ...{ id: id('bought'), eventType: 'shop.purchase', segment: null, category: 'rewards', push: true },
        when: [{ path: '/amount', op: 'gt', value: 0 }],
        ...{ title: long, body: { en: '{{/amount}}', pt: '{{/amount}} pontos' }, url: '/orders/{{/order}}' },
        ...{ imageUrl: '/pictures/n.svg', digest: 60, sponsorId: id('ferries') },
      },
    },
    {
      kind: 'notification',
      entry: {
        ...{ id: id('news'), at: '2026-08-15T18:30', category: 'marketing', title: 'News', body: 'Read it.' },
        active: false,
      },
    },
    {
      kind: 'question',
      entry: {
        ...{ id: id('rating'), kind: 'rating', title: 'The match?', options: { scale: 10 }, active: false },
        ...{ opensAt: '2026-08-15T18:30:00Z', closesAt: '2026-08-15T18:40:00Z' },
      },
    },
    {
      kind: 'question',
      entry: {
        ...{ id: id('player'), kind: 'player', title: 'Who was best?', options: { team: id('harbour') } },
        ...{ opensAt: '2026-08-15T18:30:00Z', closesAt: '2026-08-15T18:40:00Z' },
      },
    },
    {
      kind: 'campaign',
      entry: {
        ...{
          id: id('scarf-summer'),
          name: long,
          kind: 'shared',
          code: `Scarf ${id('2026')}`,
          perFan: 2,
          total: 9,
        },
        gives: { points: 5, rewardId: id('scarf'), collectibleId: id('final') },
        ...{ requires: { points: 9 }, startsAt: '2026-08-01T00:00:00.000Z', active: false },
      },
    },
    { kind: 'campaign', entry: { id: id('bottle'), name: 'Bottle', kind: 'unique', gives: { points: 1 } } },
    {
      kind: 'product',
      entry: {
        ...{ id: id('shirt'), name: long, description: 'A shirt.', category: 'shirts', kind: 'physical' },
        sponsorId: id('ferries'),
        ...{ images: ['/pictures/b.svg', '/pictures/a.svg'], price: { amount: 5, currency: 'EUR' } },
        taxRate: { PT: 0.23, default: 0.055 },
        variants: [
          { id: 'xl', name: 'XL', sku: 'XL-1', stock: 4 },
          { id: 'm', name: { en: 'Medium', pt: 'Médio' } },
        ],
        ...{ maxPerFan: 2, shipsTo: ['PT', 'GB'], requires: { points: 9, collectibleId: id('anthem') } },
      },
    },
    {
      kind: 'product',
      entry: {
        ...{ id: id('voucher'), name: 'Voucher', description: 'Off.', category: 'gifts', kind: 'voucher' },
        ...{ price: { amount: 5, currency: 'POINTS' }, variants: [{ id: 'one', name: 'One' }], delivers: {} },
        requires: {},
      },
    },
  ]
}
