/**
 * Fills the measured databases by bulk inserts, since a million fans through the verbs take hours. The rows keep the
 * same invariants: accounts match their ledger entries, and the entries form a hash chain.
 */
import { Database as Connection } from 'bun:sqlite'
import { SQL } from 'bun'
import { openDatabase } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { bumpVersion } from '../../src/club/catalogue/versions.ts'
import { realSources } from '../../src/core/sources.ts'
import { boardsAt, groupBoardsOf } from '../../src/economy/leaderboard/boards.ts'
import { hashEnrolment } from '../../src/economy/leaderboard/enrolment.ts'
import { listBoards } from '../../src/economy/leaderboard/rank-index/entries.ts'
import { rebuildRankIndex } from '../../src/economy/leaderboard/rank-index/rank-index.ts'
import { GENESIS_HASH, hashEntry } from '../../src/economy/ledgers/chain.ts'
import { ID as SEASON_SWEEP } from '../../src/figures/season/sweep.ts'
import { emailKeyOf, nameKeyOf } from '../../src/identity/users/search-keys.ts'
import { recordRun } from '../../src/platform/jobs/maintenance.ts'
import { CLAIMED, catalogueRows, POINTS, type Rows, rewardId } from './catalogue.ts'
import { PROVIDER } from './issuer.ts'

interface Target {
  /** Tables are in dependency order. */
  write(rows: Rows): Promise<void> | void
  /** PostgreSQL does it by itself. SQLite has no statistics in production, and plans by its indexes alone. */
  analyze?(): Promise<void>
  close(): Promise<void> | void
}

const targetOf = (url: string): Target =>
  url.startsWith('sqlite:') ? intoSqlite(url.slice('sqlite:'.length)) : intoPostgres(url)

/** Fans per insert. */
const BATCH = 2_000
/** The time of the first fan; each further fan is one second later. */
const FIRST_MS = Date.parse('2025-01-01T00:00:00.000Z')
const ONBOARDING_POINTS = 100

export const subjectOf = (fan: number) => `fan-${String(fan).padStart(7, '0')}`

/** The subjects of up to `count` fans, evenly spread over all fans of a database. */
export function subjectsOf(fans: number, count = 20_000): string[] {
  const size = Math.min(fans, count)
  return Array.from({ length: size }, (_, index) => subjectOf(Math.floor((index * fans) / size)))
}

/** Fills an empty database with the catalogue and `fans` fans. */
export async function fillDatabase(url: string, fans: number): Promise<void> {
  await migrate(url)
  const target = targetOf(url)
  await target.write(catalogueRows(new Date(FIRST_MS).toISOString()))
  await writeFans(target, 0, fans)
  // Does not analyze empty tables, as in production: PostgreSQL would then plan to scan them.
  if (fans > 0) await target.analyze?.()
  await target.close()
  await countBoards(url)
  await asInUse(url)
}

/**
 * A club has imported rules and quests, so that events are written in short; none of them listens to what is measured. Its server has
 * run: otherwise tasks would count and copy the past, with half of a core, while others are measured.
 */
async function asInUse(url: string): Promise<void> {
  const db = openDatabase(url, realSources)
  await db.write(async tx => {
    await bumpVersion(tx)
    await recordRun(tx, 'automatic-leagues')
    await tx.insert(tx.tables.seasonSweep).values({ id: SEASON_SWEEP, countedUntil: tx.now() })
  })
  await db.close()
}

/** Adds the fans from `first` up to `end` to a database in use, without updating the planner's statistics. */
export async function growDatabase(url: string, first: number, end: number): Promise<void> {
  const target = targetOf(url)
  await writeFans(target, first, end)
  await target.close()
  await countBoards(url)
}

async function writeFans({ write }: Target, from: number, end: number): Promise<void> {
  for (let first = from; first < end; first += BATCH) {
    await write(fanRows(first, Math.min(end, first + BATCH)))
    // SQLite writes synchronously: without this, Ctrl-C would wait for a million fans.
    await new Promise(resolve => setImmediate(resolve))
  }
}

async function countBoards(url: string): Promise<void> {
  const db = openDatabase(url, realSources, { bulk: true })
  await db.write(async tx => {
    for (const board of await listBoards(tx)) await rebuildRankIndex(tx, board)
  })
  await db.close()
}

/** The fans from `first` up to `end`, all onboarded and enrolled, with two entries of points and three claims. */
function fanRows(first: number, end: number): Rows {
  const rows = {
    users: [] as Rows[string],
    identities: [] as Rows[string],
    onboardings: [] as Rows[string],
    leaderboard_entries: [] as Rows[string],
    leaderboard_scores: [] as Rows[string],
    points_accounts: [] as Rows[string],
    points_entries: [] as Rows[string],
    user_rewards: [] as Rows[string],
  }
  for (let fan = first; fan < end; fan++) {
    const at = new Date(FIRST_MS + fan * 1_000)
    const time = at.toISOString()
    const id = Bun.randomUUIDv7('hex', at)
    const updated = { created_at: time, updated_at: time }
    rows.users.push({ id, provider: PROVIDER, subject: subjectOf(fan), ...profile(fan), ...updated })
    const email = `${subjectOf(fan)}@example.com`
    rows.identities.push({
      user_id: id,
      email,
      email_key: emailKeyOf(email),
      email_verified: true,
      synced_at: time,
    })
    rows.onboardings.push({ user_id: id, completed_at: time })
    const enrolment = hashEnrolment({ userId: id, enrolledAt: at })
    rows.leaderboard_entries.push({ user_id: id, enrolled_at: time, hash: enrolment })
    const { account, entries } = ledgerOf(id, fan, at)
    const score = { user_id: id, minus_points: -account.lifetime, reached_at: at.getTime() }
    const boards = [
      ...boardsAt(at).map(({ id }) => id),
      ...groupBoardsOf({ favoriteTeamId: null, country: COUNTRY }),
    ]
    rows.leaderboard_scores.push(...boards.map(board => ({ board, ...score })))
    rows.points_accounts.push(account)
    rows.points_entries.push(...entries)
    rows.user_rewards.push(...claimsOf(id, fan, time))
  }
  return rows
}

/** Distinct ranks with some ties. */
const scatter = (fan: number) => (fan * 7919) % 100_003

/** The fan with the most points. */
export function topFan(fans: number): number {
  let top = 0
  for (let fan = 1; fan < fans; fan++) if (scatter(fan) > scatter(top)) top = fan
  return top
}

const COUNTRY = 'PT'

const profile = (fan: number) => ({
  display_name: `Fan number ${fan}`,
  name_key: nameKeyOf(`Fan number ${fan}`),
  handle: `fan_${fan}`,
  bio: 'North stand, row 12.',
  country: COUNTRY,
  locale: 'pt-PT',
})

function ledgerOf(userId: string, fan: number, createdAt: Date) {
  const earned = POINTS - ONBOARDING_POINTS + scatter(fan)
  const causes = [
    { delta: ONBOARDING_POINTS, reason: 'onboarding', ref: 'onboarding' },
    { delta: earned, reason: 'activity', ref: 'season-1' },
  ]
  let [balance, head] = [0, GENESIS_HASH]
  const entries = causes.map(({ delta, reason, ref }, index) => {
    balance += delta
    const id = Bun.randomUUIDv7('hex', createdAt)
    const hashed = { id, userId, seq: index + 1, delta, balanceAfter: balance, reason, ref, createdAt }
    head = hashEntry(head, hashed)
    return {
      id,
      user_id: userId,
      seq: index + 1,
      delta,
      balance_after: balance,
      reason,
      ref,
      created_at: createdAt.toISOString(),
      hash: head,
    }
  })
  const account = {
    user_id: userId,
    balance,
    lifetime: balance,
    seq: entries.length,
    head_hash: head,
    updated_at: createdAt.toISOString(),
  }
  return { account, entries }
}

function claimsOf(userId: string, fan: number, time: string): Rows[string] {
  return Array.from({ length: CLAIMED }, (_, index) => ({
    user_id: userId,
    reward_id: rewardId(index),
    claimed_at: time,
    redeemed_at: index === 0 ? time : null,
    redemption_code: index === 0 ? `BENCH-${fan}` : null,
  }))
}

function intoSqlite(path: string): Target {
  const connection = new Connection(path, { strict: true })
  // No other process opens the file before it is complete.
  connection.run('PRAGMA synchronous = OFF')
  connection.run('PRAGMA foreign_keys = OFF')
  connection.run('PRAGMA cache_size = -262144')
  const value = (name: string, given: Rows[string][number][string] | undefined) => {
    if (typeof given === 'boolean') return given ? 1 : 0
    return name.endsWith('_at') && typeof given === 'string' ? Date.parse(given) : (given ?? null)
  }
  return {
    write: connection.transaction((rows: Rows) => {
      for (const [table, all] of Object.entries(rows)) {
        const names = Object.keys(all[0] ?? {})
        const statement = connection.query(
          `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`,
        )
        for (const row of all) statement.run(...names.map(name => value(name, row[name])))
      }
    }),
    close() {
      const broken = connection.query('PRAGMA foreign_key_check').all()
      if (broken.length > 0) throw new Error(`the bench wrote ${broken.length} rows with dangling references`)
      // Empties the WAL, so that the file alone can be copied.
      connection.run('PRAGMA wal_checkpoint(TRUNCATE)')
      connection.close()
    },
  }
}

function intoPostgres(url: string): Target {
  const client = new SQL(url, { max: 1 })
  return {
    async write(rows) {
      for (const [table, all] of Object.entries(rows)) {
        const names = Object.keys(all[0] ?? {}).join()
        await client.unsafe(
          `INSERT INTO ${table} (${names}) SELECT ${names} FROM json_populate_recordset(null::${table}, $1::text::json)`,
          [JSON.stringify(all)],
        )
      }
    },
    async analyze() {
      await client.unsafe('ANALYZE')
    },
    close: () => client.close(),
  }
}
