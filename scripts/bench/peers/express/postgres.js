/** The peer's store on PostgreSQL: pg with a pool of ten connections and named statements, which pg prepares once. */
const { Pool, types } = require('pg')
const { ClaimError, requireClaimable } = require('./rules.js')

// bigint: all amounts are safe integers.
types.setTypeParser(types.builtins.INT8, Number)

module.exports = function openPostgres(connectionString, provider) {
  const pool = new Pool({ connectionString, max: 10 })
  const statement = (name, text) => async (client, values) =>
    (await client.query({ name, text, values })).rows

  const findAccount = statement(
    'account',
    `SELECT u.id, coalesce(a.balance, 0) AS balance FROM users u LEFT JOIN points_accounts a ON a.user_id = u.id
     WHERE u.provider = $1 AND u.subject = $2`,
  )
  const listActive = statement(
    'active',
    `SELECT * FROM rewards WHERE active AND (starts_at IS NULL OR starts_at <= $1) AND (ends_at IS NULL OR ends_at > $1)
     ORDER BY points_required, id COLLATE "C"`,
  )
  const listOwn = statement('own', 'SELECT * FROM user_rewards WHERE user_id = $1')
  const findReward = statement('reward', 'SELECT * FROM rewards WHERE id = $1')
  const insertClaim = statement(
    'claim',
    'INSERT INTO user_rewards (user_id, reward_id, claimed_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING *',
  )
  const takeStock = statement(
    'stock',
    'UPDATE rewards SET stock_remaining = stock_remaining - 1 WHERE id = $1 AND stock_remaining > 0 RETURNING stock_remaining',
  )

  async function claimWithin(client, subject, rewardId, now) {
    const [reward] = await findReward(client, [rewardId])
    const [user] = await findAccount(client, [provider, subject])
    const points = user?.balance ?? 0
    requireClaimable(reward, user, points, now)
    const [own] = await insertClaim(client, [user.id, rewardId, new Date(now)])
    if (!own) throw new ClaimError(409, 'already_claimed')
    if (reward.stock_remaining !== null) {
      const [left] = await takeStock(client, [rewardId])
      if (!left) throw new ClaimError(409, 'out_of_stock')
      reward.stock_remaining = left.stock_remaining
    }
    return { reward, own, points }
  }

  return {
    async list(subject, now) {
      const [user] = await findAccount(pool, [provider, subject])
      return {
        points: user?.balance ?? 0,
        own: user ? await listOwn(pool, [user.id]) : [],
        rewards: await listActive(pool, [new Date(now)]),
      }
    },
    async claim(subject, rewardId, now) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const claimed = await claimWithin(client, subject, rewardId, now)
        await client.query('COMMIT')
        return claimed
      } catch (error) {
        await client.query('ROLLBACK')
        throw error
      } finally {
        client.release()
      }
    },
  }
}
