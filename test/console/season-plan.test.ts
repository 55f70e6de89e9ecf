/** The page Season reads sums by index, in as many statements whatever it shows: a million fans cost it nothing. */
import { expect, test } from 'bun:test'
import { insertRows } from '../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { dayNumber, weekNumber } from '../../src/figures/season/tally.ts'
import { readSeason } from '../../src/operate/console/season/read-season.ts'
import { countRowsRead } from '../db/plans.ts'
import { sqliteEngine } from '../support/engines.ts'
import { countQueries } from '../support/queries.ts'
import { onEngine, onServer, type World } from '../support/world.ts'

const MATCHES = 8
const TEAMS = 12
const WEEKS = 60
const asked = { days: 90, segment: 'all', seesMoney: true, seesWebhooks: true }
/** These grow with the fans, or with what they do. */
const GROWING = new Set<string>([
  ...['users', 'seasonFans', 'events', 'pointsEntries', 'pointsAccounts', 'fanAccounts', 'predictions'],
  ...['userRewards', 'userQuests', 'userPacks', 'orders', 'orderLines', 'purchases', 'questionVotes'],
] satisfies (keyof Tables | string)[])

/** The weeks of activity of a cohort of each team, of which the page shows few. */
const cohortsAt = (now: Date) =>
  Array.from({ length: TEAMS * WEEKS }, (_, n) => ({ team: n % TEAMS, week: Math.floor(n / TEAMS) })).flatMap(
    ({ team, week }) =>
      Array.from({ length: 53 }, (_, nth) => ({
        ...{ kind: `cohort:team:team-${team}`, bucket: weekNumber(now) - week },
        ...{ name: nth === 52 ? 'step:0' : `week:${nth}`, stated: false, amount: 1 },
      })),
  )

/** Every minute of two days, of which the page shows none. */
const minutesAt = (now: Date) =>
  Array.from({ length: 2_880 }, (_, n) => ({
    ...{ kind: 'minute.packs', bucket: (dayNumber(now) - 300) * 1_440 - n, name: '' },
    ...{ stated: false, amount: 1 },
  }))

async function write(tx: Transaction) {
  const { seasonCounts } = tx.tables
  const segments = Array.from({ length: TEAMS }, (_, team) => `team:team-${team}`)
  const ofSegments = segments.map(name => ({ kind: 'segment', bucket: 0, name, stated: false, amount: 1 }))
  await insertRows(tx, seasonCounts, [...ofSegments, ...cohortsAt(tx.now()), ...minutesAt(tx.now())])
}

async function writeMatches(world: World) {
  for (let nth = 0; nth < MATCHES; nth++)
    await world.match({ kickoffAt: new Date(world.clock.ms - (nth + 1) * 86_400_000) })
}

onEngine(sqliteEngine, 'The page Season', world => {
  test('reads no table that grows with the fans', async () => {
    const { read } = world.db
    const used = new Set<string>()
    const tables = new Proxy(read.tables, {
      get(of, name) {
        used.add(String(name))
        return Reflect.get(of, name)
      },
    })
    const reader: Reader = Object.create(read, { tables: { value: tables } })
    // The first read of the settings prepares statements of other tables.
    await readSeason(read, asked)
    await readSeason(reader, asked)
    expect(used).toContain('seasonCounts')
    expect([...used].filter(name => GROWING.has(name))).toEqual([])
  })

  test('sends as many statements for a year as for a month', async () => {
    await writeMatches(world)
    await world.db.write(write)
    const count = (days: number) =>
      countQueries(world.db, () => readSeason(world.db.read, { ...asked, days }))
    await count(30)
    const ofMonth = await count(30)
    expect(await count(365)).toBe(ofMonth)
    expect(ofMonth).toBeLessThanOrEqual(29 + MATCHES)
  })
})

onServer('The page Season', world => {
  test('reads few of many counts', async () => {
    const read = await world.db.write(tx =>
      countRowsRead(tx, 'season_counts', {
        query: () => readSeason(tx, asked),
        fill: () => write(tx),
      }),
    )
    const rows = cohortsAt(world.clock.now()).length
    expect(rows).toBeGreaterThan(38_000)
    // Of 14 weeks of each team the five sums, and of the index at most the weeks between them.
    expect(read).toBeLessThanOrEqual(rows / 4)
  })
})
