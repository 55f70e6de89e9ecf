/** The figures of the season: of a period and a segment, with money only for roles that see it. */
import { afterEach, expect, test } from 'bun:test'
import { insertRows } from '../../db/bulk.ts'
import { dayNumber, minuteNumber, weekNumber } from '../../src/figures/season/tally.ts'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { onEachEngine, type World } from '../support/world.ts'
import { consoleOf } from './support.ts'

type Counted = [kind: string, bucket: number, name: string, amount: number]

const count = ({ db }: World, rows: Counted[]) =>
  db.write(tx =>
    insertRows(
      tx,
      tx.tables.seasonCounts,
      rows.map(([kind, bucket, name, amount]) => ({ kind, bucket, name, amount, stated: false })),
    ),
  )

onEachEngine('The page Season', world => {
  const { as } = consoleOf(world)
  const read = async (role: 'editor' | 'finance' | 'owner', query = '') => {
    const { status, body } = await as(role).get(`/api/season${query}`)
    expect(status).toBe(200)
    return body
  }
  const today = () => dayNumber(world.clock.now())
  const week = () => weekNumber(world.clock.now())

  afterEach(() => world.db.write(tx => tx.delete(tx.tables.seasonCounts)))

  test('is empty before anything is counted', async () => {
    const season = await read('owner')
    expect(season).toMatchObject({ countedUntil: null, results: [] })
    const cells = season.matches.flatMap(({ checkIns, packs }: Record<string, number[]>) => [checkIns, packs])
    expect(cells.flat().filter(Boolean)).toEqual([])
    expect(season.days).toHaveLength(90)
    expect(season.funnel.map(({ fans }: { fans: number }) => fans)).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('has the steps and the weeks of fans who joined in the period, of all or of a segment', async () => {
    const team = await world.team()
    await count(world, [
      ...['all', `team:${team}`].flatMap((segment, nth): Counted[] => [
        ['segment', 0, segment, 100 - 60 * nth],
        [`cohort:${segment}`, week() - 2, 'step:0', 100 - 60 * nth],
        [`cohort:${segment}`, week() - 2, 'step:1', 50 - 30 * nth],
        [`cohort:${segment}`, week() - 2, 'week:0', 80 - 50 * nth],
        [`cohort:${segment}`, week() - 2, 'week:1', 40 - 30 * nth],
      ]),
      ['cohort:all', week() - 40, 'step:0', 1_000],
      ['segment', 0, 'country:PT', 3],
    ])
    const all = await read('editor')
    expect(all.funnel.slice(0, 2)).toEqual([
      { step: 'signedIn', fans: 100 },
      { step: 'onboarded', fans: 50 },
    ])
    expect(all.retention.weeks).toMatchObject([{ fans: 100, active: [80, 40, 0] }])
    expect(all.retention.teams).toMatchObject([{ id: team, fans: 40 }])
    expect(all.retention.teams[0].active[0]).toEqual({ week: 1, fans: 10, of: 40 })
    expect(all.segments.countries).toEqual(['PT'])
    const own = await read('editor', `?segment=team:${team}`)
    expect(own.funnel[0].fans).toBe(40)
    const year = await read('editor', '?days=365')
    expect(year.funnel[0].fans).toBe(1_100)
  })

  test('has points by day, what fans have, and its worth for roles that see money', async () => {
    await world.db.write(tx =>
      writeRecord(tx, { kind: 'settings', entry: { id: 'club', currency: 'EUR', pointValue: 0.5 } }),
    )
    await count(world, [
      ['points.in', today() - 400, 'rule', 1_000],
      ['points.in', today() - 1, 'rule', 300],
      ['points.in', today() - 1, 'merge', 40],
      ['points.out', today() - 1, 'merged', 40],
      ['points.out', today(), 'pack_purchase', 120],
      ['points.in', today(), 'pack_refund', 20],
      ['points.out', today(), 'expired', 7],
    ])
    const { points } = await read('finance')
    expect(points.issued.slice(-2)).toEqual([300, 0])
    expect(points.spent.slice(-2)).toEqual([0, 100])
    expect(points.ended.slice(-2)).toEqual([0, 7])
    expect(points.outstanding.slice(-3)).toEqual([1_000, 1_300, 1_193])
    expect(points.worth).toEqual({ currency: 'EUR', amount: 597 })
    expect((await read('editor')).points).toMatchObject({ worth: null, isMoneyHidden: true })
  })

  test('tells how many fans can afford what', async () => {
    const rewardId = await world.reward({ pointsRequired: 60 })
    await count(world, [
      ['segment', 0, 'all', 10],
      ['balance', 0, '', 1],
      ['balance', 59, '', 2],
      ['balance', 60, '', 3],
      ['balance', 1_230, '', 1],
    ])
    const { bars, prices } = (await read('owner')).balances
    expect(prices.find(({ id }: { id: string }) => id === rewardId)).toMatchObject({ points: 60, fans: 4 })
    expect(bars.filter(({ fans }: { fans: number }) => fans > 0)).toEqual([
      { from: 0, to: 1, fans: 4 },
      { from: 50, to: 100, fans: 5 },
      { from: 1_000, to: null, fans: 1 },
    ])
  })

  test('has what came of a reward and its stock, and purchases with their sums', async () => {
    const rewardId = await world.reward({ stockRemaining: 6 })
    await count(world, [
      ['reward.times', week(), rewardId, 5],
      ['reward.times', week() - 60, rewardId, 9],
      ['reward.redeemed', week(), rewardId, 2],
      ['reward.fans', 0, rewardId, 4],
      ['reward.repeats', 0, rewardId, 1],
      ['reward.given', 0, rewardId, 14],
      ['reward.undone', 0, rewardId, 2],
    ])
    const { results, stock } = await read('owner', '?days=30')
    expect(results).toEqual([
      {
        ...{ kind: 'reward', id: rewardId, name: expect.any(String), times: 5, points: null },
        ...{ redeemed: 2, fans: 4, repeats: 1, sums: [] },
      },
    ])
    expect(stock.find((one: { id: string }) => one.id === rewardId)).toMatchObject({
      total: 18,
      left: 6,
      gone: 12,
      inPeriod: 5,
      daysLeft: 36,
    })
    expect((await read('editor')).results[0].sums).toBeNull()
  })

  test('has what fans did around a kick-off, in cells of five minutes', async () => {
    const kickoffAt = new Date(world.clock.ms - 86_400_000)
    await world.match({ kickoffAt })
    const minute = minuteNumber(kickoffAt)
    await count(world, [
      ['minute.checkIns', minute - 120, '', 3],
      ['minute.checkIns', minute - 116, '', 4],
      ['minute.packs', minute + 149, '', 5],
      ['minute.packs', minute + 150, '', 6],
    ])
    const [match] = (await read('owner')).matches
    expect(match.checkIns).toHaveLength(54)
    expect(match.checkIns[0]).toBe(7)
    expect(match.packs.at(-1)).toBe(5)
  })

  test('has webhooks for roles that see them', async () => {
    expect((await read('owner')).webhooks).toEqual([])
    expect((await read('editor')).webhooks).toBeNull()
  })

  test('refuses a segment that is none', async () => {
    const { status } = await as('owner').get('/api/season?segment=shirts')
    expect(status).toBe(422)
  })
})
