/**
 * The reference for reads: the minimum cost of a list. Reads the rows of a `GET /api/rewards` response with one prepared
 * statement, each reward with the fan's points and claim, through Matchday's driver and without further processing.
 */
import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { PROVIDER } from '../issuer.ts'
import { bearerToken, serve } from './serve.ts'

/** With the parameters of the fan's provider and subject. */
const statement = (provider: string, subject: string) =>
  `SELECT r.id, r.title, r.description, r.image_url, r.item_type, r.points_required, r.active, r.starts_at, r.ends_at,
     r.stock_remaining, a.balance, c.claimed_at, c.redeemed_at, c.redemption_code
   FROM users u LEFT JOIN points_accounts a ON a.user_id = u.id CROSS JOIN rewards r
   LEFT JOIN user_rewards c ON c.user_id = u.id AND c.reward_id = r.id
   WHERE u.provider = ${provider} AND u.subject = ${subject} AND r.active = true
   ORDER BY r.points_required, r.id`

function openReader(url: string): (subject: string) => unknown {
  if (url.startsWith('sqlite:')) {
    const db = new Database(url.slice('sqlite:'.length), { strict: true })
    // Expressions, as in `db/sqlite/statements.ts`: SQLite would compile a join again for each fan.
    const prepared = db.query(statement('+?', '+?'))
    return subject => prepared.all(PROVIDER, subject)
  }
  const pool = new SQL(url, { max: 10 })
  const text = statement('$1', '$2')
  return subject => pool.unsafe(text, [PROVIDER, subject])
}

const read = openReader(process.env.DATABASE_URL ?? '')
serve(async request => {
  const subject = bearerToken(request)
  return subject === undefined ? new Response('ready') : Response.json(await read(subject))
})
