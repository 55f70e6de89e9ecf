/**
 * What a club asks of a million fans: the total of a fan with many entries, pages of the list for the ticket office, bands, and how many
 * fans are in a segment. In this process, without HTTP. CPU time is without a PostgreSQL server's.
 */
import { and, type SQL } from 'drizzle-orm'
import { type Database, openDatabase } from '../../../db/index.ts'
import type { SegmentCondition } from '../../../src/club/segments/segment-kind.ts'
import { createCachedRead } from '../../../src/core/cached-read.ts'
import { realSources } from '../../../src/core/sources.ts'
import { getAccountSet, windowFromAt } from '../../../src/economy/accounts/account-set.ts'
import { readBands } from '../../../src/economy/accounts/bands.ts'
import { readPlaces } from '../../../src/economy/accounts/order.ts'
import { sumEntries } from '../../../src/economy/accounts/totals.ts'
import { isActiveUser } from '../../../src/identity/users/users.ts'
import { countMembers } from '../../../src/operate/admin/segments/count-members.ts'
import { hasMembership } from '../../../src/play/memberships/memberships.ts'
import { ACCOUNT, addClub, BUSY_FAN, ENTRIES, MEMBERSHIP } from '../loyalty-club.ts'
import { median, row, type Scenario, type ScenarioResult } from '../scenario.ts'

const FANS = 1_000_000
const QUICK_FANS = 2_000
/** What a page of the API reads: one more than it shows. */
const PAGE = 51
/** Reads in each round, of what takes about a millisecond. */
const REPEATS = 200

const SEGMENTS: [string, SegmentCondition[]][] = [
  ['country', [{ fact: 'country', op: 'eq', value: 'PT' }]],
  ['points of 100 or more', [{ fact: 'points', op: 'gte', value: 100 }]],
  ['fewer than 100 points', [{ fact: 'points', op: 'lt', value: 100 }]],
  ['tier', [{ fact: `tier.${ACCOUNT}`, op: 'in', value: ['bronze', 'silver'] }]],
  ['membership', [{ fact: 'membership', op: 'eq', value: MEMBERSHIP }]],
  ['consent', [{ fact: 'consent.marketing', op: 'eq', value: true }]],
  ['a check-in', [{ fact: 'checkIns', op: 'gte', value: 1 }]],
  ['no check-in', [{ fact: 'checkIns', op: 'eq', value: 0 }]],
  ['spent 50 EUR', [{ fact: 'spent.EUR', op: 'gte', value: 5_000 }]],
  ['seen in 90 days', [{ fact: 'lastSeenDaysAgo', op: 'lt', value: 90 }]],
  [
    'country, points and consent',
    [
      { fact: 'country', op: 'eq', value: 'PT' },
      { fact: 'points', op: 'gte', value: 1_000 },
      { fact: 'consent.marketing', op: 'eq', value: true },
    ],
  ],
]

export const loyalty: Scenario = {
  name: 'loyalty',
  summary: `Totals, the priority list, bands and segments of ${FANS.toLocaleString('en')} fans`,
  long: true,
  async run({ options, databases, log }) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    const fans = options.quick ? QUICK_FANS : FANS
    for (const engine of options.engines) {
      const { url, remove } = await databases.copy(engine, 0)
      try {
        const started = performance.now()
        await addClub(engine, url, fans)
        log(`${engine} with the club: ${((performance.now() - started) / 1_000).toFixed(1)} s`)
        const db = openDatabase(url, realSources)
        for (const { name, repeats, read } of await readsOf(db)) {
          const times: number[] = []
          const cpuTimes: number[] = []
          for (let round = -1; round < options.rounds; round++) {
            const { ms, cpuMs } = await timeOf(read, options.quick ? 1 : repeats)
            // The first one warms up.
            if (round >= 0) times.push(ms)
            if (round >= 0) cpuTimes.push(cpuMs)
          }
          all.rows.push(row(`${engine}, ${name}`, 'ms', times, { cpu: median(cpuTimes) }))
          log(
            `${engine}, ${name}: ${median(times).toFixed(2)} ms, ${median(cpuTimes).toFixed(2)} ms of CPU time`,
          )
        }
        await db.close()
      } finally {
        await remove()
      }
    }
    return all
  },
}

/** Per read. */
async function timeOf(read: () => Promise<unknown>, repeats: number) {
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  for (let n = 0; n < repeats; n++) await read()
  const { user, system } = process.cpuUsage(cpu)
  return { ms: (performance.now() - started) / repeats, cpuMs: (user + system) / 1_000 / repeats }
}

async function readsOf({ read }: Database) {
  const set = await getAccountSet(read)
  const account = set.accounts.get(ACCOUNT)
  if (!account) throw new Error('the account is not stored')
  const asOf = read.now()
  const from = windowFromAt(account, set, asOf)
  const page = (isShown: (userId: SQL) => SQL | undefined, total?: number) => () => {
    const after = total === undefined ? undefined : { total, reachedAt: asOf, userId: '' }
    return readPlaces(read, { account, set, asOf, least: 1, isShown }, { after, limit: PAGE })
  }
  const isActive = (userId: SQL) => isActiveUser(read, userId)
  const isMember = (userId: SQL) =>
    and(isActive(userId), hasMembership(read, userId, { kindId: MEMBERSHIP, asOf }))
  const bands = () => readBands(read, ACCOUNT)
  const cached = createCachedRead(bands, {
    maxAgeMs: 60_000,
    deadlineMs: 10_000,
    elapsed: () => performance.now(),
  })
  const often = { repeats: REPEATS }
  const once = { repeats: 1 }
  return [
    {
      name: `total of a fan with ${ENTRIES.toLocaleString('en')} entries`,
      ...often,
      read: () => sumEntries(read, { accountId: ACCOUNT, from }, [BUSY_FAN]),
    },
    { name: 'priority, first page', ...often, read: page(isActive) },
    { name: 'priority, page in the middle', ...often, read: page(isActive, 5_000) },
    { name: 'priority, members only', ...once, read: page(isMember) },
    { name: 'bands', ...once, read: bands },
    { name: 'bands, cached', ...often, read: cached },
    ...SEGMENTS.map(([name, when]) => ({
      name: `segment by ${name}`,
      ...once,
      read: () => countMembers(read, when),
    })),
  ]
}
