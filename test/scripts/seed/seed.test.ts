import { afterAll, describe, expect, test } from 'bun:test'
import { eq, gt } from 'drizzle-orm'
import pino from 'pino'
import type { Database } from '../../../db/index.ts'
import { Interrupted } from '../../../scripts/command/stop.ts'
import { calendarOf } from '../../../scripts/seed/calendar.ts'
import { matchesOf } from '../../../scripts/seed/demo-matches.ts'
import { createTill } from '../../../scripts/seed/groups.ts'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { requireMatch } from '../../../src/club/matches/matches.ts'
import { updateMatch } from '../../../src/club/matches/update-match.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { realSources } from '../../../src/core/sources.ts'
import { settlePredictions } from '../../../src/play/predictions/settle.ts'
import { chargeOf } from '../../../src/play/purchases/purchase.ts'
import { findAddressErrors } from '../../../src/play/shop/addresses.ts'
import { readWhole } from '../../../src/play/shop/order-rows.ts'
import { presentOrder } from '../../../src/play/shop/orders.ts'
import { createClock, KICK_OFF } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { type Engine, engines, sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { seedByVerbs } from '../../support/seed-by-verbs.ts'
import { NOTHING, options } from './sixty-fans.ts'

/** Databases that tests only read, by engine and number of fans. */
const seeded = new Map<string, Promise<TemporaryDatabase>>()
afterAll(async () => {
  for (const made of await Promise.all(seeded.values())) await made.remove()
})

async function seed(engine: Engine, fans: number): Promise<TemporaryDatabase> {
  const made = await engine.open(createClock())
  await seedDatabase(made.db, { ...options, fans })
  return made
}

async function seededWith(fans: number, engine = sqliteEngine): Promise<Database> {
  const { db } = await seeded.getOrInsertComputed(`${engine.name} ${fans}`, () => seed(engine, fans))
  return db
}

/** Reduces stock and supply, so that they run out. */
async function makeScarce(db: Database) {
  await db.write(async tx => {
    const { rewards, packs, productVariants } = tx.tables
    await tx.update(rewards).set({ stockRemaining: 3 })
    await tx.update(packs).set({ supplyTotal: 2 })
    await tx.update(productVariants).set({ stockTotal: 1 }).where(gt(productVariants.stockTotal, 0))
  })
}

const [played] = matchesOf(calendarOf(new Date(KICK_OFF)))
if (!played) throw new Error('the season has no match')

/** Reports a result, which is settled later. */
async function report(db: Database, { id, ...scores }: { id: string; homeScore: number; awayScore: number }) {
  await db.write(async tx => {
    const match = await requireMatch(tx, id)
    const kickoffAt = match.kickoffAt.toISOString()
    await updateMatch(tx, id, { revision: match.revision + 1, status: 'finished', kickoffAt, ...scores })
  })
}

describe.each(engines)('A seed ($name)', engine => {
  test('writes nothing the second time', async () => {
    const { db, remove } = await engine.open(createClock())
    const first = await seedDatabase(db, options)
    const rows = await dump(db)
    expect(first).toMatchObject({ teams: 8, rewards: 17, packs: 4, fans: 42 })
    // Without those of the society and of cash, which are not counted.
    const ofFans = rows.filter(row => /^\["(users|events|pointsEntries|leaderboardScores)"/.test(row))
    expect(first.rows).toBeGreaterThan(ofFans.length)
    const skipped = { present: 42, taken: 0, erased: 0, elsewhere: 0 }
    expect(await seedDatabase(db, options)).toEqual({ ...NOTHING, skipped })
    expect(await dump(db)).toEqual(rows)
    await remove()
  })

  test.each([
    [100, 60, 'scarce goods'],
    [0, 50, 'enough for all'],
  ])(
    'is what the verbs would have written, byte for byte, at %i points for onboarding, with %i fans and %s',
    async (onboardingPoints, fans, goods) => {
      const [fast, model] = await Promise.all([engine.open(createClock()), engine.open(createClock())])
      const few = { ...options, onboardingPoints, fans }
      for (const { db } of [fast, model]) {
        await seedDatabase(db, { ...few, fans: 0 })
        if (goods === 'scarce goods') await makeScarce(db)
      }
      await seedDatabase(fast.db, few)
      await seedByVerbs(model.db, few)
      const rows = await dump(fast.db)
      expect(rows).toEqual(await dump(model.db))
      await Promise.all([fast.remove(), model.remove()])
    },
  )

  test('does not change earlier fans: their records, handles, and claimed stock', async () => {
    const { db, remove } = await engine.open(createClock())
    await seedDatabase(db, { ...options, fans: 0 })
    const at = new Date(0)
    const fan = { provider: 'mock-idp', createdAt: at, updatedAt: at }
    const untouched = await seededWith(options.fans, engine)
    const { users } = db.tables
    const [second, third] = await untouched.read.select().from(users).orderBy(users.subject)
    if (!second || !third) throw new Error('the seed has two fans at least')
    await db.write(async tx => {
      await tx.insert(users).values({ ...fan, id: 'before', subject: second.subject, bio: 'Was here.' })
      await tx.insert(users).values({ ...fan, id: 'namesake', subject: 'nobody', handle: third.handle })
      await tx.update(tx.tables.rewards).set({ stockRemaining: 0 })
    })
    expect((await seedDatabase(db, options)).fans).toBe(41)
    const found = await db.read.select().from(users)
    expect(found.find(({ id }) => id === 'before')?.bio).toBe('Was here.')
    // The society of a seed may block the fan.
    expect(found.find(({ subject }) => subject === third.subject)).toMatchObject({
      ...third,
      handle: null,
      hasBlocks: null,
    })
    expect(await db.read.select().from(db.tables.userRewards)).toEqual([])
    await remove()
  })

  test('leaves predictions of coming matches, which a result settles, and none of a match whose result is due', async () => {
    const { db, remove } = await engine.open(createClock())
    await seedDatabase(db, { ...options, fans: 0 })
    await report(db, { id: played.id, homeScore: 5, awayScore: 0 })
    await seedDatabase(db, options)
    const { predictions } = db.tables
    const before = await db.read.select().from(predictions)
    expect(before.filter(({ matchId }) => matchId === played.id)).toEqual([])
    const [open] = before.filter(({ state, competition }) => state === 'open' && competition === null)
    if (!open) throw new Error('no prediction is open')
    const { matchId: id, userId, homeScore, awayScore } = open
    await report(db, { id, homeScore, awayScore })
    const log = pino({ level: 'silent' })
    await settlePredictions({ ...realSources, db, log })
    const after = await db.read.select().from(predictions).where(eq(predictions.matchId, id))
    expect(after.every(({ state }) => state === 'settled')).toBe(true)
    expect(after.find(row => row.userId === userId)).toMatchObject({ exact: true, points: 25, booked: 25 })
    const findings: unknown[] = []
    await verifyLedger(db, { onFinding: finding => findings.push(finding) })
    await verifyQuests(db, { onFinding: finding => findings.push(finding) })
    expect(findings).toEqual([])
    await remove()
  })

  test('stops between two batches on a signal, reports its progress, and continues later', async () => {
    const stopped = await engine.open(createClock())
    // More than a group, which is larger on PostgreSQL.
    const many = { ...options, fans: engine === sqliteEngine ? 60 : 330 }
    const stop = seedDatabase(stopped.db, { ...many, stopRequested: () => 'SIGTERM' })
    const error = await stop.catch((thrown: unknown) => thrown)
    if (!(error instanceof Interrupted)) throw error
    expect(error.exitCode).toBe(143)
    const { users } = stopped.db.tables
    const written = await stopped.db.read.select().from(users)
    expect(
      written
        .map(({ subject }) => subject)
        .toSorted()
        .at(-1),
    ).toBe(`fan-${String(error.done).padStart(4, '0')}`)
    await seedDatabase(stopped.db, many)
    expect(await dump(stopped.db)).toEqual(await dump(await seededWith(many.fans, engine)))
    await stopped.remove()
  })

  test('recomputes rows that concurrent writes made stale', async () => {
    const [changed, model] = await Promise.all([engine.open(createClock()), engine.open(createClock())])
    await seedDatabase(model.db, { ...options, fans: 0 })
    await seedDatabase(changed.db, { ...options, fans: 0 })
    // The stock decreases, and a result is corrected, between computing and writing the first rows.
    const change = async (db: Database) => {
      await makeScarce(db)
      await report(db, { id: played.id, homeScore: 5, awayScore: 0 })
    }
    let changes = 1
    const { write } = changed.db
    const db: Database = {
      ...changed.db,
      async write(work) {
        if (changes-- === 0) await change({ ...changed.db, write })
        return write(work)
      },
    }
    await seedDatabase(db, options)
    await change(model.db)
    await seedDatabase(model.db, options)
    expect(await dump(changed.db)).toEqual(await dump(model.db))
    await Promise.all([changed.remove(), model.remove()])
  })
})

test.each([
  [50, 5_000],
  [0.1, 5_000],
  [9_000, 20_000],
])(
  'an exclusive seed of a server that takes %p ms for a fan ends each unit of work in time',
  async (ms, limit) => {
    const { db, remove } = await sqliteEngine.open(createClock())
    let now = 0
    const held: number[] = []
    const slow: Database = {
      ...db,
      write: work =>
        db.write(async tx => {
          const count = async () => (await tx.select({ id: tx.tables.users.id }).from(tx.tables.users)).length
          const before = await count()
          const value = await work(tx)
          const took = ((await count()) - before) * ms
          now += took
          if (took > 0) held.push(took)
          return value
        }),
    }
    const many = { ...options, fans: ms > 1_000 ? 160 : 300, exclusive: true, now: () => now }
    expect((await seedDatabase(slow, many)).fans).toBeGreaterThan(100)
    // Nothing is known of the server before the first group.
    expect(Math.max(...held.slice(1))).toBeLessThanOrEqual(limit)
    // A fast one gets large groups.
    if (ms < 1) expect(held.length).toBeLessThan(3)
    await remove()
  },
)

/** Votes are counted in one box on SQLite and in several on PostgreSQL. */
const rowsWithoutBoxes = async (db: Database) =>
  (await dump(db, ['box'])).filter(row => !/^\["question(Boxes|Tallies)"/.test(row))

const otherEngine = engines.at(-1) ?? sqliteEngine

test(`the same seed gives the same rows in any database, and another seed gives others (${otherEngine.name})`, async () => {
  const one = await seededWith(options.fans)
  const [two, other] = await Promise.all([otherEngine.open(createClock()), sqliteEngine.open(createClock())])
  await seedDatabase(two.db, { ...options, exclusive: true })
  expect(await rowsWithoutBoxes(two.db)).toEqual(await rowsWithoutBoxes(one))
  await seedDatabase(other.db, { ...options, seed: 8, fans: 10 })
  const fans = new Set((await one.read.select().from(one.tables.users)).map(({ id }) => id))
  const others = await other.db.read.select().from(other.db.tables.users)
  expect(others.length).toBeGreaterThan(5)
  expect(others.filter(({ id }) => fans.has(id))).toEqual([])
  await Promise.all([two.remove(), other.remove()])
})

test('a seeded database has fans at every stage and passes the verifications of the ledger and of quests', async () => {
  const db = await seededWith(200)
  const { users, onboardings, userRewards } = db.tables
  const [people, completed, claims] = await Promise.all([
    db.read.select().from(users),
    db.read.select().from(onboardings),
    db.read.select().from(userRewards),
  ])
  expect(people.length).toBeGreaterThan(completed.length)
  expect(claims.some(({ redeemedAt }) => redeemedAt !== null)).toBe(true)
  expect(claims.some(({ redeemedAt }) => redeemedAt === null)).toBe(true)
  const findings: Finding[] = []
  const report = await verifyLedger(db, { onFinding: finding => findings.push(finding) })
  expect(findings).toEqual([])
  expect(report.fans).toBe(people.length)
  expect(report.boards).toBeGreaterThan(3)
  const [predictions, checkIns, streaks, progress] = await Promise.all([
    db.read.select().from(db.tables.predictions),
    db.read.select().from(db.tables.checkIns),
    db.read.select().from(db.tables.questStreaks),
    db.read.select().from(db.tables.questProgress),
  ])
  expect(new Set(predictions.map(({ state, exact }) => `${state} ${exact}`))).toEqual(
    new Set(['open null', 'settled false', 'settled true']),
  )
  expect(checkIns.length).toBeGreaterThan(100)
  const monthly = progress.filter(({ questId }) => questId === 'matchday-regular')
  expect(monthly.some(({ period, counts }) => period === '2026-08' && counts === '{"matches":1}')).toBe(true)
  expect(streaks.some(({ current, endsAt }) => current >= 3 && endsAt > db.read.now())).toBe(true)
  const claimable = progress.filter(({ completedAt }) => completedAt !== null)
  expect(claimable.length).toBeGreaterThan(10)
  expect(progress.length).toBeGreaterThan(2 * claimable.length)
  expect(await verifyQuests(db)).toMatchObject({ periods: progress.length, findings: 0 })
})

test('the orders of a seed have every status, every state of a line, and addresses that the server reads', async () => {
  const db = await seededWith(200)
  const { orders, orderUnits, payments, productVariants } = db.tables
  const wholes = await readWhole(db.read, await db.read.select().from(orders))
  const { addressEncryption, sandbox } = createTill(options.nativeTokens)
  const shown = wholes.map(whole => presentOrder(whole, addressEncryption, db.read.now()))
  // What a server shows as pending ends after half an hour.
  expect(new Set(shown.map(({ status }) => status))).toEqual(
    new Set(['paid', 'fulfilled', 'expired', 'cancelled', 'refund_due', 'refunded']),
  )
  expect(wholes.some(({ order }) => order.status === 'pending' && !order.expiryNotedAt)).toBe(true)
  const lines = shown.flatMap(order => order.lines)
  expect(new Set(lines.map(({ state }) => state))).toEqual(
    new Set(['none', 'ready', 'shipped', 'delivered', 'returned']),
  )
  expect(new Set(lines.map(({ kind }) => kind))).toEqual(new Set(['physical', 'voucher', 'pack', 'digital']))
  expect(lines.filter(({ state }) => state === 'shipped').every(({ tracking }) => tracking)).toBe(true)
  const shipped = shown.filter(order => order.lines.some(({ kind }) => kind === 'physical'))
  expect(shipped.every(({ address }) => address && findAddressErrors(address).length === 0)).toBe(true)
  for (const { order } of wholes) {
    if (order.paymentReference === null) continue
    const verdict = await sandbox.examine(chargeOf(order), order.paymentReference)
    expect(verdict.state).toBe('paid')
  }
  const paid = await db.read.select().from(payments)
  expect(new Set(paid.map(({ refundedAt }) => refundedAt === null))).toEqual(new Set([true, false]))
  expect((await db.read.select().from(orderUnits)).length).toBeGreaterThan(10)
  const variants = await db.read.select().from(productVariants)
  expect(variants.some(({ stockTotal }) => stockTotal === 0)).toBe(true)
  expect(variants.filter(({ stockSold }) => stockSold > 0).length).toBeGreaterThan(7)
})

test('the rows of a fan do not depend on the number of fans', async () => {
  const [few, many] = await Promise.all([seededWith(10), seededWith(options.fans)])
  const subjects = async (db: Database) =>
    (await db.read.select().from(db.tables.users))
      // Relations are only among enough fans.
      .map(({ hasBlocks: _, ...fan }) => fan)
      .toSorted((a, b) => a.subject.localeCompare(b.subject))
  const first = await subjects(few)
  expect((await subjects(many)).slice(0, first.length)).toEqual(first)
})
