/** What an entry has to state: only what it is. Everything else has a default, which an export states. */
import { expect, test } from 'bun:test'
import { parseRecord } from '../../../src/play/catalogue-file/check-record.ts'
import {
  kindNamed,
  planRecord,
  type RecordKind,
  writeRecord,
} from '../../../src/play/catalogue-file/kinds.ts'
import { onEachEngine } from '../../support/world.ts'

const times = { startsAt: '2031-07-01T00:00:00Z', endsAt: '2032-07-01T00:00:00Z' }

const LEAST: [RecordKind, object, object][] = [
  ['player', { name: 'Nine' }, { teamId: null }],
  ['season', { name: '2031/32', ...times }, { active: true }],
  ['sponsor', { name: 'Ferries' }, { url: null }],
  ['account', { name: 'Status' }, { unit: 'points', tiers: [], window: null }],
  ['segment', { name: 'All' }, { when: [], tracked: false }],
  ['membership', { name: 'Card' }, { benefits: [] }],
  [
    'competition',
    { name: 'Cup' },
    { deadline: 'match', points: { exact: 25, difference: 15, outcome: 10 }, joker: null, crowd: false },
  ],
  ['division', { name: 'Weekly' }, { levels: [{ id: 'only', name: '1', up: 0, down: 0 }], size: 30 }],
  [
    'question',
    {
      ...{ kind: 'rating', title: 'The match?', options: { scale: 10 } },
      ...{ opensAt: '2026-08-15T18:30:00Z', closesAt: '2026-08-15T18:40:00Z' },
    },
    { results: 'after_vote', requires: null },
  ],
  ['notification', { eventType: 'shop.purchase', title: 'Thanks' }, { body: '', category: 'marketing' }],
  ['notification', { at: '2026-08-15T18:30', title: 'News' }, { body: '', category: 'marketing' }],
  ['campaign', { kind: 'unique', name: 'Bottle', gives: { points: 1 } }, { perFan: 1, total: null }],
]

onEachEngine('An entry that states the least', world => {
  test.each(LEAST.map((one, index) => [one[0], index] as const))(
    'of the kind %s has the defaults, and its export is complete (%i)',
    async (kind, index) => {
      const [, members, defaults] = LEAST[index] ?? []
      const record = parseRecord(kind, { id: `least-${index}`, ...members })
      await world.db.write(tx => writeRecord(tx, record))
      const [stored] = await kindNamed(kind).read(world.db.read, [record.entry.id])
      expect(stored).toMatchObject({ ...defaults })
      expect((await planRecord(world.db.read, parseRecord(kind, stored))).outcome).toBe('unchanged')
    },
  )
})
