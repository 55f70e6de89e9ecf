/** The counts of a club with a million fans and two years behind it, written by SQL: what the page Season reads, and no events. */
import { sql } from 'drizzle-orm'
import type { Database } from '../../db/index.ts'
import { runStatement } from '../../db/schema/shape.ts'
import { dayNumber, STEPS, WEEKS, weekNumber } from '../../src/figures/season/tally.ts'

const FANS = 1_000_000
const DAYS = 730
const WEEKS_KEPT = 104
const YEAR_MINUTES = 365 * 1_440
const TEAMS = 30
const COUNTRIES = 60
/** In one statement, so that none exceeds its deadline. */
const CHUNK = 50_000

/** Entries with a sum in each week, by kind: of 200 rewards and 300 products not all. */
const WEEKLY = {
  ...{ 'rule.times': 60, 'rule.points': 60, 'quest.times': 60, 'quest.points': 60 },
  ...{ 'reward.times': 100, 'reward.redeemed': 100, 'pack.times': 20, 'product.times': 150 },
  ...{ 'sponsor.times': 12, 'sponsor.points': 12 },
}

type Series = [letter: string, count: number, from?: number]

/** `now` is the time that the page is read at. */
export async function writeSeasonClub(db: Database, now: Date): Promise<void> {
  const [today, week] = [dayNumber(now), weekNumber(now)]
  const at = (ms: string) => (db.engine === 'sqlite' ? ms : `to_timestamp((${ms}) / 1000.0)`)
  const start = at(String(now.getTime()))
  const write = (statement: string) => db.write(tx => runStatement(tx, sql.raw(statement)))
  const insert = (into: string, select: string, series: Series[]) =>
    write(
      `INSERT INTO ${into} WITH RECURSIVE ${series
        .map(
          ([letter, count, from = 0]) =>
            `of_${letter}(${letter}) AS (SELECT ${from} UNION ALL SELECT ${letter} + 1 FROM of_${letter} WHERE ${letter} < ${from + count - 1})`,
        )
        .join(
          ', ',
        )} SELECT ${select} FROM ${series.map(([letter]) => `of_${letter}`).join(' CROSS JOIN ')} WHERE true`,
    )
  const insertMany = async (into: string, select: string, count: number) => {
    for (let from = 0; from < count; from += CHUNK)
      await insert(into, select, [['n', Math.min(CHUNK, count - from), from]])
  }
  const count = (kind: string, bucket: string, name: string, amount: number, ...series: Series[]) =>
    insert(
      'season_counts (kind, bucket, name, stated, amount)',
      `${kind}, ${bucket}, ${name}, false, ${amount}`,
      series,
    )

  await insertMany(
    'users (id, provider, subject, created_at, updated_at)',
    `'fan-' || n, 'test', 'subject-' || n, ${start}, ${start}`,
    FANS,
  )
  await insertMany(
    'season_fans (user_id, week, steps, weeks, results, stated)',
    `'fan-' || n, ${week} - n % ${WEEKS_KEPT}, 3, 7, '1,2,3+,9', false`,
    FANS,
  )
  await write(`INSERT INTO season_sweep (id, counted_until) VALUES ('season', ${start})`)
  await count("'event'", `${today} - d`, "'type-' || k", 1_000, ['d', DAYS], ['k', 45])
  const reasons = ["'rule'", "'quest'", "'prediction'", "'pack_refund'", "'merge'", "'reason-' || k"]
  for (const kind of ["'points.in'", "'points.out'"])
    for (const reason of reasons)
      await count(
        kind,
        `${today} - d`,
        reason,
        500,
        ['d', DAYS],
        ['k', reason.includes('k') && reason.includes('||') ? 15 : 1],
      )
  for (const kind of ["'minute.predictions'", "'minute.packs'"])
    for (let from = 0; from < YEAR_MINUTES; from += CHUNK)
      await count(kind, `${today * 1_440} - n`, "''", 3, ['n', Math.min(CHUNK, YEAR_MINUTES - from), from])
  await count("'minute.checkIns'", `${today * 1_440} - n * 7`, "''", 90, ['n', 60 * 270])
  await count("'balance'", 'n', "''", 800, ['n', 1_000])
  await count("'balance'", '1000 + n * 10', "''", 50, ['n', 4_000])
  const countries = `chr(65 + s / 26) || chr(65 + s % 26)`
  const letters = db.engine === 'sqlite' ? countries.replaceAll('chr', 'char') : countries
  for (const [segment, segments] of [
    ["'all'", 1],
    ["'team:team-' || s", TEAMS],
    [`'country:' || ${letters}`, COUNTRIES],
  ] as const) {
    await count("'segment'", '0', segment, 1_000, ['s', segments])
    const kind = `'cohort:' || ${segment}`
    await count(
      kind,
      `${week} - w`,
      "'step:' || k",
      90,
      ['s', segments],
      ['w', WEEKS_KEPT],
      ['k', STEPS.length],
    )
    // A cohort has as many weeks of activity as have passed.
    for (let nth = 0; nth < WEEKS; nth++)
      await count(kind, `${week} - w`, `'week:${nth}'`, 30, ['s', segments], ['w', WEEKS_KEPT - nth, nth])
  }
  for (const [kind, names] of Object.entries(WEEKLY))
    await count(`'${kind}'`, `${week} - w`, "'entry-' || k", 40, ['w', WEEKS_KEPT], ['k', names])
  for (const kind of ['rule', 'quest', 'reward', 'pack', 'product', 'sponsor'])
    for (const measure of ['fans', 'repeats'])
      await count(`'${kind}.${measure}'`, '0', "'entry-' || k", 900, ['k', 200])
  await count("'sponsor.day'", `${today} - d`, "'entry-' || k || ' claimed'", 30, ['d', DAYS], ['k', 12])
  await count("'deliveries'", `${today} - d`, "'endpoint-' || k", 9_000, ['d', DAYS], ['k', 5])

  await insert(
    'teams (id, name, short_name, active, created_at, updated_at)',
    `'team-' || n, 'Team ' || n, 'T', true, ${start}, ${start}`,
    [['n', TEAMS]],
  )
  await insert(
    'matches (id, competition, season, home_team_id, away_team_id, kickoff_at, status, home_score, away_score, revision, active, created_at, updated_at)',
    `'match-' || n, 'league', '2026', 'team-1', 'team-2', ${at(`${now.getTime()} - (n + 1) * 86400000.0`)}, 'finished', 2, 1, 1, true, ${start}, ${start}`,
    [['n', 400]],
  )
  await insert(
    'rewards (id, title, description, item_type, points_required, stock_remaining, active, created_at, updated_at)',
    `'entry-' || n, 'Reward ' || n, 'A reward.', 'voucher', n * 10, 50, true, ${start}, ${start}`,
    [['n', 200]],
  )
  await insert(
    'sponsors (id, name, active, created_at, updated_at)',
    `'entry-' || n, 'Sponsor ' || n, true, ${start}, ${start}`,
    [['n', 12]],
  )
  await insertMany(
    'points_holds (purchase_id, user_id, amount, expires_at)',
    `'purchase-' || n, 'fan-' || n, 100, ${at(`${now.getTime()} + 900000.0 - n`)}`,
    20_000,
  )
  await insert(
    'webhook_endpoints (id, url, types, encrypted_secret, created_at)',
    `'endpoint-' || n, 'https://shop.example.com/' || n, '*', '', ${start}`,
    [['n', 5]],
  )
  await insertMany(
    'webhook_deliveries (endpoint_id, user_id, sequence, type, body, state, attempts, created_at)',
    `'endpoint-' || n % 5, 'fan-' || n, 1, 'reward.claimed', '{}',
     CASE n % 10 WHEN 0 THEN 'pending' WHEN 1 THEN 'failed' ELSE 'delivered' END, 1, ${at(`${now.getTime()} - n * 1000.0`)}`,
    200_000,
  )
  if (db.engine === 'postgres') await write('ANALYZE')
}
