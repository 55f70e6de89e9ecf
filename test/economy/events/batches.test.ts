/** Batches have the result of their events one after another: two clubs get the same events, one of them in batches. */
import { beforeAll, expect, test } from 'bun:test'
import { asc, eq, inArray } from 'drizzle-orm'
import fc from 'fast-check'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { DAY } from '../../play/packs/packs-world.ts'
import { addQuest } from '../../play/quests/quests-world.ts'
import type { Client } from '../../support/client.ts'
import { readToldEvents } from '../../support/told-events.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addRule } from '../rules/rules-world.ts'

const FANS = 3
const SCAN = 'batch.scan'
const BUY = 'batch.buy'

/** Few ids: many are repeated, also inside one batch, and some with other content or of another fan. */
const ids = fc.nat(19)
const happening = fc.record({ id: ids, variant: fc.constantFrom(0, 0, 0, 0, 0, 1, 2, 3) })
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ report: fc.array(happening, { minLength: 2, maxLength: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ void: ids }) },
  { weight: 1, arbitrary: fc.record({ spend: fc.nat(FANS - 1), points: fc.integer({ min: 1, max: 40 }) }) },
)

/** Variants: 1 another amount, 2 another fan, 3 a time that is refused. */
function contentOf({ id, variant }: Happening, ownType: string) {
  const type = [SCAN, BUY, ownType][id % 3] ?? SCAN
  return {
    fan: (id + (variant === 2 ? 1 : 0)) % FANS,
    type,
    daysAgo: variant === 3 ? 40 : Math.floor(id / 5),
    data: { item: `item-${id % 4}`, amount: id * 60 + (variant === 1 ? 100 : 0) },
  }
}

const FOLDS = ['entryCount', 'firstEntrySeq', 'lifetimeAfter']

/** The rows of a club without what differs between two: ids that are made, and names. */
async function stateOf({ db }: World, userIds: string[], suffix: string) {
  const { tables, read } = db
  const ofFans = async () => ({
    accounts: await read
      .select()
      .from(tables.pointsAccounts)
      .where(inArray(tables.pointsAccounts.userId, userIds)),
    entries: await read
      .select()
      .from(tables.pointsEntries)
      .where(inArray(tables.pointsEntries.userId, userIds))
      .orderBy(asc(tables.pointsEntries.seq)),
    events: await readToldEvents(read, inArray(tables.events.userId, userIds)),
    uses: await read.select().from(tables.ruleUses).where(inArray(tables.ruleUses.userId, userIds)),
    progress: await read
      .select()
      .from(tables.questProgress)
      .where(inArray(tables.questProgress.userId, userIds)),
    counts: await read.select().from(tables.questCounts).where(inArray(tables.questCounts.userId, userIds)),
    streaks: await read
      .select()
      .from(tables.questStreaks)
      .where(inArray(tables.questStreaks.userId, userIds)),
    scores: await read
      .select()
      .from(tables.leaderboardScores)
      .where(inArray(tables.leaderboardScores.userId, userIds)),
    rewards: await read.select().from(tables.userRewards).where(inArray(tables.userRewards.userId, userIds)),
  })
  const budgets = await read
    .select({ granted: tables.ruleBudgets.granted })
    .from(tables.ruleBudgets)
    .where(eq(tables.ruleBudgets.ruleId, `budget-${suffix}`))
  const { events, ...rows } = await ofFans()
  // One unit of work writes them at its end: those of a batch come after all of its other events.
  const isChange = ({ type }: { type: string | null }) => type === 'points.changed'
  const made = new Set(['id', 'hash', 'headHash', 'completionId', 'digest', 'revision', 'sequence', ...FOLDS])
  const plain = (row: object) => {
    const members = Object.entries(row)
      .filter(([name]) => !made.has(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
    let text = JSON.stringify(Object.fromEntries(members)).replaceAll(suffix, 'CLUB')
    // Versions of the rule that each club has for itself.
    text = text.replaceAll(/("budget-CLUB\\",(\\"version\\":)?)\d+/g, '$1')
    for (const [at, userId] of userIds.entries()) text = text.replaceAll(userId, `fan-${at}`)
    return text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
  }
  const byFan = (rows: { userId: string | null }[]) =>
    userIds.map(userId => rows.filter(row => row.userId === userId).map(plain))
  const sorted = (rows: { userId: string | null }[]) => byFan(rows).map(own => own.toSorted())
  return {
    budgets,
    entries: byFan(rows.entries),
    sequences: userIds.map(userId =>
      events.filter(row => row.userId === userId).map(({ sequence }) => sequence),
    ),
    events: byFan(events.filter(row => !isChange(row))),
    changes: byFan(events.filter(isChange)),
    ...Object.fromEntries(
      (['accounts', 'uses', 'progress', 'counts', 'streaks', 'scores', 'rewards'] as const).map(name => [
        name,
        sorted(rows[name]),
      ]),
    ),
  }
}

onEachEngine('Events in batches and one after another', world => {
  let gate: Client
  let clubs = 0

  beforeAll(async () => {
    gate = world.withToken(await world.serverKey(['events:write'], { source: 'gate' }))
    const rewardId = await world.reward({ id: 'batch-gift', stockRemaining: null })
    await addRule(world, { id: 'batch-a', eventType: SCAN, limit: { count: 2, per: 'day' } })
    await addRule(world, {
      id: 'batch-b',
      eventType: BUY,
      points: { per: '/amount', every: 100, points: 3 },
      limit: { count: 3, per: 'ever' },
    })
    await addRule(world, {
      id: 'batch-c',
      eventType: 'quest.completed',
      points: { fixed: 4 },
      when: [{ path: '/kind', op: 'ne', value: 'streak' }],
      limit: { count: 2, per: 'ever' },
    })
    await addRule(world, { id: 'batch-d', eventType: 'reward.claimed', points: { fixed: 6 } })
    await addQuest(world, {
      id: 'batch-scans',
      steps: [{ eventType: SCAN, target: 2 }],
      reward: { points: 5 },
      claim: 'manual',
    })
    await addQuest(world, {
      id: 'batch-items',
      requires: ['batch-scans'],
      steps: [{ eventType: BUY, target: 2, distinctBy: '/item' }],
      reward: { points: 7 },
    })
    await addQuest(world, {
      id: 'batch-chain',
      requires: ['batch-items'],
      steps: [{ eventType: SCAN, target: 1 }],
      claim: 'manual',
    })
    await addQuest(world, {
      id: 'batch-gift',
      requires: ['batch-scans'],
      steps: [{ eventType: BUY, target: 1 }],
      reward: { points: 2, rewardId },
    })
    await addQuest(world, {
      id: 'batch-gifted',
      steps: [
        { eventType: 'reward.claimed', target: 1 },
        { eventType: BUY, target: 2 },
      ],
      reward: { points: 9 },
    })
    await addQuest(world, {
      id: 'batch-completions',
      steps: [{ eventType: 'quest.completed', target: 2, distinctBy: '/questId' }],
      claim: 'manual',
    })
    await addQuest(world, {
      id: 'batch-streak',
      kind: 'streak',
      period: 'day',
      graceDays: 1,
      steps: [{ eventType: SCAN, target: 1 }],
      claim: 'manual',
    })
    await addQuest(world, {
      id: 'batch-days',
      period: 'day',
      steps: [{ eventType: SCAN, target: 2 }],
      reward: { points: 1 },
    })
  })

  async function open() {
    const suffix = `club-${String(++clubs).padStart(4, '0')}`
    const ownType = `gate.${suffix}`
    // A budget for all fans of a club together.
    await addRule(world, { id: `budget-${suffix}`, eventType: ownType, points: { fixed: 30 }, budget: 100 })
    const fans = Array.from({ length: FANS }, (_, fan) => {
      return { provider: world.config.identity.name, subject: `${suffix}-${fan}` }
    })
    const userIds: string[] = []
    for (const fan of fans)
      userIds.push(await world.db.write(async tx => (await ensureUser(tx, fan)).user.id))
    // The last fan is on no leaderboard.
    for (const userId of userIds.slice(0, -1)) await world.db.write(tx => joinLeaderboard(tx, userId))
    const eventOf = (happened: Happening) => {
      const { fan, type, daysAgo, data } = contentOf(happened, ownType)
      const occurredAt = new Date(world.clock.ms - daysAgo * DAY).toISOString()
      return { id: `${suffix}-${happened.id}`, type, fan: fans[fan], occurredAt, data }
    }
    let spent = 0
    return {
      async report(batch: Happening[]) {
        const { status, body } = await gate.post('/api/events', { events: batch.map(eventOf) })
        expect(status).toBe(200)
        return JSON.parse(JSON.stringify(body.results).replaceAll(suffix, 'CLUB'))
      },
      async take(id: number) {
        const { status, body } = await gate.post('/api/events/void', { id: `${suffix}-${id}` })
        return status === 404 ? null : JSON.parse(JSON.stringify(body.taken).replaceAll(suffix, 'CLUB'))
      },
      spend(fan: number, points: number) {
        const change = { delta: -points, reason: 'activity' as const, ref: `spent-${++spent}` }
        return world.db.write(
          async tx => (await appendEntry(tx, { ...change, userId: userIds[fan] ?? '' })).outcome,
        )
      },
      state: () => stateOf(world, userIds, suffix),
    }
  }

  test('leave the same outcomes and rows, and nothing for the verifiers to find', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async steps => {
      const alone = await open()
      const together = await open()
      for (const step of steps) {
        if ('report' in step) {
          const expected = []
          for (const happened of step.report) expected.push(...(await alone.report([happened])))
          expect(await together.report(step.report)).toEqual(expected)
        } else if ('void' in step) expect(await together.take(step.void)).toEqual(await alone.take(step.void))
        else
          expect(await together.spend(step.spend, step.points)).toBe(
            await alone.spend(step.spend, step.points),
          )
      }
      expect(await together.state()).toEqual(await alone.state())
    })
    await fc.assert(property, {
      numRuns: world.db.engine === 'sqlite' ? 12 : 4,
      seed: 34,
      endOnFailure: true,
    })
    const found: unknown[] = []
    const onFinding = (finding: unknown) => void found.push(finding)
    await verifyLedger(world.db, { onFinding })
    await verifyQuests(world.db, { onFinding })
    expect(found).toEqual([])
  })

  test('at the same time record each id once, and spend a budget exactly', async () => {
    const IDS = 24
    const club = await open()
    const happened = Array.from({ length: IDS }, (_, id) => ({ id }))
    // The same fans and ids in other orders; every third batch names other fans for the same ids.
    const batches = Array.from({ length: 9 }, (_, nth) => {
      const own = happened.map(({ id }): Happening => {
        return { id: (id * 5 + nth * 7) % IDS, variant: nth % 3 === 2 ? 2 : 0 }
      })
      return nth % 2 === 0 ? own : own.toReversed()
    })
    const results = (await Promise.all(batches.map(batch => club.report(batch)))).flat()
    const applied = results.filter(({ outcome }: { outcome: string }) => outcome === 'applied')
    expect(applied.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      happened.map(({ id }) => `CLUB-${id}`).toSorted(),
    )
    const repeated = results.filter(({ outcome }: { outcome: string }) => outcome !== 'applied')
    expect(
      repeated.every(({ outcome, code }: { outcome: string; code?: string }) =>
        outcome === 'duplicate' ? true : code === 'event_id_reused',
      ),
    ).toBeTrue()
    const { budgets, sequences } = await club.state()
    // Eight events of 30 points, of which three fit into 100.
    expect(budgets).toEqual([{ granted: 90 }])
    for (const own of sequences) expect(own).toEqual(own.map((_, at) => at + 1))
    const found: unknown[] = []
    await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
    expect(found).toEqual([])
  })
})
