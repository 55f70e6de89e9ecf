/** A fan who follows a thousand others, and is in a league with them, with many fans and events: written with SQL within seconds. */
import { openDatabase } from '../../db/index.ts'
import { realSources } from '../../src/core/sources.ts'
import { keepDailyFigures } from '../../src/figures/days/daily-figures.ts'
import { atSql, insertSql, seriesSql } from './bulk-sql.ts'
import type { Engine } from './databases.ts'
import { PROVIDER } from './issuer.ts'

export interface Society {
  fans: number
  followed: number
  events: number
}

/** Id of the fan who reads. */
export const READER = 'fan-1000000'

export const LEAGUE = 'league'

/** Recent enough that the server does not delete data after `eventRetentionDays` during the measurement. */
const STARTED_MS = Date.now() - 30 * 86_400_000

/** Statements for both engines, which differ only in times. */
function statementsOf(engine: Engine, { fans, followed, events }: Society): string[] {
  const at = (ms: string) => atSql(engine, ms)
  const start = at(String(STARTED_MS))
  return [
    `INSERT INTO users (id, provider, subject, handle, display_name, name_key, created_at, updated_at) ${seriesSql(fans)}
     SELECT 'fan-' || (1000000 + n), '${PROVIDER}', 'fan-' || (1000000 + n), 'handle_' || n, 'Fan number ' || n, 'fan number ' || n, ${start}, ${start} FROM series`,
    `INSERT INTO leaderboard_entries (user_id, enrolled_at) VALUES ('${READER}', ${start})`,
    `INSERT INTO leaderboard_scores (board, user_id, minus_points, reached_at) ${seriesSql(fans)}
     SELECT 'all', 'fan-' || (1000000 + n), -1 - (n % 100003) * 7919 % 100003, ${STARTED_MS} + n FROM series`,
    // Spread over all fans.
    `INSERT INTO fan_relations (fan_id, other_id, followed_at) ${seriesSql(followed)}
     SELECT '${READER}', 'fan-' || (1000001 + n * ${Math.floor((fans - 1) / followed)}), ${start} FROM series`,
    `INSERT INTO events (source, event_id, user_id, sequence, type, occurred_at, recorded_at, data) ${seriesSql(events)}
     SELECT 'matchday', 'event-' || n, 'fan-' || (1000001 + n % ${followed} * ${Math.floor((fans - 1) / followed)}),
       n / ${followed} + 1, 'reward.claimed', ${at(`${STARTED_MS} + n * 1000`)}, ${at(`${STARTED_MS} + n * 1000`)},
       '{"rewardId":"scarf"}' FROM series`,
    `INSERT INTO leagues (id, name, code, owner_id, scoring, board, count_from, locked, members, joined, created_at)
     VALUES ('${LEAGUE}', 'Office', 'C0DE', '${READER}', 'points', 'all', 'join', false, ${followed}, ${followed}, ${start})`,
    `INSERT INTO league_members (league_id, user_id, joined_at, counts_from, baseline, number) ${seriesSql(followed)}
     SELECT '${LEAGUE}', 'fan-' || (1000000 + n * ${Math.floor((fans - 1) / followed)}), ${start}, ${start}, 1, n + 1 FROM series`,
  ]
}

/**
 * Writes into a database without fans. Also counts the daily figures, so that the server does not count them during the
 * measurement.
 */
export async function addSociety(engine: Engine, url: string, society: Society): Promise<void> {
  await insertSql(engine, url, statementsOf(engine, society))
  const db = openDatabase(url, realSources)
  await keepDailyFigures(db, () => false)
  await db.close()
}
