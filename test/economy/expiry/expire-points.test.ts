/** Points that end after `POINTS_EXPIRE_AFTER_DAYS`: the oldest are spent first, and fans are warned. */
import { describe, expect, spyOn, test } from 'bun:test'
import { and, asc, eq } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { expireBatch, expirePoints } from '../../../src/economy/expiry/expire-points.ts'
import { readBalance } from '../../../src/economy/points/account.ts'
import { readNextExpiry } from '../../../src/economy/points/expiry.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry, type PointsChange } from '../../../src/economy/points/ledger.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { createClock } from '../../support/clock.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { countsAttempts } from '../../support/serializable.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'

const DAY = 86_400_000
const DAYS = 60
const midnight = (ms: number) => ms - (ms % DAY)

const idOf = (world: World, subject: string) =>
  world.db.write(async tx => (await ensureUser(tx, { provider: 'p', subject })).user.id)
let refs = 0
const book = (world: World, userId: string, delta: number, reason: PointsChange['reason'] = 'activity') =>
  world.db.write(tx => appendEntry(tx, { userId, delta, reason, ref: `r-${++refs}` }))
const pass = (world: World) => expirePoints(world.deps)
const balanceOf = (world: World, userId: string) => readBalance(world.db.read, userId)

async function eventsOf(world: World, userId: string, type = 'points.expiring') {
  const { events } = world.db.tables
  const rows = await world.db.read
    .select()
    .from(events)
    .where(and(eq(events.userId, userId), eq(events.type, type)))
    .orderBy(asc(events.sequence))
  return rows.map(({ data }) => JSON.parse(data ?? 'null'))
}

/** With a token of the moment: tokens end long before points. */
const signedIn = async (world: World, { subject }: Fan) =>
  world.withToken(await world.idp.issueToken(subject))

/** Passes of every day from now on. */
async function live(world: World, days: number) {
  for (let day = 0; day < days; day++) {
    world.clock.advance(DAY)
    await pass(world)
  }
}

onEachEngine(
  'Points that end',
  world => {
    test('expire at midnight after the configured days, the oldest first, and are booked once', async () => {
      const fan = await idOf(world, 'ada')
      await pass(world)
      await book(world, fan, 50)
      const earned = midnight(world.clock.ms)
      await live(world, 1)
      await book(world, fan, 30)
      await book(world, fan, -20, 'pack_purchase')
      await live(world, DAYS - 1)
      expect(await balanceOf(world, fan)).toEqual({ balance: 60, lifetime: 80 })
      await live(world, 1)
      // 20 of the first 50 were spent.
      expect(await balanceOf(world, fan)).toEqual({ balance: 30, lifetime: 80 })
      for (let n = 0; n < 3; n++) await pass(world)
      await live(world, 1)
      expect(await balanceOf(world, fan)).toEqual({ balance: 0, lifetime: 80 })
      const { pointsEntries } = world.db.tables
      const entries = await world.db.read.select().from(pointsEntries).orderBy(asc(pointsEntries.seq))
      const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
      expect(
        entries.filter(({ reason }) => reason === 'expired').map(({ delta, ref }) => [delta, ref]),
      ).toEqual([
        [-30, dayOf(earned)],
        [-30, dayOf(earned + DAY)],
      ])
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })

    test('have one warning, 30 days before, with the amount and the time', async () => {
      const fan = await idOf(world, 'ada')
      await pass(world)
      await book(world, fan, 50)
      await book(world, fan, 5)
      const expiresAt = new Date(midnight(world.clock.ms) + (DAYS + 1) * DAY).toISOString()
      await live(world, 1)
      await book(world, fan, 7)
      await live(world, DAYS - 31)
      expect(await eventsOf(world, fan)).toEqual([])
      await live(world, 1)
      expect(await eventsOf(world, fan)).toEqual([{ amount: 55, expiresAt }])
      await live(world, 1)
      const next = new Date(Date.parse(expiresAt) + DAY).toISOString()
      expect(await eventsOf(world, fan)).toEqual([
        { amount: 55, expiresAt },
        { amount: 7, expiresAt: next },
      ])
      await live(world, 5)
      expect(await eventsOf(world, fan)).toHaveLength(2)
    })

    test('expire at the earliest 30 days after the setting is turned on, after one warning', async () => {
      const fan = await idOf(world, 'ada')
      await book(world, fan, 50)
      world.clock.advance(10 * DAY)
      await book(world, fan, 8)
      world.clock.advance(300 * DAY)
      await pass(world)
      const expiresAt = new Date(midnight(world.clock.ms) + 30 * DAY).toISOString()
      expect(await eventsOf(world, fan)).toEqual([{ amount: 58, expiresAt }])
      await live(world, 29)
      expect(await balanceOf(world, fan)).toMatchObject({ balance: 58 })
      await live(world, 1)
      expect(await balanceOf(world, fan)).toMatchObject({ balance: 0 })
      expect(await eventsOf(world, fan)).toHaveLength(1)
    })

    describe('after a merge', () => {
      const merge = (from: string, into: string) =>
        world.db.write(tx => mergeFans(tx, { from, into, mergedBy: 'Ana', reason: null }))
      const ends = async (fan: string) => {
        const next = await readNextExpiry(world.db.read, fan, DAYS)
        return next && { ...next, in: (Date.parse(next.expiresAt) - midnight(world.clock.ms)) / DAY }
      }
      async function fans(...names: string[]) {
        await pass(world)
        return Promise.all(names.map(name => idOf(world, name)))
      }

      test('keep their age, whatever either fan has spent', async () => {
        const [from = '', into = ''] = await fans('ada', 'bob')
        await book(world, from, 100)
        await live(world, 20)
        await book(world, into, 40)
        await book(world, into, -40, 'pack_purchase')
        await book(world, from, 30)
        await book(world, from, -30, 'pack_purchase')
        await live(world, 10)
        await merge(from, into)
        expect(await ends(into)).toMatchObject({ amount: 70, in: 31 })
        await live(world, 30)
        expect(await balanceOf(world, into)).toMatchObject({ balance: 100 })
        expect(await eventsOf(world, into)).toMatchObject([{ amount: 70 }, { amount: 30 }])
        await live(world, 1)
        expect(await balanceOf(world, into)).toMatchObject({ balance: 30 })
        expect(await ends(into)).toMatchObject({ amount: 30, in: 20 })
        expect((await verifyLedger(world.db)).findings).toBe(0)
        await live(world, 20)
        expect(await balanceOf(world, into)).toMatchObject({ balance: 0 })
        expect((await verifyLedger(world.db)).findings).toBe(0)
      })

      test('keep it along a chain of merges, and are spent before what is earned later', async () => {
        const [from = '', middle = '', into = ''] = await fans('ada', 'bob', 'eve')
        await book(world, from, 100)
        await live(world, 20)
        await merge(from, middle)
        await book(world, middle, 50)
        await live(world, 20)
        await merge(middle, into)
        await book(world, into, 5)
        expect(await ends(into)).toMatchObject({ amount: 100, in: 21 })
        await book(world, into, -80, 'pack_purchase')
        expect(await ends(into)).toMatchObject({ amount: 20, in: 21 })
        await live(world, 21)
        expect(await balanceOf(world, into)).toMatchObject({ balance: 55 })
        await live(world, 20)
        expect(await balanceOf(world, into)).toMatchObject({ balance: 5 })
        const { pointsEntries: entries } = world.db.tables
        const expired = await world.db.read.select().from(entries).where(eq(entries.reason, 'expired'))
        expect(expired.map(({ userId, delta }) => [userId, delta]).toSorted()).toEqual([
          [into, -20],
          [into, -50],
        ])
        expect((await verifyLedger(world.db)).findings).toBe(0)
      })

      test('that were earned at midnight count once', async () => {
        const [from = '', into = ''] = await fans('ada', 'bob')
        world.clock.advance(DAY - (world.clock.ms % DAY))
        await book(world, from, 50)
        await live(world, 31)
        await book(world, from, 40)
        await merge(from, into)
        await live(world, 29)
        expect(await balanceOf(world, into)).toMatchObject({ balance: 90 })
        await live(world, 1)
        expect(await balanceOf(world, into)).toMatchObject({ balance: 40 })
      })

      test('are verified: a different amount is a finding', async () => {
        const [from = '', into = ''] = await fans('ada', 'bob')
        await book(world, from, 100)
        await live(world, 20)
        await merge(from, into)
        await live(world, 20)
        const ref = new Date(world.clock.ms - 30 * DAY).toISOString().slice(0, 10)
        await world.db.write(tx => appendEntry(tx, { userId: into, delta: -7, reason: 'expired', ref }))
        const found: unknown[] = []
        await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
        expect(found).toEqual([
          { userId: into, what: 'points_entries.delta', seq: 2, expected: -100, actual: -7 },
        ])
      })
    })

    test('of a setting that was off for more than 30 days get a new warning', async () => {
      const fan = await idOf(world, 'ada')
      await pass(world)
      await book(world, fan, 50)
      world.clock.advance(200 * DAY)
      await pass(world)
      expect(await balanceOf(world, fan)).toMatchObject({ balance: 50 })
      await live(world, 30)
      expect(await balanceOf(world, fan)).toMatchObject({ balance: 0 })
    })

    test('that were missed by passes of some days are booked by the next one', async () => {
      const fan = await idOf(world, 'ada')
      await pass(world)
      await book(world, fan, 50)
      await live(world, DAYS - 5)
      world.clock.advance(20 * DAY)
      await pass(world)
      expect(await balanceOf(world, fan)).toMatchObject({ balance: 0 })
      expect(await eventsOf(world, fan)).toHaveLength(1)
    })

    test('leave lifetime points, ranks and boards as they are', async () => {
      const fan = await idOf(world, 'ada')
      await world.db.write(tx => joinLeaderboard(tx, fan))
      await pass(world)
      await book(world, fan, 50)
      await live(world, DAYS + 1)
      expect(await balanceOf(world, fan)).toEqual({ balance: 0, lifetime: 50 })
      const { body } = await world.anonymous.get('/api/leaderboard')
      expect(body.entries).toMatchObject([{ userId: fan, points: 50, rank: 1 }])
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })

    test('a refund of points that have expired counts as earned on the day of the refund', async () => {
      const fan = await idOf(world, 'ada')
      await pass(world)
      await book(world, fan, 50)
      await book(world, fan, -50, 'pack_purchase')
      await live(world, DAYS + 1)
      await book(world, fan, 50, 'pack_refund')
      await live(world, DAYS)
      expect(await balanceOf(world, fan)).toEqual({ balance: 50, lifetime: 50 })
      await live(world, 1)
      expect(await balanceOf(world, fan)).toEqual({ balance: 0, lifetime: 50 })
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })

    test('have the event points.changed, like every entry', async () => {
      const fan = await idOf(world, 'ada')
      await pass(world)
      await book(world, fan, 50)
      await live(world, DAYS + 1)
      expect((await eventsOf(world, fan, 'points.changed')).at(-1)).toMatchObject({
        delta: -50,
        balance: 0,
        lifetime: 50,
        reason: 'expired',
      })
    })

    test('a fan can read which points expire next, and when', async () => {
      const fan = await world.fan()
      await fan.post('/api/user/onboarding', {})
      const read = async () =>
        (await signedIn(world, fan).then(fan => fan.get('/api/user/points'))).body.expiring
      const earned = midnight(world.clock.ms)
      const endOf = (day: number) => new Date(earned + (day + DAYS + 1) * DAY).toISOString()
      await pass(world)
      expect(await read()).toEqual({ amount: 100, expiresAt: endOf(0) })
      const userId = (await fan.get('/api/user/profile')).body.id
      await live(world, 3)
      await book(world, userId, 40)
      await book(world, userId, 2)
      await book(world, userId, -30, 'pack_purchase')
      expect(await read()).toEqual({ amount: 70, expiresAt: endOf(0) })
      await book(world, userId, -75, 'pack_purchase')
      expect(await read()).toEqual({ amount: 37, expiresAt: endOf(3) })
      await book(world, userId, -37, 'pack_purchase')
      expect(await read()).toBeNull()
      expect((await (await world.fan()).get('/api/user/points')).body.expiring).toBeNull()
    })

    test('a fan whose account is damaged is left out and logged, and does not delay others', async () => {
      const [ada, bo] = [await idOf(world, 'ada'), await idOf(world, 'bo')]
      await pass(world)
      for (const fan of [ada, bo]) await book(world, fan, 50)
      await world.db.write(tx =>
        tx
          .update(tx.tables.pointsAccounts)
          .set({ balance: 60 })
          .where(eq(tx.tables.pointsAccounts.userId, ada)),
      )
      await live(world, DAYS + 1)
      expect(await balanceOf(world, bo)).toMatchObject({ balance: 0 })
      expect(await balanceOf(world, ada)).toMatchObject({ balance: 60 })
      expect(world.logged.some(line => line.includes(ada) && line.includes('points have not ended'))).toBe(
        true,
      )
    })

    test('nothing is booked or recorded for an erased fan', async () => {
      const fan = await world.fan()
      await fan.post('/api/user/onboarding', {})
      const userId = (await fan.get('/api/user/profile')).body.id
      await pass(world)
      await world.db.write(tx => eraseUser(tx, { id: userId }))
      await live(world, DAYS + 1)
      expect(await balanceOf(world, userId)).toMatchObject({ balance: 100 })
    })

    test.skipIf(countsAttempts !== '')(
      `a batch takes as many statements for many fans as for two${countsAttempts}`,
      async () => {
        await pass(world)
        const fans = await Promise.all(Array.from({ length: 12 }, (_, n) => idOf(world, `fan-${n}`)))
        for (const fan of fans) await book(world, fan, 50)
        world.clock.advance(29 * DAY)
        await pass(world)
        world.clock.advance(29 * DAY)
        await pass(world)
        world.clock.advance(5 * DAY)
        const count = (limit: number) =>
          world.db.write(async tx => {
            const spies = [
              spyOn(tx.statements, 'get'),
              ...[spyOn(tx, 'select'), spyOn(tx, 'insert'), spyOn(tx, 'update')],
            ]
            await expireBatch(tx, DAYS, limit)
            const calls = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
            for (const spy of spies) spy.mockRestore()
            return calls
          })
        await count(2)
        const few = await count(2)
        expect(await count(10)).toBe(few)
        for (const fan of fans) expect(await balanceOf(world, fan)).toMatchObject({ balance: 0 })
      },
    )

    test('verify-ledger reports an expiry of too many points, too few, or too early', async () => {
      const fan = await idOf(world, 'ada')
      await book(world, fan, 50)
      world.clock.advance(100 * DAY)
      const end = (delta: number, ref: string) =>
        world.db.write(tx => appendEntry(tx, { userId: fan, delta, reason: 'expired', ref }))
      await end(-20, new Date(midnight(world.clock.ms) - 50 * DAY).toISOString().slice(0, 10))
      const found: string[] = []
      await verifyLedger(world.db, {
        onFinding: ({ what, expected, actual }) => void found.push(`${what} ${expected} ${actual}`),
      })
      expect(found).toContain('points_entries.delta -50 -20')
    })
  },
  { worldPer: 'test', env: { POINTS_EXPIRE_AFTER_DAYS: String(DAYS) } },
)

onEachEngine(
  'Points without an end',
  world => {
    test('never expire, and no response mentions expiry', async () => {
      const fan = await world.fan()
      await fan.post('/api/user/onboarding', {})
      await pass(world)
      world.clock.advance(10_000 * DAY)
      await pass(world)
      const { body } = await (await signedIn(world, fan)).get('/api/user/points')
      expect(body).toMatchObject({ balance: 100 })
      expect(body).not.toHaveProperty('expiring')
      expect(await world.db.read.select().from(world.db.tables.pointsExpiry)).toEqual([])
    })
  },
  { worldPer: 'test' },
)

for (const engine of engines) {
  describe(`Processes that end points at once (${engine.name})`, () => {
    test('book and warn once per fan and day, also when one of them is killed', async () => {
      const clock = createClock()
      const temporary = await engine.open(clock)
      const { db } = temporary
      const FANS = 40
      await db.write(tx => expireBatch(tx, DAYS))
      const fans = await db.write(async tx => {
        const ids: string[] = []
        for (let n = 0; n < FANS; n++) {
          const { user } = await ensureUser(tx, { provider: 'p', subject: `fan-${n}` })
          await appendEntry(tx, { userId: user.id, delta: 10 + n, reason: 'activity', ref: 'first' })
          ids.push(user.id)
        }
        return ids
      })
      clock.advance(29 * DAY)
      await db.write(tx => expireBatch(tx, DAYS))
      clock.advance(20 * DAY)
      await db.write(tx => expireBatch(tx, DAYS))
      clock.advance(12 * DAY)

      const command = commandOf('test/economy/expiry/expiring-process.ts')
      const parameters = [temporary.url ?? '', clock.now().toISOString(), String(DAYS), '3']
      const spawn = () => Bun.spawn([...command, ...parameters], { stdout: 'pipe', stderr: 'inherit' })
      const killed = spawn()
      await killed.stdout.getReader().read()
      killed.kill('SIGKILL')
      await killed.exited
      const running = [spawn(), spawn()]
      expect(await Promise.all(running.map(({ exited }) => exited))).toEqual([0, 0])

      const entries = await db.read.select().from(db.tables.pointsEntries)
      const ended = entries.filter(({ reason }) => reason === 'expired')
      expect(ended.map(({ userId }) => userId).toSorted()).toEqual(fans.toSorted())
      const events = await db.read
        .select()
        .from(db.tables.events)
        .where(eq(db.tables.events.type, 'points.expiring'))
      expect(events).toHaveLength(FANS)
      for (const fan of fans) expect(await readBalance(db.read, fan)).toMatchObject({ balance: 0 })
      expect((await verifyLedger(db)).findings).toBe(0)
      await temporary.remove()
    })
  })
}
