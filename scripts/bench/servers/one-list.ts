/**
 * The reference for reads: the least that a list takes. Reads by one prepared statement the rows that the response of
 * `GET /api/rewards` is made of, each reward with the fan's points and claim, and returns them by `Response.json`.
 */
import { serveRead } from './serve-read.ts'

serveRead(
  (provider, subject) =>
    `SELECT r.id, r.title, r.description, r.image_url, r.item_type, r.points_required, r.active, r.starts_at, r.ends_at,
       r.stock_remaining, a.balance, c.claimed_at, c.redeemed_at, c.redemption_code
     FROM users u LEFT JOIN points_accounts a ON a.user_id = u.id CROSS JOIN rewards r
     LEFT JOIN user_rewards c ON c.user_id = u.id AND c.reward_id = r.id
     WHERE u.provider = ${provider} AND u.subject = ${subject} AND r.active = true
     ORDER BY r.points_required, r.id`,
)
