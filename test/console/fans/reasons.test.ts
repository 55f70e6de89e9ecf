/** Reasons of ledgers and decisions in the timeline: none is shown as it is stored. */
import { beforeAll, expect, test } from 'bun:test'
import type { Tables } from '../../../db/index.ts'
import { CASH_REASONS } from '../../../src/economy/cash/reasons.ts'
import { POINTS_REASONS } from '../../../src/economy/ledgers/reasons.ts'
import { REASONS } from '../../../src/identity/sanctions/reasons.ts'
import { createNames } from '../../../src/operate/admin/fans/timeline/names.ts'
import { presentRow, wantOfRow } from '../../../src/operate/admin/fans/timeline/present-row.ts'
import type { TimelineEntry } from '../../../src/operate/admin/fans/timeline/sources.ts'
import { type CatalogueRecord, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const named = (name: string) => ({ id: name.toLowerCase(), name })
const CATALOGUE: CatalogueRecord[] = [
  {
    kind: 'account',
    entry: { ...named('Status'), unit: 'points', tiers: [{ ...named('Gold'), from: 200 }] },
  },
  {
    kind: 'division',
    entry: { ...named('Weekly'), levels: [{ ...named('Bronze'), up: 1 }, named('Silver')] },
  },
  { kind: 'segment', entry: { ...named('Regulars'), when: [{ fact: 'checkIns', op: 'gte', value: 5 }] } },
  { kind: 'membership', entry: named('Ticket') },
  {
    kind: 'reward',
    entry: { id: 'scarf', title: 'Scarf', description: 'One.', itemType: 'voucher', pointsRequired: 5 },
  },
  {
    kind: 'question',
    entry: {
      ...{ id: 'best', kind: 'rating', title: 'How was it?', options: { scale: 10 } },
      ...{ opensAt: '2026-08-15T18:30:00Z', closesAt: '2026-08-15T18:40:00Z' },
    },
  },
]

onEngine(sqliteEngine, 'A reason in the timeline', world => {
  const related = {
    ...{ claims: new Map(), quests: new Map(), lines: new Map(), grants: new Map() },
    ...{ items: new Map(), notes: new Map(), trades: new Map() },
  }
  /** With the names that the entry asks for. */
  const show = async (entry: TimelineEntry) => {
    const wanted = createNames()
    wantOfRow(entry, 'fan', related, wanted)
    const names = await wanted.read(world.db.read)
    const context = { fanId: 'fan', now: world.clock.now(), names, related }
    return presentRow(entry, { ...context, personal: true, moderation: true, money: true })
  }
  beforeAll(() =>
    world.db.write(async tx => {
      for (const record of CATALOGUE) await writeRecord(tx, record)
    }),
  )
  const common = () => ({
    id: 'id',
    userId: 'fan',
    seq: 1,
    ref: 'ref',
    delta: 5,
    createdAt: world.clock.now(),
  })
  const isRaw = (text: string, reason: string) => text === reason || text.includes('_')

  test.each(POINTS_REASONS)('of points, %s, is in words', async reason => {
    const row = { ...common(), reason, balanceAfter: 5, hash: '' } as Tables['pointsEntries']['$inferSelect']
    const { title } = await show({ table: 'pointsEntries', row })
    expect([title, isRaw(title, reason)]).toEqual([title, false])
  })

  test.each(CASH_REASONS)('of cash, %s, is in words', async reason => {
    const entry = { ...common(), reason, currency: 'EUR', balanceAfter: 5, hash: '' }
    const row = entry as Tables['cashEntries']['$inferSelect']
    const { title } = await show({ table: 'cashEntries', row })
    expect([title, isRaw(title, reason)]).toEqual([title, false])
  })

  test.each([
    [
      'prediction.settled',
      {
        ...{ matchId: 'm', points: 24, bonus: 2, joker: true, revision: 2 },
        ...{ predicted: { homeScore: 3, awayScore: 0 }, result: { homeScore: 2, awayScore: 1 } },
      },
      'Predicted 3:0 for \u2068m\u2069, which ended 2:1',
      '2 points more, since other fans chose another outcome; doubled by a joker.',
      ['Match: m', 'Points: 24', 'Revision: 2'],
    ],
    [
      'league.round_closed',
      { leagueId: 'l', roundId: '3', week: '2026-W48', outcome: 'won', points: 40, opponentPoints: 10 },
      'Won a round of the league “\u2068l\u2069”',
      '40:10 points in the week of 23 Nov 2026.',
      ['League: l', 'Week: 2026-W48', 'Points: 40', 'Points of the opponent: 10'],
    ],
    [
      'league.round_closed',
      { leagueId: 'l', roundId: '3', week: '2026-W48', outcome: 'bye', points: 40, opponentPoints: null },
      'Had no opponent in a round of the league “\u2068l\u2069”',
      '40 points in the week of 23 Nov 2026.',
      ['League: l', 'Week: 2026-W48', 'Points: 40'],
    ],
    [
      'division.promoted',
      { divisionId: 'd', levelId: 'bronze', toLevelId: 'silver', rank: 2, points: 90 },
      'Rose from \u2068bronze\u2069 to \u2068silver\u2069 in the division “\u2068d\u2069”',
      'Rank 2 with 90 points.',
      ['Division: d', 'Level before: bronze', 'Level: silver', 'Rank: 2', 'Points: 90'],
    ],
    [
      'division.relegated',
      { divisionId: 'weekly', levelId: 'silver', toLevelId: 'bronze', rank: 20, points: 1 },
      'Fell from \u2068Silver\u2069 to \u2068Bronze\u2069 in the division “\u2068Weekly\u2069”',
      'Rank 20 with 1 point.',
      ['Division: weekly'],
    ],
    [
      'tier.reached',
      { accountId: 'status', tierId: 'gold' },
      'Reached the tier “\u2068Gold\u2069” of “\u2068Status\u2069”',
      null,
      ['Account: status', 'Tier: gold'],
    ],
    [
      'tier.lost',
      { accountId: 'status', tierId: 'platinum', toTierId: 'gold', reason: 'season' },
      'Lost the tier “\u2068platinum\u2069” of “\u2068Status\u2069”',
      'Now: “\u2068Gold\u2069”.',
      ['Account: status'],
    ],
    [
      'segment.entered',
      { segmentId: 'regulars' },
      'Is in the segment “\u2068Regulars\u2069”',
      null,
      ['Segment: regulars'],
    ],
    [
      'membership.started',
      { ref: 'S-1', kindId: 'ticket' },
      'The membership “\u2068Ticket\u2069” has started',
      null,
      ['Kind: ticket', 'Membership: S-1'],
    ],
    [
      'reward.use_undone',
      { rewardId: 'scarf', orderId: null },
      'The club has undone the use of the code of the reward “\u2068Scarf\u2069”',
      null,
      ['Reward: scarf'],
    ],
    [
      'question.answered',
      { questionId: 'best', correct: true, points: 5, revision: 1 },
      'Had the right answer to “\u2068How was it?\u2069”',
      null,
      ['Question: best', 'Points: 5'],
    ],
    [
      'consent.changed',
      { granted: false, purpose: 'third-party-offers', documentId: 'offers', version: '2' },
      'Withdrew the consent for \u2068third party offers\u2069',
      'Version \u20682\u2069 of the document.',
      ['Document: offers'],
    ],
    [
      'quest.completed',
      { questId: 'visits', kind: 'quest', period: '2026-W48', streak: 1 },
      'Completed the quest “\u2068visits\u2069”, the week of 23 Nov 2026',
      null,
      [],
    ],
    [
      'quest.completed',
      { questId: 'visits', kind: 'quest', period: '2026-11', streak: 1 },
      'Completed the quest “\u2068visits\u2069”, November 2026',
      null,
      [],
    ],
    [
      'order.paid',
      { orderId: 'o', lines: [{ productId: 'mug', variantId: 'one', quantity: 2 }] },
      'Paid an order',
      '2 × \u2068mug\u2069',
      ['Order: o'],
    ],
    [
      'wallet.linked',
      { address: '0x52908400098527886E0F7030069857D2E4169EE7', chainId: 1 },
      'Linked the wallet 0x5290…9EE7',
      null,
      ['Address: 0x52908400098527886E0F7030069857D2E4169EE7', 'Chain: 1'],
    ],
  ])('of the event %s with %j says why there are points', async (type, data, title, detail, facts) => {
    const at = world.clock.now()
    const row = {
      ...{ source: 'matchday', eventId: 'e', userId: 'fan', sequence: 1, type, data: JSON.stringify(data) },
      ...{ occurredAt: at, recordedAt: at, voidedAt: null, voidNote: null, decisions: '[]', taken: null },
    } as Tables['events']['$inferSelect']
    const shown = await show({ table: 'events', row })
    expect([shown.title, shown.detail]).toEqual([title, detail])
    const named = shown.facts?.flatMap(one => (one ? `${one.name}: ${one.value}` : []))
    expect(named?.slice(0, facts.length)).toEqual(facts)
  })

  test('of points of a quest that repeats has its period', async () => {
    const row = { ...common(), reason: 'quest', ref: 'visits:2026-W01', balanceAfter: 5, hash: '' }
    const { title } = await show({
      table: 'pointsEntries',
      row: row as Tables['pointsEntries']['$inferSelect'],
    })
    expect(title).toBe('Quest “\u2068visits\u2069”, the week of 29 Dec 2025')
  })

  test.each(REASONS)('of a decision, %s, is in words', async reason => {
    const decision = { id: 'id', fanId: 'fan', seq: 1, kind: 'mute', reason, until: null, liftsId: null }
    const row = { ...decision, decidedBy: 'Ana', decidedById: null, createdAt: world.clock.now() }
    const { state, facts } = await show({ table: 'moderationDecisions', row })
    for (const text of [state ?? '', facts?.find(one => one?.name === 'Reason')?.value ?? ''])
      expect([text, isRaw(text, reason)]).toEqual([text, false])
  })
})
