/**
 * What a team would write instead: Express 5, better-sqlite3 and jsonwebtoken, idiomatically. The same tables, rules,
 * durability and answers as Matchday for two of its operations.
 */

const { readFileSync } = require('node:fs')
const Database = require('better-sqlite3')
const express = require('express')
const jwt = require('jsonwebtoken')

const { PORT, DATABASE_PATH, PUBLIC_KEY_FILE, ALGORITHM, ISSUER, AUDIENCE, PROVIDER } = process.env
const publicKey = readFileSync(PUBLIC_KEY_FILE)

const db = new Database(DATABASE_PATH)
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

class Refusal extends Error {
  constructor(status, code, members = {}) {
    super(code)
    Object.assign(this, { status, code, members })
  }
}

const isActive = (reward, now) =>
  reward.active === 1 &&
  (reward.starts_at === null || reward.starts_at <= now) &&
  (reward.ends_at === null || now < reward.ends_at)

const iso = ms => (ms === null || ms === undefined ? null : new Date(ms).toISOString())

function present(reward, own, points, now) {
  const active = isActive(reward, now)
  const blockedBy = []
  if (!active) blockedBy.push('reward_inactive')
  if (points < reward.points_required) blockedBy.push('insufficient_points')
  if (own) blockedBy.push('already_claimed')
  if (reward.stock_remaining === 0) blockedBy.push('out_of_stock')
  return {
    id: reward.id,
    title: reward.title,
    description: reward.description,
    imageUrl: reward.image_url,
    itemType: reward.item_type,
    pointsRequired: reward.points_required,
    active,
    startsAt: iso(reward.starts_at),
    endsAt: iso(reward.ends_at),
    stockRemaining: reward.stock_remaining,
    state: own ? (own.redeemed_at ? 'redeemed' : 'claimed') : 'unclaimed',
    unlocked: points >= reward.points_required,
    claimable: blockedBy.length === 0,
    missingPoints: Math.max(0, reward.points_required - points),
    blockedBy,
    claimedAt: iso(own?.claimed_at),
    redeemedAt: iso(own?.redeemed_at),
    redemptionCode: own?.redemption_code ?? null,
  }
}

const claim = db.transaction((subject, rewardId) => {
  const now = Date.now()
  const reward = findReward.get(rewardId)
  if (!reward) throw new Refusal(404, 'reward_not_found')
  if (!isActive(reward, now)) throw new Refusal(409, 'reward_inactive')
  const user = findUser.get(PROVIDER, subject)
  if (!user) throw new Refusal(404, 'profile_not_found')
  const points = findBalance.get(user.id) ?? 0
  const pointsRequired = reward.points_required
  if (points < pointsRequired) {
    throw new Refusal(409, 'insufficient_points', {
      pointsRequired,
      points,
      missingPoints: pointsRequired - points,
    })
  }
  const made = insertClaim.get(user.id, rewardId, now)
  if (!made) throw new Refusal(409, 'already_claimed')
  if (reward.stock_remaining !== null) {
    reward.stock_remaining = takeStock.get(rewardId)
    if (reward.stock_remaining === undefined) throw new Refusal(409, 'out_of_stock')
  }
  return { reward: present(reward, made, points, now) }
})

function authenticate(req, _res, next) {
  const [scheme, token] = (req.get('authorization') ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || !token) throw new Refusal(401, 'unauthenticated')
  try {
    req.caller = jwt.verify(token, publicKey, { algorithms: [ALGORITHM], issuer: ISSUER, audience: AUDIENCE })
  } catch {
    throw new Refusal(401, 'invalid_token')
  }
  next()
}

const app = express()
app.disable('x-powered-by')
app.get('/healthz', (_req, res) => res.json({ status: 'ok' }))

app.get('/api/rewards', authenticate, (req, res) => {
  const now = Date.now()
  const user = findUser.get(PROVIDER, req.caller.sub)
  const points = (user && findBalance.get(user.id)) ?? 0
  const own = new Map(user ? listOwn.all(user.id).map(row => [row.reward_id, row]) : [])
  res.json({
    points,
    rewards: listActive.all({ now }).map(reward => present(reward, own.get(reward.id), points, now)),
  })
})

app.post('/api/rewards/claim', authenticate, express.json(), (req, res) => {
  if (typeof req.body?.rewardId !== 'string') throw new Refusal(422, 'validation_failed')
  res.json(claim.immediate(req.caller.sub, req.body.rewardId))
})

app.use((error, _req, res, _next) => {
  const status = error.status ?? 500
  const code = error.code ?? 'internal_error'
  res
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type: `urn:matchday:problem:${code}`, status, code, ...error.members }))
})

app.listen(Number(PORT), '127.0.0.1')
