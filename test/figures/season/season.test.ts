/** The counts of the season: what a sweep counts, that it counts each record once, and that the verification counts the same. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Database, Tables, Transaction } from '../../../db/index.ts'
import { findWrongSeason } from '../../../src/audit/records/verify-season.ts'
import { matchKind } from '../../../src/club/matches/match-kind.ts'
import { sponsorKind } from '../../../src/club/sponsors/sponsor-kind.ts'
import { countSeason, forgetSeason, forgetSegments } from '../../../src/figures/season/sweep.ts'
import { dayNumber, minuteNumber, roundBalance, weekNumber } from '../../../src/figures/season/tally.ts'
import { questionKind } from '../../../src/play/questions/question-kind.ts'
import { questKind } from '../../../src/play/quests/quest-kind.ts'
import { rewardKind } from '../../../src/play/rewards/reward-kind.ts'
import { productKind } from '../../../src/play/shop/product-kind.ts'
import { entryOf } from '../../play/shop/products-world.ts'
import { onEachEngine, type World } from '../../support/world.ts'

const JOINED = '2026-08-03T12:00:00.000Z'
const NOON = '2026-08-14T12:00:00.000Z'
const DAY = dayNumber(new Date(NOON))
const WEEK = weekNumber(new Date(JOINED))
const go = () => false

/** As production makes ids: of the instant. */
const idOf = (instant: Date) => Bun.randomUUIDv7('hex', instant.getTime())

async function addFan({ db }: World, profile: { favoriteTeamId?: string; country?: string } = {}) {
  const createdAt = new Date(JOINED)
  const row = { id: idOf(createdAt), provider: 'mock', subject: crypto.randomUUID(), ...profile }
  await db.write(tx => tx.insert(tx.tables.users).values({ ...row, createdAt, updatedAt: createdAt }))
  return row.id
}

const sequences = new Map<string, number>()
const nextOf = (key: string) => {
  const next = (sequences.get(key) ?? 0) + 1
  sequences.set(key, next)
  return next
}

type EventRow = Tables['events']['$inferInsert']

async function addEvent(db: Database, userId: string, type: string, data: object = {}, at = NOON) {
  const instant = new Date(at)
  const row: EventRow = {
    ...{ source: 'matchday', eventId: crypto.randomUUID(), userId, sequence: nextOf(userId), type },
    ...{ data: JSON.stringify(data), occurredAt: instant, recordedAt: instant },
  }
  await db.write(tx => tx.insert(tx.tables.events).values(row))
}

const balances = new Map<string, number>()

async function addEntry(
  db: Database,
  userId: string,
  delta: number,
  reason: string,
  ref?: string,
  at = NOON,
) {
  const createdAt = new Date(at)
  const seq = nextOf(`points ${userId}`)
  const balanceAfter = (balances.get(userId) ?? 0) + delta
  balances.set(userId, balanceAfter)
  const entry = { id: idOf(createdAt), userId, seq, delta, balanceAfter, reason, hash: '', createdAt }
  await db.write(tx => tx.insert(tx.tables.pointsEntries).values({ ...entry, ref: ref ?? String(seq) }))
}

/** `KIND BUCKET NAME` of the counts that are not zero. */
async function readCounts({ db }: World, kinds: RegExp): Promise<Record<string, number>> {
  const rows = await db.read.select().from(db.tables.seasonCounts)
  const shown = rows.filter(({ kind, amount }) => amount !== 0 && kinds.test(kind))
  return Object.fromEntries(
    shown.map(({ kind, bucket, name, amount }) => [`${kind} ${bucket} ${name}`, amount]),
  )
}

const verify = ({ db }: World) => findWrongSeason(db.read)

onEachEngine(
  'The counts of the season',
  world => {
    test('have the steps of each fan once, by week of joining, team and country', async () => {
      const team = await world.team()
      const fan = await addFan(world, { favoriteTeamId: team, country: 'PT' })
      await addFan(world)
      for (const type of ['onboarding.completed', 'reward.claimed', 'reward.claimed'])
        await addEvent(world.db, fan, type, { rewardId: 'scarf' })
      await countSeason(world.db, go)
      const counts = await readCounts(world, /^cohort/)
      const own = (segment: string, fans: number) => ({
        [`cohort:${segment} ${WEEK} step:0`]: fans,
        [`cohort:${segment} ${WEEK} step:1`]: 1,
        [`cohort:${segment} ${WEEK} step:3`]: 1,
        [`cohort:${segment} ${WEEK} week:1`]: 1,
      })
      expect(counts).toEqual({ ...own('all', 2), ...own(`team:${team}`, 1), ...own('country:PT', 1) })
      expect(await verify(world)).toEqual([])
    })

    test('have points by reason, balances, and each fan of a rule once', async () => {
      const [fan, other] = [await addFan(world), await addFan(world)]
      for (const nth of [1, 2, 3]) await addEntry(world.db, fan, 1_000, 'rule', `shopping:shop:${nth}`)
      await addEntry(world.db, fan, -235, 'pack_purchase')
      await addEntry(world.db, other, 50, 'rule', 'shopping:shop:4')
      await countSeason(world.db, go)
      expect(await readCounts(world, /^(points|rule|balance)/)).toEqual({
        [`points.in ${DAY} rule`]: 3_050,
        [`points.out ${DAY} pack_purchase`]: 235,
        [`rule.times ${WEEK + 1} shopping`]: 4,
        [`rule.points ${WEEK + 1} shopping`]: 3_050,
        'rule.fans 0 shopping': 2,
        'rule.repeats 0 shopping': 1,
        'balance 2760 ': 1,
        'balance 50 ': 1,
      })
      expect(await verify(world)).toEqual([])
    })

    test('have purchases with their sums, and check-ins and packs by minute', async () => {
      const fan = await addFan(world)
      const price = { amount: 299, currency: 'EUR' }
      await addEvent(world.db, fan, 'purchase.completed', { packId: 'gold', price })
      const lines = [{ productId: 'shirt', variantId: 'm', quantity: 2, price: { ...price, amount: 7_900 } }]
      await addEvent(world.db, fan, 'order.paid', { lines })
      await addEvent(world.db, fan, 'match.checked_in', {})
      await addEvent(world.db, fan, 'pack.opened', {})
      await countSeason(world.db, go)
      const minute = minuteNumber(new Date(NOON))
      expect(await readCounts(world, /^(pack|product|minute)/)).toEqual({
        [`pack.times ${WEEK + 1} gold`]: 1,
        'pack.fans 0 gold': 1,
        [`pack.sum ${WEEK + 1} EUR gold`]: 299,
        [`product.times ${WEEK + 1} shirt`]: 2,
        'product.fans 0 shirt': 1,
        'product.repeats 0 shirt': 1,
        [`product.sum ${WEEK + 1} EUR shirt`]: 15_800,
        [`minute.checkIns ${minute} `]: 1,
        [`minute.packs ${minute} `]: 1,
      })
      expect(await verify(world)).toEqual([])
    })

    describe('of a sponsor', () => {
      const sponsorId = 'ferries'
      const week = WEEK + 1
      const sponsor = () =>
        world.db.write(tx => sponsorKind.upsert(tx, { id: sponsorId, name: 'Tideline Ferries' }))
      /** At an instant before or after the events. */
      async function changeAt<Result>(at: string, work: (tx: Transaction) => Promise<Result>) {
        const before = world.clock.ms
        world.clock.set(Date.parse(at) - world.clock.ms)
        await world.db.write(work)
        world.clock.set(before - world.clock.ms)
      }
      const rewardWith = (sponsorId: string | null) => (tx: Transaction) =>
        rewardKind.upsert(tx, {
          ...{ id: 'tea', title: 'Tea', description: 'Hot.', itemType: 'voucher', pointsRequired: 0 },
          sponsorId,
        })

      test('have what fans did with what it supported at that time, by day, and each fan once', async () => {
        await sponsor()
        await changeAt(JOINED, rewardWith(null))
        await changeAt('2026-08-14T12:00:00.001Z', rewardWith(sponsorId))
        await changeAt('2026-08-14T14:00:00.000Z', rewardWith(null))
        const [fan, other] = [await addFan(world), await addFan(world)]
        for (const [userId, at] of [
          [fan, NOON],
          [fan, '2026-08-14T13:00:00.000Z'],
          [fan, '2026-08-14T13:30:00.000Z'],
          [other, '2026-08-14T13:30:00.000Z'],
          [other, '2026-08-14T14:00:00.000Z'],
        ] as const)
          await addEvent(world.db, userId, 'reward.claimed', { rewardId: 'tea' }, at)
        await addEvent(world.db, fan, 'reward.redeemed', { rewardId: 'tea' }, '2026-08-14T13:40:00.000Z')
        await countSeason(world.db, go)
        expect(await readCounts(world, /^sponsor/)).toEqual({
          [`sponsor.day ${DAY} ferries claimed`]: 3,
          [`sponsor.day ${DAY} ferries redeemed`]: 1,
          [`sponsor.times ${week} ferries`]: 4,
          'sponsor.fans 0 ferries': 2,
          'sponsor.repeats 0 ferries': 1,
        })
        expect(await verify(world)).toEqual([])
      })

      test('have votes in its questions, each fan once, and the points of their answers', async () => {
        await sponsor()
        await changeAt(JOINED, tx =>
          questionKind.upsert(tx, {
            ...{ id: 'first-goal', kind: 'poll', title: 'Who scores first?', sponsorId },
            options: ['home', 'away'].map(id => ({ id, text: id })),
            opensAt: JOINED,
            closesAt: NOON,
          }),
        )
        const [fan, other] = [await addFan(world), await addFan(world)]
        const voted = (questionId: string) => ({ questionId, matchId: null, kind: 'poll' })
        for (const userId of [fan, other])
          await addEvent(world.db, userId, 'question.voted', voted('first-goal'))
        await addEvent(world.db, fan, 'question.voted', voted('another'))
        await addEvent(world.db, fan, 'question.answered', { ...voted('first-goal'), points: 10 })
        await addEntry(world.db, fan, 10, 'question', 'first-goal:1')
        await addEntry(world.db, fan, -10, 'question_void', 'first-goal:1')
        await addEntry(world.db, other, 10, 'question', 'first-goal:2')
        await countSeason(world.db, go)
        expect(await readCounts(world, /^sponsor/)).toEqual({
          [`sponsor.day ${DAY} ferries voted`]: 2,
          [`sponsor.times ${week} ferries`]: 2,
          [`sponsor.points ${week} ferries`]: 10,
          'sponsor.fans 0 ferries': 2,
        })
        expect(await verify(world)).toEqual([])
      })

      test('have purchases, check-ins, and the points of quests and matches', async () => {
        await sponsor()
        const matchId = await world.match()
        await changeAt(JOINED, async tx => {
          const [match] = await matchKind.read(tx, [matchId])
          if (match) await matchKind.upsert(tx, { ...match, sponsorId })
          await productKind.upsert(tx, entryOf({ id: 'mug', sponsorId }))
          await questKind.upsert(tx, {
            ...{
              id: 'visits',
              title: 'Visits',
              description: 'Come.',
              kind: 'quest',
              period: 'once',
              sponsorId,
            },
            steps: [{ id: 'visit', eventType: 'match.checked_in', target: 1 }],
          })
        })
        const fan = await addFan(world)
        const price = { amount: 500, currency: 'EUR' }
        await addEvent(world.db, fan, 'order.paid', {
          lines: [
            { productId: 'mug', variantId: 'one', quantity: 2, price },
            { productId: 'other', variantId: 'one', quantity: 9, price },
          ],
        })
        await addEvent(world.db, fan, 'match.checked_in', { matchId })
        await addEvent(world.db, fan, 'quest.completed', { questId: 'visits' })
        await addEntry(world.db, fan, 30, 'quest', 'visits:once')
        await addEntry(world.db, fan, 12, 'prediction', `${matchId}:1`)
        await addEntry(world.db, fan, -12, 'prediction_void', `${matchId}:1`)
        await countSeason(world.db, go)
        expect(await readCounts(world, /^sponsor/)).toEqual({
          [`sponsor.day ${DAY} ferries bought`]: 2,
          [`sponsor.day ${DAY} ferries checkedIn`]: 1,
          [`sponsor.day ${DAY} ferries completed`]: 1,
          [`sponsor.times ${week} ferries`]: 4,
          [`sponsor.sum ${week} EUR ferries`]: 1_000,
          [`sponsor.points ${week} ferries`]: 30,
          'sponsor.fans 0 ferries': 1,
          'sponsor.repeats 0 ferries': 1,
        })
        expect(await verify(world)).toEqual([])
        await world.db.write(tx =>
          tx
            .update(tx.tables.seasonCounts)
            .set({ amount: 3 })
            .where(eq(tx.tables.seasonCounts.kind, 'sponsor.day')),
        )
        expect((await verify(world)).map(({ what }) => what)).toContain(
          `season_counts sponsor.day ${DAY} ferries checkedIn`,
        )
      })
    })

    test('have predictions by minute, also of those that are withdrawn later', async () => {
      const fan = await addFan(world)
      const matchId = await world.match()
      const at = new Date(NOON)
      const { predictions } = world.db.tables
      await world.db.write(tx =>
        tx.insert(predictions).values({
          ...{ matchId, userId: fan, homeScore: 1, awayScore: 0, createdAt: at, changedAt: at },
          ...{ state: 'open', points: 0, booked: 0 },
        }),
      )
      await countSeason(world.db, go)
      expect(await readCounts(world, /^minute/)).toEqual({ [`minute.predictions ${minuteNumber(at)} `]: 1 })
      expect(await verify(world)).toEqual([])
      await world.db.write(tx => tx.delete(predictions).where(eq(predictions.userId, fan)))
      expect(await verify(world)).toEqual([])
    })

    test('leave what is younger than ten minutes for the next time', async () => {
      const fan = await addFan(world)
      const soon = new Date(world.clock.ms - 60_000).toISOString()
      await addEvent(world.db, fan, 'reward.claimed', { rewardId: 'scarf' }, soon)
      await countSeason(world.db, go)
      expect(await readCounts(world, /^event/)).toEqual({})
      expect(await verify(world)).toEqual([])
      world.clock.advance(600_000)
      await countSeason(world.db, go)
      expect(await readCounts(world, /^event/)).toEqual({
        [`event ${dayNumber(new Date(soon))} reward.claimed`]: 1,
      })
      expect(await verify(world)).toEqual([])
    })

    test('count each record once: in many spans, by several processes, and after a stop', async () => {
      const fans = await Promise.all(Array.from({ length: 12 }, () => addFan(world)))
      const { events } = world.db.tables
      const rows = fans.flatMap(userId =>
        Array.from({ length: 130 }, (_, nth): EventRow => {
          // Most at the same time, as a unit of work writes many.
          const at = new Date(Date.parse(NOON) + (nth < 90 ? 0 : nth))
          return {
            ...{ source: 'shop', eventId: crypto.randomUUID(), userId, sequence: nth + 1, type: 'visit' },
            ...{ data: '{}', occurredAt: at, recordedAt: at },
          }
        }),
      )
      for (const row of rows) row.source = 'matchday'
      for (let first = 0; first < rows.length; first += 400)
        await world.db.write(tx => tx.insert(events).values(rows.slice(first, first + 400)))
      let asked = 0
      await countSeason(world.db, () => ++asked > 3)
      await Promise.all([countSeason(world.db, go), countSeason(world.db, go), countSeason(world.db, go)])
      expect(await readCounts(world, /^event/)).toEqual({ [`event ${DAY} visit`]: 1_560 })
      expect(await verify(world)).toEqual([])
      await countSeason(world.db, go)
      expect(await readCounts(world, /^event/)).toEqual({ [`event ${DAY} visit`]: 1_560 })
    })

    test('are counted up to the start of a run, however long its spans take', async () => {
      const fan = await addFan(world)
      await addEvent(world.db, fan, 'pack.opened')
      await countSeason(world.db, go)
      world.clock.advance(60_000)
      let spans = 0
      const laterWithEachSpan = () => {
        world.clock.advance(5)
        return ++spans > 20
      }
      expect(await countSeason(world.db, laterWithEachSpan)).toBe(1)
    })

    test('stay when events lose their data, and an erasure leaves team and country', async () => {
      const fan = await addFan(world, { favoriteTeamId: await world.team(), country: 'PT' })
      await addEvent(world.db, fan, 'reward.claimed', { rewardId: 'scarf' })
      await addEvent(world.db, fan, 'reward.claimed', { rewardId: 'scarf' }, '2026-08-14T13:00:00.000Z')
      await countSeason(world.db, go)
      const { events, users } = world.db.tables
      await world.db.write(async tx => {
        await tx.update(events).set({ data: null })
        await tx.update(users).set({ favoriteTeamId: null, country: null })
        await forgetSegments(tx, [fan])
      })
      const segments = Object.keys(await readCounts(world, /^cohort/)).map(key => key.split(' ')[0])
      expect(new Set(segments)).toEqual(new Set(['cohort:all']))
      expect(await readCounts(world, /^reward.fans/)).toEqual({ 'reward.fans 0 scarf': 1 })
      expect(await verify(world)).toEqual([])
    })

    test('follow a fan to another team', async () => {
      const [first, second] = [await world.team(), await world.team()]
      const fan = await addFan(world, { favoriteTeamId: first })
      await countSeason(world.db, go)
      const { users } = world.db.tables
      await world.db.write(tx => tx.update(users).set({ favoriteTeamId: second }))
      await addEvent(world.db, fan, 'pack.opened', {}, world.clock.now().toISOString())
      world.clock.advance(900_000)
      await countSeason(world.db, go)
      const counts = await readCounts(world, /^cohort:team/)
      expect(Object.keys(counts).every(key => key.startsWith(`cohort:team:${second} `))).toBe(true)
      expect(await verify(world)).toEqual([])
    })

    test('are the same when they are made again', async () => {
      const fan = await addFan(world)
      for (const nth of [1, 2]) await addEntry(world.db, fan, 10, 'rule', `shopping:shop:${nth}`)
      await addEvent(world.db, fan, 'quest.completed', { questId: 'first' })
      await countSeason(world.db, go)
      const before = await readCounts(world, /./)
      await world.db.write(forgetSeason)
      await countSeason(world.db, go, { size: 2 })
      expect(await readCounts(world, /./)).toEqual(before)
    })

    describe('that differ from what is recorded are found', () => {
      test.each([
        ['a count', { amount: 7 }, 'event'],
        ['a sum of points', { amount: 11 }, 'points.in'],
        ['a day', { bucket: 3 }, 'event'],
        ['a cohort', { amount: 0 }, 'cohort:all'],
        ['a balance', { amount: 2 }, 'balance'],
      ])('in %s', async (_, change, kind) => {
        const fan = await addFan(world)
        await addEvent(world.db, fan, 'reward.claimed', { rewardId: 'scarf' })
        await addEntry(world.db, fan, 10, 'rule', 'shopping:shop:1')
        await countSeason(world.db, go)
        const { seasonCounts } = world.db.tables
        await world.db.write(tx => tx.update(seasonCounts).set(change).where(eq(seasonCounts.kind, kind)))
        expect((await verify(world))[0]?.what).toStartWith(`season_counts ${kind} `)
      })

      test('in the row of a fan', async () => {
        const fan = await addFan(world)
        await addEvent(world.db, fan, 'reward.claimed', { rewardId: 'scarf' })
        await countSeason(world.db, go)
        const { seasonFans } = world.db.tables
        await world.db.write(tx => tx.update(seasonFans).set({ results: '' }))
        expect(await verify(world)).toEqual([
          { userId: fan, what: 'season_fans.results', expected: '1', actual: '' },
        ])
        await world.db.write(tx => tx.delete(seasonFans))
        expect((await verify(world))[0]).toMatchObject({ userId: fan, what: 'season_fans.row' })
      })
    })
  },
  { worldPer: 'test' },
)

test('balances keep three digits', () => {
  expect([0, 7, 999, 1_000, 1_239, 99_999, 1_234_567].map(roundBalance)).toEqual([
    ...[0, 7, 999, 1_000, 1_230, 99_900, 1_230_000],
  ])
})
