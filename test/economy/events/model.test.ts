/** Events, repeats, batches, voids, spending and merges of fans in any order: the ledgers are those that a small model computes. */
import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { eventFaults } from '../../crash/event-invariants.ts'
import { DAY } from '../../play/packs/packs-world.ts'
import type { Client } from '../../support/client.ts'
import { readToldEvents } from '../../support/told-events.ts'
import { onEachEngine } from '../../support/world.ts'
import { addRule, entriesOf } from '../rules/rules-world.ts'
import { type Content, ModelClub, type Outcome } from './model.ts'

const FANS = 3
/** Few ids: most events are repeated, voided, or sent with other content. */
const ids = fc.nat(9)
const happening = fc.record({
  id: ids,
  // Mostly the same content for the same id.
  variant: fc.constantFrom(0, 0, 0, 0, 1),
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ report: fc.array(happening, { minLength: 1, maxLength: 8 }) }) },
  { weight: 2, arbitrary: fc.record({ void: ids }) },
  { weight: 1, arbitrary: fc.record({ spend: fc.nat(FANS - 1), points: fc.integer({ min: 1, max: 25 }) }) },
  { weight: 1, arbitrary: fc.record({ merge: fc.nat(FANS - 1), into: fc.nat(FANS - 1) }) },
)

/** The content of an id: half of them scans, half purchases, on two days. */
const contentOf = ({ id, variant }: { id: number; variant: number }): Content => ({
  // The same in both: events of several fans are recorded at the same time.
  fan: id % FANS,
  kind: id % 2 === 0 ? 'scan' : 'buy',
  day: Math.floor(id / 5),
  amount: id * 130 + variant,
})

onEachEngine('Any order of events, voids, spending and merges', world => {
  let gate: Client
  let run = 0
  const runsOf = () => (world.db.engine === 'sqlite' ? 50 : 8)
  beforeAll(async () => {
    gate = world.withToken(await world.serverKey(['events:write'], { source: 'gate' }))
  })

  async function findings() {
    const found: unknown[] = []
    await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
    return found
  }

  /** A club with rules and fans of its own. */
  async function open() {
    const suffix = `model-${++run}`
    const types = { scan: `scan.${suffix}`, buy: `buy.${suffix}` }
    await addRule(world, {
      id: `a-${suffix}`,
      eventType: types.scan,
      limit: { count: 2, per: 'day' },
    })
    await addRule(world, {
      id: `b-${suffix}`,
      eventType: types.scan,
      points: { fixed: 30 },
      // One fan only: which of several fans gets the rest of a budget depends on the order.
      when: [{ path: '/fan', op: 'eq', value: 0 }],
      limit: { count: 3, per: 'ever' },
      budget: 70,
    })
    await addRule(world, {
      id: `c-${suffix}`,
      eventType: types.buy,
      points: { per: '/amount', every: 100, points: 3 },
    })
    const fans: { provider: string; subject: string }[] = []
    const userIds: string[] = []
    for (let fan = 0; fan < FANS; fan++) {
      const name = { provider: world.config.identity.name, subject: `${suffix}-${fan}` }
      fans.push(name)
      const { id } = await world.db.write(async tx => (await ensureUser(tx, name)).user)
      await world.db.write(tx => joinLeaderboard(tx, id))
      userIds.push(id)
    }
    const now = world.clock.ms
    const eventOf = (of: { id: number; variant: number }) => {
      const { fan, kind, day, amount } = contentOf(of)
      const occurredAt = new Date(now - day * DAY).toISOString()
      return {
        id: `${suffix}-${of.id}`,
        type: types[kind],
        fan: fans[fan],
        occurredAt,
        data: { fan, amount },
      }
    }
    let spent = 0
    return {
      suffix,
      userIds,
      async report(batch: { id: number; variant: number }[]): Promise<Outcome[]> {
        const { status, body } = await gate.post('/api/events', { events: batch.map(eventOf) })
        expect(status).toBe(200)
        return body.results.map(({ outcome, code, grants }: Outcome) => ({ outcome, code, grants }))
      },
      async take(id: number) {
        const { status, body } = await gate.post('/api/events/void', { id: `${suffix}-${id}` })
        return status === 404 ? null : body.taken
      },
      async spend(fan: number, points: number) {
        const change = { delta: -points, reason: 'activity' as const, ref: `${suffix}-spent-${++spent}` }
        const name = fans[fan] ?? { provider: '', subject: '' }
        const { outcome } = await world.db.write(async tx =>
          appendEntry(tx, { ...change, userId: (await ensureUser(tx, name)).user.id }),
        )
        return outcome === 'booked'
      },
      async merge(fan: number, other: number) {
        const [from = '', into = ''] = [userIds[fan], userIds[other]]
        const merged = world.db.write(tx => mergeFans(tx, { from, into, mergedBy: 'Ana', reason: null }))
        return merged.then(
          () => true,
          error => {
            expect(error).toMatchObject({ code: 'fans_not_mergeable' })
            return false
          },
        )
      },
    }
  }

  test('one step after the other gives the outcomes and the ledger of the model', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async steps => {
      const club = await open()
      const model = new ModelClub(club.suffix)
      for (const step of steps) {
        if ('report' in step) {
          const expected = step.report.map(event => model.report(event.id, contentOf(event)))
          expect(await club.report(step.report)).toEqual(expected)
        } else if ('void' in step) expect(await club.take(step.void)).toEqual(model.take(step.void))
        else if ('merge' in step)
          expect(await club.merge(step.merge, step.into)).toBe(model.merge(step.merge, step.into))
        else expect(await club.spend(step.spend, step.points)).toBe(model.spend(step.spend, step.points))
      }
      for (const [fan, userId] of club.userIds.entries()) {
        const entries = await entriesOf(world, userId)
        const booked = entries.map(({ reason, delta, balanceAfter }) => [reason, delta, balanceAfter])
        expect(booked).toEqual(model.ledgerOf(fan))
      }
    })
    await fc.assert(property, { numRuns: runsOf(), seed: 19 })
    expect(await findings()).toEqual([])
  })

  test('all steps at once keep every invariant, and change nothing when they are repeated', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async steps => {
      const club = await open()
      const act = (step: (typeof steps)[number]) => {
        if ('report' in step) return club.report(step.report)
        if ('merge' in step) return club.merge(step.merge, step.into)
        return 'void' in step ? club.take(step.void) : club.spend(step.spend, step.points)
      }
      await Promise.all(steps.map(act))
      const { read, tables } = world.db
      const rows = {
        events: await readToldEvents(read),
        pointsEntries: await read.select().from(tables.pointsEntries),
        userRewards: await read.select().from(tables.userRewards),
        onboardings: await read.select().from(tables.onboardings),
        userPacks: await read.select().from(tables.userPacks),
      }
      expect(eventFaults(rows)).toEqual([])
      const booked = rows.pointsEntries.length
      // Repeats earn nothing again, and repeated voids take nothing again.
      await Promise.all(steps.filter(step => 'void' in step).map(act))
      const before = await read.select().from(tables.events)
      await Promise.all(steps.filter(step => 'report' in step).map(act))
      expect(await read.select().from(tables.pointsEntries)).toHaveLength(booked)
      expect(await read.select().from(tables.events)).toHaveLength(before.length)
    })
    await fc.assert(property, { numRuns: Math.ceil(runsOf() / 4), seed: 19 })
    expect(await findings()).toEqual([])
  })
})
