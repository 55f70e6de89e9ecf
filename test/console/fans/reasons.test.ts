/** Reasons of ledgers and decisions in the timeline: none is shown as it is stored. */
import { expect, test } from 'bun:test'
import type { Tables } from '../../../db/index.ts'
import { CASH_REASONS } from '../../../src/economy/cash/reasons.ts'
import { POINTS_REASONS } from '../../../src/economy/ledgers/reasons.ts'
import { REASONS } from '../../../src/identity/sanctions/reasons.ts'
import { createNames } from '../../../src/operate/admin/fans/timeline/names.ts'
import { presentRow } from '../../../src/operate/admin/fans/timeline/present-row.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

onEngine(sqliteEngine, 'A reason in the timeline', world => {
  const contextOf = async () => ({
    ...{ fanId: 'fan', now: world.clock.now(), names: await createNames().read(world.db.read) },
    ...{ personal: true, moderation: true, money: true },
    related: {
      ...{ claims: new Map(), quests: new Map(), lines: new Map(), grants: new Map() },
      ...{ items: new Map(), notes: new Map() },
    },
  })
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
    const { title } = presentRow({ table: 'pointsEntries', row }, await contextOf())
    expect([title, isRaw(title, reason)]).toEqual([title, false])
  })

  test.each(CASH_REASONS)('of cash, %s, is in words', async reason => {
    const entry = { ...common(), reason, currency: 'EUR', balanceAfter: 5, hash: '' }
    const row = entry as Tables['cashEntries']['$inferSelect']
    const { title } = presentRow({ table: 'cashEntries', row }, await contextOf())
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
      { leagueId: 'l', roundId: '3', week: '2026-11-23', outcome: 'won', points: 40, opponentPoints: 10 },
      'Won a round of a league',
      null,
      ['League: l', 'Week: 2026-11-23', 'Points: 40', 'Points of the opponent: 10'],
    ],
    [
      'league.round_closed',
      { leagueId: 'l', roundId: '3', week: '2026-11-23', outcome: 'bye', points: 40, opponentPoints: null },
      'Had no opponent in a round of a league',
      null,
      ['League: l', 'Week: 2026-11-23', 'Points: 40'],
    ],
    [
      'division.promoted',
      { divisionId: 'd', levelId: 'bronze', toLevelId: 'silver', rank: 2, points: 90 },
      'Rose in a division',
      null,
      ['Division: d', 'Level before: bronze', 'Level: silver', 'Rank: 2', 'Points: 90'],
    ],
  ])('of the event %s with %j says why there are points', async (type, data, title, detail, facts) => {
    const at = world.clock.now()
    const row = {
      ...{ source: 'matchday', eventId: 'e', userId: 'fan', sequence: 1, type, data: JSON.stringify(data) },
      ...{ occurredAt: at, recordedAt: at, voidedAt: null, voidNote: null, decisions: '[]', taken: null },
    } as Tables['events']['$inferSelect']
    const shown = presentRow({ table: 'events', row }, await contextOf())
    expect([shown.title, shown.detail]).toEqual([title, detail])
    const named = shown.facts?.flatMap(one => (one ? `${one.name}: ${one.value}` : []))
    expect(named?.slice(0, facts.length)).toEqual(facts)
  })

  test.each(REASONS)('of a decision, %s, is in words', async reason => {
    const decision = { id: 'id', fanId: 'fan', seq: 1, kind: 'mute', reason, until: null, liftsId: null }
    const row = { ...decision, decidedBy: 'Ana', decidedById: null, createdAt: world.clock.now() }
    const { state, facts } = presentRow({ table: 'moderationDecisions', row }, await contextOf())
    for (const text of [state ?? '', facts?.find(one => one?.name === 'Reason')?.value ?? ''])
      expect([text, isRaw(text, reason)]).toEqual([text, false])
  })
})
