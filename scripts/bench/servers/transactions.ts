/**
 * The raw reference for claims on PostgreSQL: the same durable work on the same tables, a transaction a claim, through
 * the driver that Matchday uses, behind `Bun.serve`. The bearer token is the fan's subject: nothing is verified here.
 */
import { SQL } from 'bun'
import { PROVIDER } from '../issuer.ts'

const pool = new SQL(process.env.DATABASE_URL ?? '', { max: 10 })

interface Account {
  id: string
  balance: string | null
  points_required: string
  active: boolean
  stock_remaining: string | null
}

class Refusal extends Error {}

const claim = (subject: string, rewardId: string) =>
  pool.begin(async tx => {
    const accounts: Account[] = await tx.unsafe(
      `SELECT u.id, a.balance, r.points_required, r.active, r.stock_remaining
       FROM users u CROSS JOIN rewards r LEFT JOIN points_accounts a ON a.user_id = u.id
       WHERE u.provider = $1 AND u.subject = $2 AND r.id = $3`,
      [PROVIDER, subject, rewardId],
    )
    const [account] = accounts
    if (!account) throw new Refusal('not_found')
    if (!account.active) throw new Refusal('reward_inactive')
    if (Number(account.balance) < Number(account.points_required)) throw new Refusal('insufficient_points')
    const [made] = await tx.unsafe(
      'INSERT INTO user_rewards (user_id, reward_id, claimed_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING RETURNING claimed_at',
      [account.id, rewardId],
    )
    if (!made) throw new Refusal('already_claimed')
    if (account.stock_remaining === null)
      return { rewardId, claimedAt: made.claimed_at, stockRemaining: null }
    const [left] = await tx.unsafe(
      'UPDATE rewards SET stock_remaining = stock_remaining - 1 WHERE id = $1 AND stock_remaining > 0 RETURNING stock_remaining',
      [rewardId],
    )
    if (!left) throw new Refusal('out_of_stock')
    return { rewardId, claimedAt: made.claimed_at, stockRemaining: Number(left.stock_remaining) }
  })

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  development: false,
  reusePort: false,
  async fetch(request) {
    if (request.method !== 'POST') return new Response('ready')
    const { rewardId } = (await request.json()) as { rewardId: string }
    const subject = request.headers.get('authorization')?.slice('Bearer '.length) ?? ''
    try {
      return Response.json(await claim(subject, rewardId))
    } catch (error) {
      if (error instanceof Refusal) return Response.json({ code: error.message }, { status: 409 })
      throw error
    }
  },
})
