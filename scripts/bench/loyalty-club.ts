/** A club with many fans in accounts, memberships, orders and consents: written with SQL within minutes. */
import { openDatabase } from '../../db/index.ts'
import { seasonKind } from '../../src/club/seasons/season-kind.ts'
import { realSources } from '../../src/core/sources.ts'
import { accountKind } from '../../src/economy/accounts/account-kind.ts'
import { basisOf, getAccountSet, windowFromAt } from '../../src/economy/accounts/account-set.ts'
import { membershipKind } from '../../src/play/memberships/membership-kind.ts'
import { atSql, insertSql, seriesSql } from './bulk-sql.ts'
import type { Engine } from './databases.ts'
import { PROVIDER } from './issuer.ts'

export const ACCOUNT = 'status'
export const MEMBERSHIP = 'season-ticket'
/** Entries of one fan, over all seasons. */
export const ENTRIES = 2_000

const FAN = `'01981e2c-7c1f-7000-8000-00000' || (1000000 + n)`
/** Id of the fan with many entries. */
export const BUSY_FAN = '01981e2c-7c1f-7000-8000-000001000000'

const DAY_MS = 86_400_000
const startedMs = () => Date.now() - 4 * 365 * DAY_MS

/** Five seasons, of which the last is running, an account of three seasons, and a kind of membership. */
async function addCatalogue(url: string) {
  const db = openDatabase(url, realSources)
  const started = startedMs()
  await db.write(async tx => {
    for (let n = 0; n < 5; n++) {
      const at = (season: number) => new Date(started + season * 365 * DAY_MS).toISOString()
      await seasonKind.upsert(tx, {
        id: `season-${n}`,
        name: `Season ${n}`,
        startsAt: at(n),
        endsAt: at(n + 1),
      })
    }
    const tier = (id: string, from: number) => ({ id, name: id, from })
    const tiers = [tier('bronze', 100), tier('silver', 5_000), tier('gold', 9_000)]
    await accountKind.upsert(tx, {
      id: ACCOUNT,
      name: 'Status points',
      unit: 'points',
      public: true,
      tiers,
      window: { seasons: 3 },
    })
    await membershipKind.upsert(tx, { id: MEMBERSHIP, name: 'Season ticket' })
  })
  const set = await getAccountSet(db.read)
  const account = set.accounts.get(ACCOUNT)
  if (!account) throw new Error('the account is not stored')
  const from = windowFromAt(account, set, db.read.now())
  await db.close()
  if (!from) throw new Error('no season has ended')
  return { windowFromMs: from.getTime(), basis: basisOf(account, from) }
}

/** Statements for both engines. Totals from 1 to 10,007, most of them of about a hundred fans. */
function statementsOf(
  engine: Engine,
  fans: number,
  { windowFromMs, basis }: { windowFromMs: number; basis: string },
) {
  const at = (ms: string | number) => atSql(engine, ms)
  const some = (share: number) => seriesSql(Math.max(Math.floor(fans * share), 1))
  const all = seriesSql(fans)
  const [started, now] = [startedMs(), Date.now()]
  const recent = at(`${now - 300 * DAY_MS} + n * 7919 % 290 * ${DAY_MS}`)
  const total = '(1 + n * 7919 % 10007)'
  const insert = (into: string, series: string, select: string) =>
    `INSERT INTO ${into} ${series} SELECT ${select} FROM series`
  return [
    insert(
      'users (id, provider, subject, handle, display_name, name_key, country, locale, age_band, created_at, updated_at)',
      all,
      `${FAN}, '${PROVIDER}', 'fan-' || n, 'handle_' || n, 'Fan number ' || n, 'fan number ' || n,
       substr('PTGBIEDEFRESITNLBEATCHDKSENOFI', cast(1 + 2 * (n * 31 % 15) as integer), 2), case n % 3 when 0 then 'pt-PT' else 'en-GB' end,
       case when n % 5 = 0 then 'adult' when n % 5 = 1 then '16_17' end, ${recent}, ${recent}`,
    ),
    insert('onboardings (user_id, completed_at)', some(0.9), `${FAN}, ${recent}`),
    insert(
      'points_accounts (user_id, balance, lifetime, seq, head_hash, updated_at)',
      all,
      `${FAN}, ${total}, ${total} + 100, 1, 'hash', ${recent}`,
    ),
    insert(
      'fan_accounts (user_id, account_id, balance, seq, head_hash, minus_total, reached_at, window_from, tier_id, tier_since, basis, updated_at)',
      all,
      `${FAN}, '${ACCOUNT}', ${total}, 1, 'hash', -${total}, ${recent}, ${at(windowFromMs)},
       case when ${total} >= 9000 then 'gold' when ${total} >= 5000 then 'silver' when ${total} >= 100 then 'bronze' end,
       ${recent}, '${basis}', ${recent}`,
    ),
    insert(
      'account_entries (id, user_id, account_id, seq, delta, balance_after, reason, ref, counted_at, created_at, hash)',
      all,
      `'01981e2c-7c1f-7000-9000-00000' || (1000000 + n), ${FAN}, '${ACCOUNT}', 1, ${total}, ${total}, 'rule', 'rule-' || n, ${recent}, ${recent}, 'hash'`,
    ),
    insert(
      'account_entries (id, user_id, account_id, seq, delta, balance_after, reason, ref, counted_at, created_at, hash)',
      seriesSql(ENTRIES - 1),
      `'01981e2c-7c1f-7000-a000-00000' || (1000000 + n), '${BUSY_FAN}', '${ACCOUNT}', n + 2, 1, n + 2, 'rule', 'busy-' || n,
       ${at(`${started} + n * ${Math.floor((4 * 365 * DAY_MS) / ENTRIES)}`)}, ${at(`${started} + n * ${Math.floor((4 * 365 * DAY_MS) / ENTRIES)}`)}, 'hash'`,
    ),
    insert(
      'fan_memberships (ref, user_id, kind_id, number, starts_at, ends_at, begun, next_at, created_at, updated_at)',
      some(0.1),
      `'ST-' || n, ${FAN}, '${MEMBERSHIP}', '00' || n, ${at(now - 100 * DAY_MS)}, ${at(now + 200 * DAY_MS)}, true, ${at(now + 200 * DAY_MS)}, ${recent}, ${recent}`,
    ),
    insert(
      'consents (user_id, purpose, seq, granted, document_id, version, source, changed_at)',
      some(0.6),
      `${FAN}, 'marketing', 1, n % 7 > 1, 'news', '1', 'app', ${recent}`,
    ),
    insert(
      'teams (id, name, short_name, active, created_at, updated_at)',
      seriesSql(2),
      `'team-' || n, 'Team', 'TEA', true, ${at(now)}, ${at(now)}`,
    ),
    insert(
      'matches (id, competition, season, home_team_id, away_team_id, kickoff_at, status, revision, active, created_at, updated_at)',
      seriesSql(4),
      `'match-' || n, 'League', '1', 'team-0', 'team-1', ${at(now)}, 'scheduled', 1, true, ${at(now)}, ${at(now)}`,
    ),
    insert(
      'check_ins (user_id, match_id, checked_in_at)',
      some(0.8),
      `${FAN}, 'match-' || (n % 4), ${recent}`,
    ),
    insert(
      'predictions (match_id, user_id, home_score, away_score, created_at, changed_at, state, points, booked)',
      all,
      `'match-' || (n % 4), ${FAN}, 1, 0, ${recent}, ${recent}, 'open', 0, 0`,
    ),
    insert(
      'orders (id, user_id, status, price_amount, price_currency, discount_amount, created_at, expires_at, completed_at)',
      some(0.5),
      `'01981e2c-7c1f-7000-b000-00000' || (1000000 + n), ${FAN}, 'completed', 1000 + n % 5000, 'EUR', 0, ${recent}, ${recent}, ${recent}`,
    ),
    insert(
      'events (source, event_id, user_id, sequence, type, occurred_at, recorded_at, data)',
      all,
      `'matchday', 'event-' || n, ${FAN}, 1, 'match.checked_in', ${recent}, ${recent}, '{}'`,
    ),
  ]
}

/** Writes into a database without fans. */
export async function addClub(engine: Engine, url: string, fans: number): Promise<void> {
  await insertSql(engine, url, statementsOf(engine, fans, await addCatalogue(url)))
}
