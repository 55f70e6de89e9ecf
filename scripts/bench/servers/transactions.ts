/**
 * The raw reference for claims on PostgreSQL: the same durable writes, one transaction per claim, through Matchday's
 * driver, behind `Bun.serve`.
 */
import { SQL } from 'bun'
import { PROVIDER } from '../issuer.ts'
import { bearerToken, serve } from './serve.ts'

const pool = new SQL(process.env.DATABASE_URL ?? '', { max: 10 })

interface Account {
  id: string
  balance: string | null
  points_required: string
  active: boolean
  stock_remaining: string | null
}

class Rejection extends Error {}

const claim = (subject: string, rewardId: string) =>
  pool.begin(async tx => {
    const accounts: Account[] = await tx.unsafe(
      `SELECT u.id, a.balance, r.points_required, r.active, r.stock_remaining
       FROM users u CROSS JOIN rewards r LEFT JOIN points_accounts a ON a.user_id = u.id
       WHERE u.provider = $1 AND u.subject = $2 AND r.id = $3`,
      [PROVIDER, subject, rewardId],
    )
    const [account] = accounts
    if (!account) throw new Rejection('not_found')
    if (!account.active) throw new Rejection('reward_inactive')
    if (Number(account.balance) < Number(account.points_required)) throw new Rejection('insufficient_points')
    const [inserted] = await tx.unsafe(
      'INSERT INTO user_rewards (user_id, reward_id, claimed_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING RETURNING claimed_at',
      [account.id, rewardId],
    )
    if (!inserted) throw new Rejection('already_claimed')
    await tx.unsafe(
      `INSERT INTO events (source, event_id, user_id, sequence, type, occurred_at, recorded_at, data)
       VALUES ('matchday', $1, $2, coalesce((SELECT max(sequence) FROM events WHERE user_id = $2), 0) + 1, 'reward.claimed', now(), now(), $3)
       ON CONFLICT DO NOTHING RETURNING sequence`,
      [Bun.randomUUIDv7(), account.id, JSON.stringify({ rewardId })],
    )
    if (account.stock_remaining === null)
      return { rewardId, claimedAt: inserted.claimed_at, stockRemaining: null }
    const [left] = await tx.unsafe(
      'UPDATE rewards SET stock_remaining = stock_remaining - 1 WHERE id = $1 AND stock_remaining > 0 RETURNING stock_remaining',
      [rewardId],
    )
    if (!left) throw new Rejection('out_of_stock')
    return { rewardId, claimedAt: inserted.claimed_at, stockRemaining: Number(left.stock_remaining) }
  })

serve(async request => {
  if (request.method !== 'POST') return new Response('ready')
  const { rewardId } = (await request.json()) as { rewardId: string }
  const subject = bearerToken(request) ?? ''
  try {
    return Response.json(await claim(subject, rewardId))
  } catch (error) {
    if (error instanceof Rejection) return Response.json({ code: error.message }, { status: 409 })
    throw error
  }
})
