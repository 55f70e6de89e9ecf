/**
 * An idiomatic alternative: Express 5, better-sqlite3 or pg, and jsonwebtoken. It has the tables, rules, durability and
 * responses of Matchday for two operations.
 */

const { readFileSync } = require('node:fs')
const express = require('express')
const jwt = require('jsonwebtoken')
const { ClaimError, present } = require('./rules.js')

const { PORT, DATABASE_URL, PUBLIC_KEY_FILE, ALGORITHM, ISSUER, AUDIENCE, PROVIDER } = process.env
const publicKey = readFileSync(PUBLIC_KEY_FILE)
const store = DATABASE_URL.startsWith('sqlite:')
  ? require('./sqlite.js')(DATABASE_URL.slice('sqlite:'.length), PROVIDER)
  : require('./postgres.js')(DATABASE_URL, PROVIDER)

function authenticate(req, _res, next) {
  const [scheme, token] = (req.get('authorization') ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || !token) throw new ClaimError(401, 'unauthenticated')
  try {
    req.caller = jwt.verify(token, publicKey, { algorithms: [ALGORITHM], issuer: ISSUER, audience: AUDIENCE })
  } catch {
    throw new ClaimError(401, 'invalid_token')
  }
  next()
}

const app = express()
app.disable('x-powered-by')
app.get('/healthz', (_req, res) => res.json({ status: 'ok' }))

app.get('/api/rewards', authenticate, async (req, res) => {
  const now = Date.now()
  const { points, own, rewards } = await store.list(req.caller.sub, now)
  const claims = new Map(own.map(row => [row.reward_id, row]))
  res.json({
    points,
    rewards: rewards.map(reward => present(reward, claims.get(reward.id), points, now)),
  })
})

app.post('/api/rewards/claim', authenticate, express.json(), async (req, res) => {
  if (typeof req.body?.rewardId !== 'string') throw new ClaimError(422, 'validation_failed')
  const now = Date.now()
  const { reward, own, points } = await store.claim(req.caller.sub, req.body.rewardId, now)
  res.json({ reward: present(reward, own, points, now) })
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
