/**
 * The raw reference for claims on SQLite: the same durable writes in prepared statements, behind `Bun.serve`. All queued
 * claims share one transaction (WAL, synchronous=FULL) and get their responses after its COMMIT.
 */
import { Database } from 'bun:sqlite'
import { PROVIDER } from '../issuer.ts'
import { bearerToken, serve } from './serve.ts'

const db = new Database((process.env.DATABASE_URL ?? '').slice('sqlite:'.length), { strict: true })
db.run('PRAGMA journal_mode = WAL')
db.run('PRAGMA synchronous = FULL')
db.run('PRAGMA foreign_keys = ON')

interface Reward {
  points_required: number
  active: number
  stock_remaining: number | null
}
const findReward = db.query<Reward, [string]>(
  'SELECT points_required, active, stock_remaining FROM rewards WHERE id = ?',
)
const findUser = db.query<{ id: string }, [string, string]>(
  'SELECT id FROM users WHERE provider = ? AND subject = ?',
)
const findBalance = db.query<{ balance: number }, [string]>(
  'SELECT balance FROM points_accounts WHERE user_id = ?',
)
const insertClaim = db.query<{ claimed_at: number }, [string, string, number]>(
  'INSERT INTO user_rewards (user_id, reward_id, claimed_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING claimed_at',
)
const insertEvent = db.query(
  `INSERT INTO events (source, event_id, user_id, sequence, type, occurred_at, recorded_at, data)
   VALUES ('matchday', ?1, ?2, coalesce((SELECT max(sequence) FROM events WHERE user_id = ?2), 0) + 1, 'reward.claimed', ?3, ?3, ?4)
   ON CONFLICT DO NOTHING RETURNING sequence`,
)
const takeStock = db.query<{ stock_remaining: number }, [string]>(
  'UPDATE rewards SET stock_remaining = stock_remaining - 1 WHERE id = ? AND stock_remaining > 0 RETURNING stock_remaining',
)
const begin = db.query('BEGIN IMMEDIATE')
const commit = db.query('COMMIT')
const savepoint = db.query('SAVEPOINT claim')
const release = db.query('RELEASE claim')
const undo = db.query('ROLLBACK TO claim')

interface Job {
  subject: string
  rewardId: string
  respond: (response: Response) => void
}
let queue: Job[] = []

function claim({ subject, rewardId }: Job): { status: number; body: object } {
  const reject = (status: number, code: string) => ({ status, body: { code } })
  const reward = findReward.get(rewardId)
  if (!reward) return reject(404, 'reward_not_found')
  if (!reward.active) return reject(409, 'reward_inactive')
  const user = findUser.get(PROVIDER, subject)
  if (!user) return reject(404, 'user_not_found')
  if ((findBalance.get(user.id)?.balance ?? 0) < reward.points_required)
    return reject(409, 'insufficient_points')
  savepoint.run()
  try {
    const inserted = insertClaim.get(user.id, rewardId, Date.now())
    if (!inserted) return reject(409, 'already_claimed')
    insertEvent.get(Bun.randomUUIDv7(), user.id, inserted.claimed_at, JSON.stringify({ rewardId }))
    const left = reward.stock_remaining === null ? null : takeStock.get(rewardId)
    if (left !== null || reward.stock_remaining === null) {
      return {
        status: 200,
        body: { rewardId, claimedAt: inserted.claimed_at, stockRemaining: left?.stock_remaining ?? null },
      }
    }
    undo.run()
    return reject(409, 'out_of_stock')
  } finally {
    release.run()
  }
}

function drain() {
  const batch = queue
  queue = []
  begin.run()
  const done = batch.map(claim)
  commit.run()
  for (const [index, job] of batch.entries()) {
    const { status, body } = done[index] as ReturnType<typeof claim>
    job.respond(Response.json(body, { status }))
  }
}

serve(async request => {
  if (request.method !== 'POST') return new Response('ready')
  const { rewardId } = (await request.json()) as { rewardId: string }
  const subject = bearerToken(request) ?? ''
  return new Promise<Response>(respond => {
    // Runs after all requests read in this turn of the event loop.
    if (queue.push({ subject, rewardId, respond }) === 1) setImmediate(drain)
  })
})
