/**
 * The raw reference for events on PostgreSQL: the rows of an event that earns points, one transaction per event, through
 * Matchday's driver, behind `Bun.serve`.
 */
import { SQL } from 'bun'
import { GRANTED, ruleOf, SOURCE } from '../event-rules.ts'
import { boardIdsAt, INSERT_EVENT, type ReportedEvent, readEvents, rowsOf } from './event-rows.ts'
import { serve } from './serve.ts'

const pool = new SQL(process.env.DATABASE_URL ?? '', { max: 10 })

interface StoredAccount {
  user_id: string
  balance: string
  lifetime: string
  seq: string
  head_hash: string
}
interface StoredScore {
  board: string
  minus_points: string
  reached_at: string
}

const ruleVersions: { id: string; version: string }[] = await pool.unsafe(
  'SELECT rule_id AS id, version FROM rule_versions',
)
const versions = new Map(ruleVersions.map(({ id, version }) => [id, Number(version)]))

const record = (event: ReportedEvent) =>
  pool.begin(async tx => {
    const run = <Row>(statement: string, values: unknown[]): Promise<Row[]> => tx.unsafe(statement, values)
    const [found] = await run<StoredAccount>(
      `SELECT a.user_id, a.balance, a.lifetime, a.seq, a.head_hash
       FROM users u JOIN points_accounts a ON a.user_id = u.id WHERE u.provider = $1 AND u.subject = $2 FOR UPDATE OF a`,
      [event.fan.provider, event.fan.subject],
    )
    if (!found) return { id: event.id, outcome: 'refused', grants: [] }
    const at = new Date()
    const time = at.toISOString()
    const userId = found.user_id
    const account = {
      userId,
      balance: Number(found.balance),
      lifetime: Number(found.lifetime),
      seq: Number(found.seq),
      headHash: found.head_hash,
      updatedAt: at,
      countedFrom: null,
    }
    const stored = await run<StoredScore>(
      'SELECT board, minus_points, reached_at FROM leaderboard_scores WHERE user_id = $1 AND board IN ($2, $3, $4)',
      [userId, ...boardIdsAt(at)],
    )
    const scores = stored.map(({ board, minus_points, reached_at }) => {
      return { board, points: -Number(minus_points), reachedAt: Number(reached_at) }
    })
    const rows = rowsOf(event, { account, scores, versions }, at)
    const { entry, head, revision, data, digest, decisions, folded } = rows
    const key = [SOURCE, event.id, userId]
    const content = [event.type, event.occurredAt, time, revision, data, digest, decisions]
    const written = await run(INSERT_EVENT, [...key, ...content, ...folded])
    if (written.length === 0) return { id: event.id, outcome: 'duplicate', grants: [] }
    const { id, seq, delta, balanceAfter, reason, ref, hash } = entry
    await run(
      `INSERT INTO points_entries (id, user_id, seq, delta, balance_after, reason, ref, created_at, hash)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [id, userId, seq, delta, balanceAfter, reason, ref, time, hash],
    )
    await run(
      'UPDATE points_accounts SET balance = $1, lifetime = $2, seq = $3, head_hash = $4, updated_at = $5 WHERE user_id = $6',
      [head.balance, head.lifetime, head.seq, head.headHash, time, userId],
    )
    await run(
      `INSERT INTO leaderboard_scores (board, user_id, minus_points, reached_at)
       VALUES ($1, $2, $3, $4), ($5, $2, $6, $7), ($8, $2, $9, $10)
       ON CONFLICT (board, user_id) DO UPDATE SET minus_points = excluded.minus_points, reached_at = excluded.reached_at`,
      rows.scores.flatMap(({ board, points, reachedAt }, index) =>
        index === 0 ? [board, userId, -points, reachedAt] : [board, -points, reachedAt],
      ),
    )
    const values = (buckets: typeof rows.changed) =>
      buckets.map(({ board, level, points, reachedAt, fans }) => {
        return { board, level, points, reached_at: reachedAt, fans }
      })
    const recordset = '(SELECT * FROM json_populate_recordset(null::leaderboard_counts, $1::text::json)) c'
    const same =
      't.board = c.board AND t.level = c.level AND t.points = c.points AND t.reached_at = c.reached_at'
    await run(
      `INSERT INTO leaderboard_counts AS t (board, level, points, reached_at, fans)
       SELECT board, level, points, reached_at, fans FROM ${recordset}
       ON CONFLICT (board, level, points, reached_at) DO UPDATE SET fans = t.fans + excluded.fans`,
      [JSON.stringify(values(rows.changed))],
    )
    const fewer = JSON.stringify(values(rows.fewer))
    await run(`UPDATE leaderboard_counts t SET fans = t.fans - 1 FROM ${recordset} WHERE ${same}`, [fewer])
    await run(`DELETE FROM leaderboard_counts t USING ${recordset} WHERE ${same} AND t.fans = 0`, [fewer])
    return {
      id: event.id,
      outcome: 'applied',
      grants: [{ ruleId: ruleOf(event.type), points: GRANTED }],
    }
  })

serve(async request => {
  if (request.method !== 'POST') return new Response('ready')
  const events = await readEvents(request)
  return Response.json({ results: await Promise.all(events.map(record)) })
})
