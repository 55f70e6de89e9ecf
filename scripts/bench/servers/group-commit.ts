/**
 * The raw reference for claims: the same durable work on the same tables in prepared statements, behind `Bun.serve`.
 * Everything that has queued goes into one transaction, WAL and synchronous=FULL, and is answered after its COMMIT.
 * The bearer token is the fan's subject: nothing is verified here, and nothing is presented.
 */
import { Database } from 'bun:sqlite'
import { PROVIDER } from '../issuer.ts'

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
  answer: (response: Response) => void
}
let queue: Job[] = []

function claim({ subject, rewardId }: Job): { status: number; body: object } {
  const refuse = (status: number, code: string) => ({ status, body: { code } })
  const reward = findReward.get(rewardId)
  if (!reward) return refuse(404, 'reward_not_found')
  if (!reward.active) return refuse(409, 'reward_inactive')
  const user = findUser.get(PROVIDER, subject)
  if (!user) return refuse(404, 'user_not_found')
  if ((findBalance.get(user.id)?.balance ?? 0) < reward.points_required)
    return refuse(409, 'insufficient_points')
  savepoint.run()
  try {
    const made = insertClaim.get(user.id, rewardId, Date.now())
    if (!made) return refuse(409, 'already_claimed')
    const left = reward.stock_remaining === null ? null : takeStock.get(rewardId)
    if (left !== null || reward.stock_remaining === null) {
      return {
        status: 200,
        body: { rewardId, claimedAt: made.claimed_at, stockRemaining: left?.stock_remaining ?? null },
      }
    }
    undo.run()
    return refuse(409, 'out_of_stock')
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
  for (const [at, job] of batch.entries()) {
    const { status, body } = done[at] as ReturnType<typeof claim>
    job.answer(Response.json(body, { status }))
  }
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  development: false,
  reusePort: false,
  async fetch(request) {
    if (request.method !== 'POST') return new Response('ready')
    const { rewardId } = (await request.json()) as { rewardId: string }
    const subject = request.headers.get('authorization')?.slice('Bearer '.length) ?? ''
    return new Promise<Response>(answer => {
      // After all requests that this turn of the event loop has read.
      if (queue.push({ subject, rewardId, answer }) === 1) setImmediate(drain)
    })
  },
})
