/** The verification of what rules granted: nothing to find after any use, and each kind of damage found. */
import { expect, test } from 'bun:test'
import { and, asc, eq, isNotNull } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { deleteEventData } from '../../../src/economy/events/delete-data.ts'
import { decisionsOf } from '../../../src/economy/events/event.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import type { Decision } from '../../../src/economy/rules/decision.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { findUser } from '../../../src/identity/users/users.ts'
import { addRule, unique } from '../../economy/rules/rules-world.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine(
  'The verification of events',
  world => {
    let shop: Client
    const visitor = unique('visitor')
    const fan = () => ({ provider: world.config.identity.name, subject: visitor })

    async function report(type: string, data: object = {}, id = unique('event')) {
      const occurredAt = world.clock.now().toISOString()
      const { status } = await shop.post('/api/events', {
        events: [{ id, type, fan: fan(), occurredAt, data }],
      })
      expect(status).toBe(200)
      return id
    }
    const voidEvent = async (id: string) => void (await shop.post('/api/events/void', { id }))
    const userId = async () => (await findUser(world.db.read, fan()))?.id ?? ''

    async function find(): Promise<Finding[]> {
      const findings: Finding[] = []
      await verifyLedger(world.db, { onFinding: finding => findings.push(finding) })
      return findings
    }

    /** A world in which every kind of decision was made. */
    async function live() {
      shop = world.withToken(await world.serverKey(['events:write'], { source: 'shop' }))
      const type = 'shop.purchase'
      const limited = await addRule(world, {
        id: 'limited',
        eventType: type,
        limit: { count: 2, per: 'day' },
      })
      await addRule(world, {
        id: 'scaled',
        eventType: type,
        when: [{ path: '/currency', op: 'eq', value: 'EUR' }],
        points: { per: '/amount', every: 100, points: 1 },
        budget: 50,
      })
      const euros = { currency: 'EUR', amount: 2_000 }
      const first = await report(type, euros)
      const second = await report(type, { ...euros, amount: 50 })
      await report(type, euros)
      await report(type, euros)
      await voidEvent(first)
      const third = await report(type, euros)
      const booking = { userId: await userId(), delta: -60, reason: 'pack_purchase' as const, ref: 'pack' }
      await world.db.write(async tx => expect((await appendEntry(tx, booking)).outcome).toBe('booked'))
      await voidEvent(third)
      await voidEvent(second)
      await world.db.write(tx =>
        upsertRule(tx, { ...limited, points: { fixed: 1 }, timeZone: 'Pacific/Auckland' }),
      )
      await report(type, euros)
      await report('test.unheard')
      await voidEvent('never-arrived')
    }

    test('finds nothing after grants, limits, budgets, voids, spending and changes of rules', async () => {
      await live()
      expect(await find()).toEqual([])
      const { events } = world.db.tables
      const rows = await world.db.read.select().from(events)
      const outcomes = rows.flatMap(decisionsOf).map(({ outcome }) => outcome)
      expect(new Set(outcomes)).toEqual(new Set(['granted', 'limit', 'budget']))
    })

    test('finds nothing after the data of the events was deleted', async () => {
      await live()
      const id = await userId()
      await world.db.write(tx => deleteEventData(tx, id))
      expect(await find()).toEqual([])
    })

    type Decisions = Decision[]

    /** The n-th event that was reported. */
    async function isNth(tx: Transaction, n: number) {
      const { events } = tx.tables
      const reported = await tx
        .select()
        .from(events)
        .where(and(eq(events.source, 'shop'), isNotNull(events.userId)))
        .orderBy(asc(events.sequence))
      return eq(events.eventId, reported[n - 1]?.eventId ?? '')
    }

    /** Changes the decisions of the third event, in which both rules matched, or of another. */
    async function setDecisions(tx: Transaction, change: (decisions: Decisions) => unknown, n = 3) {
      const { events } = tx.tables
      const isOne = await isNth(tx, n)
      const [row] = await tx.select().from(events).where(isOne)
      const decisions = JSON.stringify(change(row ? decisionsOf(row) : []))
      await tx.update(events).set({ decisions }).where(isOne)
    }

    test.each<{ damage: string; what: string; inflict: (tx: Transaction) => Promise<unknown> }>([
      {
        damage: 'a decision that is missing',
        what: 'by limited',
        inflict: tx => setDecisions(tx, decisions => decisions.slice(1)),
      },
      {
        damage: 'a decision of a rule that did not match',
        what: 'by unknown',
        inflict: tx => setDecisions(tx, decisions => [...decisions, { ...decisions[0], ruleId: 'unknown' }]),
      },
      {
        damage: 'a decision with other points',
        what: 'by scaled: points',
        inflict: tx => setDecisions(tx, ([first, second]) => [first, { ...second, points: 21 }]),
      },
      {
        damage: 'a decision of another version',
        what: 'by scaled: version',
        inflict: tx => setDecisions(tx, ([first, second]) => [first, { ...second, version: 1 }]),
      },
      {
        damage: 'a decision of another window',
        what: 'by limited: window',
        inflict: tx => setDecisions(tx, ([first, second]) => [{ ...first, window: '2026-08-14' }, second]),
      },
      {
        damage: 'a refusal below the limit',
        what: 'by limited: outcome',
        inflict: tx => setDecisions(tx, ([only]) => [{ ...only, outcome: 'limit' }], 2),
      },
      {
        damage: 'a grant that is not in the ledger',
        what: 'points_entries.delta of rule scaled:shop:other',
        async inflict(tx) {
          const { events } = tx.tables
          await tx
            .update(events)
            .set({ eventId: 'other' })
            .where(await isNth(tx, 3))
        },
      },
      {
        damage: 'a counter of a limit',
        what: 'rule_uses.uses of limited 2026-08-15',
        inflict: tx => tx.update(tx.tables.ruleUses).set({ uses: 9 }),
      },
      {
        damage: 'a counter of a budget',
        what: 'rule_budgets.granted of scaled',
        inflict: tx => tx.update(tx.tables.ruleBudgets).set({ granted: 9 }),
      },
      {
        damage: 'a void that took nothing',
        what: 'events.taken of shop',
        inflict: tx => tx.update(tx.tables.events).set({ taken: '[]' }),
      },
      {
        damage: 'a gap in the sequence',
        what: 'events.sequence of shop',
        inflict: async tx =>
          tx
            .update(tx.tables.events)
            .set({ sequence: 99 })
            .where(await isNth(tx, 3)),
      },
      {
        damage: 'an entry of the ledger without an event',
        what: 'points_entries.delta of rule limited:shop:nothing',
        async inflict(tx) {
          const [user] = await tx.select().from(tx.tables.pointsAccounts)
          const cause = { userId: user?.userId ?? '', reason: 'rule' as const, ref: 'limited:shop:nothing' }
          await appendEntry(tx, { ...cause, delta: 5 })
        },
      },
    ])('finds $damage', async ({ what, inflict }) => {
      await live()
      await world.db.write(async tx => void (await inflict(tx)))
      const found = await find()
      expect(found.map(finding => finding.what).join('\n')).toContain(what)
    })
  },
  { worldPer: 'test' },
)
