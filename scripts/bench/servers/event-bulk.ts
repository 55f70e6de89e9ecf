/**
 * The raw reference for events on SQLite: all rows of events that earn points, in prepared statements, behind
 * `Bun.serve`. All queued batches share one transaction (WAL, synchronous=FULL), which writes each bucket of the rank
 * index once, and get their responses after its COMMIT.
 */
import { Database } from 'bun:sqlite'
import { countMembers } from '../../../src/economy/leaderboard/rank-index/rank-index.ts'
import type { Account } from '../../../src/economy/points/account.ts'
import { GRANTED, ruleOf, SOURCE } from '../event-rules.ts'
import { boardIdsAt, INSERT_EVENT, type ReportedEvent, readEvents, rowsOf } from './event-rows.ts'
import { serve } from './serve.ts'

const db = new Database((process.env.DATABASE_URL ?? '').slice('sqlite:'.length), { strict: true })
db.run('PRAGMA journal_mode = WAL')
db.run('PRAGMA synchronous = FULL')
db.run('PRAGMA foreign_keys = ON')

type StoredAccount = Omit<Account, 'updatedAt'>
interface StoredScore {
  board: string
  points: number
  reachedAt: number
}

type RankBucket = ReturnType<typeof countMembers>[number]

const versions = new Map(
  db
    .query<{ id: string; version: number }, []>('SELECT rule_id AS id, version FROM rule_versions')
    .all()
    .map(({ id, version }) => [id, version]),
)
const findAccount = db.query<StoredAccount, [string, string]>(
  `SELECT a.user_id AS userId, a.balance, a.lifetime, a.seq, a.head_hash AS headHash
   FROM users u JOIN points_accounts a ON a.user_id = u.id WHERE u.provider = ? AND u.subject = ?`,
)
const findScores = db.query<StoredScore, [string, string, string, string]>(
  'SELECT board, -minus_points AS points, reached_at AS reachedAt FROM leaderboard_scores WHERE user_id = ? AND board IN (?, ?, ?)',
)
const insertEvent = db.query<{ sequence: number }, (string | number)[]>(INSERT_EVENT.replaceAll('$', '?'))
const insertEntry = db.query(
  `INSERT INTO points_entries (id, user_id, seq, delta, balance_after, reason, ref, created_at, hash)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
)
const updateAccount = db.query(
  'UPDATE points_accounts SET balance = ?, lifetime = ?, seq = ?, head_hash = ?, updated_at = ? WHERE user_id = ?',
)
const upsertScore = db.query(
  `INSERT INTO leaderboard_scores (board, user_id, minus_points, reached_at) VALUES (?, ?, ?, ?)
   ON CONFLICT (board, user_id) DO UPDATE SET minus_points = excluded.minus_points, reached_at = excluded.reached_at`,
)
const addToBucket = db.query(
  `INSERT INTO leaderboard_counts (board, level, points, reached_at, fans) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (board, level, points, reached_at) DO UPDATE SET fans = fans + excluded.fans`,
)
const takeFromBucket = db.query(
  'UPDATE leaderboard_counts SET fans = fans - ? WHERE board = ? AND level = ? AND points = ? AND reached_at = ?',
)
const deleteBucket = db.query(
  'DELETE FROM leaderboard_counts WHERE board = ? AND level = ? AND points = ? AND reached_at = ? AND fans = 0',
)
const begin = db.query('BEGIN IMMEDIATE')
const commit = db.query('COMMIT')

interface Job {
  events: ReportedEvent[]
  respond: (response: Response) => void
}
let queue: Job[] = []

/** The change of each bucket in a transaction, in fans. */
const buckets = new Map<string, { key: [string, number, number, number]; by: number }>()

function count(by: number, { board, level, points, reachedAt }: RankBucket) {
  const bucket = buckets.getOrInsertComputed(`${board} ${level} ${points} ${reachedAt}`, () => {
    return { key: [board, level, points, reachedAt], by: 0 }
  })
  bucket.by += by
}

function writeBuckets() {
  for (const { key, by } of buckets.values()) {
    if (by > 0) addToBucket.run(...key, by)
    if (by < 0) takeFromBucket.run(-by, ...key)
    if (by < 0) deleteBucket.run(...key)
  }
  buckets.clear()
}

function record(event: ReportedEvent) {
  const found = findAccount.get(event.fan.provider, event.fan.subject)
  if (!found) return { id: event.id, outcome: 'refused', grants: [] }
  const at = new Date()
  const account = { ...found, updatedAt: at }
  const { userId } = account
  const [first = '', second = '', third = ''] = boardIdsAt(at)
  const scores = findScores.all(userId, first, second, third)
  const rows = rowsOf(event, { account, scores, versions }, at)
  const { entry, head } = rows
  const [time, occurredAt] = [at.getTime(), Date.parse(event.occurredAt)]
  const { revision, data, digest, decisions, folded } = rows
  const key = [SOURCE, event.id, userId] as const
  const inserted = insertEvent.get(
    ...key,
    ...[event.type, occurredAt, time, revision, data, digest, decisions],
    ...folded,
  )
  if (!inserted) return { id: event.id, outcome: 'duplicate', grants: [] }
  const { id, seq, delta, balanceAfter, reason, ref, hash } = entry
  insertEntry.run(id, userId, seq, delta, balanceAfter, reason, ref, time, hash)
  updateAccount.run(head.balance, head.lifetime, head.seq, head.headHash, time, userId)
  for (const { board, points, reachedAt } of rows.scores) upsertScore.run(board, userId, -points, reachedAt)
  for (const bucket of countMembers(scores)) count(-1, bucket)
  for (const bucket of countMembers(rows.scores)) count(1, bucket)
  const grants = [{ ruleId: ruleOf(event.type), points: GRANTED }]
  return { id: event.id, outcome: 'applied', grants }
}

function drain() {
  const batches = queue
  queue = []
  begin.run()
  const done = batches.map(({ events }) => ({ results: events.map(record) }))
  writeBuckets()
  commit.run()
  for (const [index, { respond }] of batches.entries()) respond(Response.json(done[index]))
}

serve(async request => {
  if (request.method !== 'POST') return new Response('ready')
  const events = await readEvents(request)
  return new Promise<Response>(respond => {
    // Runs after all requests read in this turn of the event loop.
    if (queue.push({ events, respond }) === 1) setImmediate(drain)
  })
})
