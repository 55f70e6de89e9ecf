/** The peer's store on SQLite: better-sqlite3, statements prepared once. */
const Database = require('better-sqlite3')
const { ClaimError, requireClaimable } = require('./rules.js')

module.exports = function openSqlite(path, provider) {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')

  const findUser = db.prepare('SELECT id FROM users WHERE provider = ? AND subject = ?')
  const findBalance = db.prepare('SELECT balance FROM points_accounts WHERE user_id = ?').pluck()
  const listActive = db.prepare(`SELECT * FROM rewards WHERE active = 1
    AND (starts_at IS NULL OR starts_at <= :now) AND (ends_at IS NULL OR ends_at > :now)
    ORDER BY points_required, id`)
  const listOwn = db.prepare('SELECT * FROM user_rewards WHERE user_id = ?')
  const findReward = db.prepare('SELECT * FROM rewards WHERE id = ?')
  const insertClaim = db.prepare(
    'INSERT INTO user_rewards (user_id, reward_id, claimed_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING *',
  )
  const takeStock = db
    .prepare(
      'UPDATE rewards SET stock_remaining = stock_remaining - 1 WHERE id = ? AND stock_remaining > 0 RETURNING stock_remaining',
    )
    .pluck()

  const claim = db.transaction((subject, rewardId, now) => {
    const reward = findReward.get(rewardId)
    const user = findUser.get(provider, subject)
    const points = (user && findBalance.get(user.id)) ?? 0
    requireClaimable(reward, user, points, now)
    const own = insertClaim.get(user.id, rewardId, now)
    if (!own) throw new ClaimError(409, 'already_claimed')
    if (reward.stock_remaining !== null) {
      reward.stock_remaining = takeStock.get(rewardId)
      if (reward.stock_remaining === undefined) throw new ClaimError(409, 'out_of_stock')
    }
    return { reward, own, points }
  })

  return {
    list(subject, now) {
      const user = findUser.get(provider, subject)
      return {
        points: (user && findBalance.get(user.id)) ?? 0,
        own: user ? listOwn.all(user.id) : [],
        rewards: listActive.all({ now }),
      }
    },
    claim: claim.immediate,
  }
}
