/**
 * `bun run dev --live`: plays a match day on the seeded data through the API, as fans, gates and the club's systems call it, and
 * receives the webhooks. Everything is on this machine.
 */
import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, like } from 'drizzle-orm'
import type { Database } from '../../db/index.ts'
import { stageOf } from '../../mock-idp/users/stages.ts'
import { addEndpoint, removeEndpoint } from '../../src/delivery/webhooks/endpoints.ts'
import type { WebhookSecrets } from '../../src/delivery/webhooks/secrets.ts'
import { developmentKey } from '../../src/identity/server-keys/development-key.ts'

/** Unless another time is given. */
export const LIVE_MS = 300_000

export interface LiveOptions {
  db: Database
  secrets: WebhookSecrets
  /** Origins of the API and of the mock provider. */
  api: string
  mock: string
  /** The name of the provider, and the number of its fans. */
  provider: string
  fans: number
  ms: number
  /** Ends it early. */
  signal: AbortSignal
  say(line: string): void
}

interface Actor {
  userId: string
  subject: string
  handle: string
}

interface Moment {
  /** Part of the time that has passed. */
  at: number
  run(): Promise<unknown>
}

const WEBHOOK_TYPES = ['match.*', 'pack.opened', 'quest.*', 'reward.*', 'prediction.settled']
/** The path of the receiver, by which an endpoint that was left behind is found. */
const RECEIVER = '/matchday-live'
const [MIN_ACTORS, MAX_ACTORS, MS_PER_ACTOR, NEWCOMERS] = [12, 40, 2_000, 6]
/** For what follows the end, a settlement and a webhook: no slow machine takes this long. */
const AFTERMATH_MS = 60_000
const POLL_MS = 200

/** Resolves to the number of received webhooks, after the match or when it is stopped; null if no match is left. */
export async function playMatchDay(options: LiveOptions): Promise<number | null> {
  const { db, secrets, api, ms, signal, say } = options
  const match = await chooseMatch(db)
  if (!match) {
    say('No match is left. Start on new data: bun run dev --fresh --live')
    return null
  }
  let received = 0
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { type } = (await request.json()) as { type?: string }
      received++
      say(`webhook ${type}`)
      return new Response(null, { status: 204 })
    },
  })
  await removeOldEndpoints(db)
  const url = `http://127.0.0.1:${receiver.port}${RECEIVER}`
  const endpoint = await db.write(tx => addEndpoint(tx, secrets, { url, types: WEBHOOK_TYPES }))
  const started = performance.now()
  const waitUntil = (at: number) => pause(started + at * ms - performance.now(), signal)
  try {
    say(`${match.name}: ${ms / 1_000} s, ${api}`)
    for (const { at, run } of await planDay(options, match)) {
      if (!(await waitUntil(at))) return received
      await run()
    }
    await settled(options, match.id, () => received > 0)
    say(`The match day is over: ${received} webhooks arrived.`)
    return received
  } finally {
    await removeEndpoint(db, endpoint.id)
    await receiver.stop(true)
  }
}

/** False: it was stopped meanwhile. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms > 0 && !signal.aborted)
    await new Promise<void>(resolve => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end)
    })
  return !signal.aborted
}

async function removeOldEndpoints(db: Database): Promise<void> {
  const { webhookEndpoints: endpoints } = db.tables
  const left = await db.read
    .select()
    .from(endpoints)
    .where(like(endpoints.url, `http://127.0.0.1:%${RECEIVER}`))
  for (const { id } of left) await removeEndpoint(db, id)
}

interface LiveMatch {
  id: string
  name: string
  kickoffAt: string
  revision: number
  score: [number, number]
}

/** The match that is live, or else the next one, which begins now. */
async function chooseMatch(db: Database): Promise<LiveMatch | null> {
  const { matches, teams } = db.tables
  const rows = await db.read
    .select()
    .from(matches)
    .where(and(inArray(matches.status, ['live', 'scheduled']), eq(matches.active, true)))
    .orderBy(asc(matches.status), asc(matches.kickoffAt), asc(matches.id))
    .limit(1)
  const [match] = rows
  if (!match) return null
  const names = new Map((await db.read.select().from(teams)).map(({ id, name }) => [id, name]))
  const { id, revision, status, kickoffAt, homeScore, awayScore } = match
  return {
    id,
    name: `${names.get(match.homeTeamId)} – ${names.get(match.awayTeamId)}`,
    kickoffAt: (status === 'live' ? kickoffAt : db.read.now()).toISOString(),
    revision,
    score: [homeScore ?? 0, awayScore ?? 0],
  }
}

/** Fans with points, the richest first, who can act under their names. */
async function chooseActors({ db, provider, ms }: LiveOptions): Promise<Actor[]> {
  const { users, pointsAccounts: accounts } = db.tables
  const rows = await db.read
    .select({ userId: users.id, subject: users.subject, handle: users.handle })
    .from(users)
    .innerJoin(accounts, eq(accounts.userId, users.id))
    .where(
      and(
        eq(users.provider, provider),
        like(users.subject, 'fan-%'),
        isNotNull(users.handle),
        isNull(users.erasedAt),
        isNull(users.silencedAt),
        gte(accounts.balance, 100),
      ),
    )
    .orderBy(desc(accounts.balance), asc(users.id))
    .limit(Math.max(MIN_ACTORS, Math.min(MAX_ACTORS, Math.floor(ms / MS_PER_ACTOR))))
  return rows.flatMap(({ handle, ...actor }) => (handle === null ? [] : { ...actor, handle }))
}

/** Fans of the provider who have no record yet, without the one that developers use. */
async function chooseNewcomers({ db, provider, fans }: LiveOptions): Promise<string[]> {
  const { users } = db.tables
  const subjects = Array.from({ length: fans }, (_, index) => index)
    .filter(index => index > 0 && stageOf(index) === 'new')
    .map(index => `fan-${String(index + 1).padStart(4, '0')}`)
  const known = await db.read
    .select({ subject: users.subject })
    .from(users)
    .where(and(eq(users.provider, provider), inArray(users.subject, subjects)))
  const taken = new Set(known.map(({ subject }) => subject))
  return subjects.filter(subject => !taken.has(subject)).slice(0, NEWCOMERS)
}

async function planDay(options: LiveOptions, match: LiveMatch): Promise<Moment[]> {
  const { db, mock, say } = options
  const club = createCaller(options, developmentKey)
  const tokens = new Map<string, string>()
  const fan = async (subject: string) => {
    const token = tokens.get(subject) ?? (await issueToken(mock, subject))
    tokens.set(subject, token)
    return createCaller(options, token)
  }
  const { matches } = db.tables
  const coming = await db.read
    .select()
    .from(matches)
    .where(and(eq(matches.status, 'scheduled'), gt(matches.kickoffAt, db.read.now())))
    .orderBy(asc(matches.kickoffAt), asc(matches.id))
    .limit(3)

  let { revision, score } = match
  const report = async (status: 'live' | 'finished') => {
    const [homeScore, awayScore] = score
    const state = { revision: ++revision, status, kickoffAt: match.kickoffAt, homeScore, awayScore }
    await club('PUT', `/api/matches/${match.id}`, state)
    say(`${status === 'live' ? 'score' : 'final score'} ${score.join(':')}`)
  }
  const goal = (side: 0 | 1) => async () => {
    score = side === 0 ? [score[0] + 1, score[1]] : [score[0], score[1] + 1]
    await report('live')
  }

  const arrive = async ({ userId, subject, handle }: Actor, nth: number) => {
    const now = new Date().toISOString()
    const scan = { id: crypto.randomUUID(), type: 'ticket.scanned', fan: { userId }, occurredAt: now }
    await club('POST', '/api/events', { events: [{ ...scan, data: { gate: 'N1', away: false } }] })
    const code = await club('GET', `/api/matches/${match.id}/check-in-code`)
    const call = await fan(subject)
    if (code && (await call('POST', '/api/check-ins', code, ['code']))) say(`@${handle} checked in`)
    for (const { id } of coming.filter(({ id }) => id !== match.id)) {
      const scores = { homeScore: nth % 3, awayScore: (nth * 2 + 1) % 3 }
      if (await call('PUT', `/api/matches/${id}/prediction`, scores)) say(`@${handle} predicted ${id}`)
    }
  }
  const openPack = async ({ subject, handle }: Actor) => {
    const call = await fan(subject)
    const purchase = await call('POST', '/api/packs/purchase', { packId: 'starter' })
    const paid = purchase && (await call('PUT', '/api/packs/purchase', { purchaseId: purchase.id }))
    // Guarantee of the cast: the schema of the response.
    const pack = paid?.userPack as { id: string } | null | undefined
    if (pack && (await call('POST', '/api/packs/open', { userPackId: pack.id })))
      say(`@${handle} opened a pack`)
  }
  const claim = async ({ subject, handle }: Actor, nth: number) => {
    const call = await fan(subject)
    const rewardId = ['half-time-tea', 'anthem-ringtone', 'scarf-discount'][nth % 3]
    if (!(await call('POST', '/api/rewards/claim', { rewardId }))) return
    await call('POST', '/api/rewards/redeem', { rewardId })
    say(`@${handle} claimed ${rewardId}`)
  }
  const join = async (subject: string) => {
    const call = await fan(subject)
    const profile = { favoriteTeamId: 'harbour-city' }
    if (await call('POST', '/api/user/onboarding', { joinLeaderboard: true, profile }))
      say(`${subject} joined`)
  }
  const complain = async (by: Actor, about: Actor) => {
    const call = await fan(by.subject)
    const subject = { kind: 'fan', id: about.handle }
    const note = 'Offers tickets at twice their price.'
    if (await call('POST', '/api/reports', { subject, reason: 'spam', note }))
      say(`@${by.handle} reported a fan`)
  }

  const actors = await chooseActors(options)
  const newcomers = await chooseNewcomers(options)
  const [first, second] = actors
  const spread = (nth: number, of: number) => 0.02 + (0.83 * nth) / of
  return [
    { at: 0, run: () => report('live') },
    ...actors.flatMap((actor, nth): Moment[] => {
      const at = spread(nth, actors.length)
      return [
        { at, run: () => arrive(actor, nth) },
        ...(nth % 2 === 0 ? [{ at: at + 0.01, run: () => openPack(actor) }] : []),
        ...(nth % 3 === 0 ? [{ at: at + 0.02, run: () => claim(actor, nth) }] : []),
      ]
    }),
    ...newcomers.map(
      (subject, nth): Moment => ({ at: spread(nth, newcomers.length), run: () => join(subject) }),
    ),
    ...(first && second ? [{ at: 0.45, run: () => complain(first, second) }] : []),
    { at: 0.2, run: goal(0) },
    { at: 0.5, run: goal(1) },
    { at: 0.8, run: goal(0) },
    { at: 0.9, run: () => report('finished') },
    { at: 1, run: async () => {} },
  ].toSorted((a, b) => a.at - b.at)
}

/** The result has settled its predictions, and a webhook has arrived. */
async function settled(
  { db, signal }: LiveOptions,
  matchId: string,
  hasArrived: () => boolean,
): Promise<void> {
  const { matchSettlements } = db.tables
  const until = performance.now() + AFTERMATH_MS
  for (;;) {
    const [row] = await db.read.select().from(matchSettlements).where(eq(matchSettlements.matchId, matchId))
    const isDone = row?.dueAt === null && hasArrived()
    if (isDone || performance.now() > until || !(await pause(POLL_MS, signal))) return
  }
}

type Json = Record<string, unknown>

/** Null for a response that is not a success: fans of a demonstration may have too few points. */
function createCaller({ api, signal }: LiveOptions, token: string) {
  return async (method: string, path: string, body?: Json, members = Object.keys(body ?? {})) => {
    try {
      const response = await fetch(api + path, {
        method,
        signal,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(Object.fromEntries(members.map(name => [name, body[name]]))) }),
      })
      const text = await response.text()
      return response.ok ? ((text === '' ? {} : JSON.parse(text)) as Json) : null
    } catch (error) {
      // It was stopped, or the API starts again after a change of its code.
      if (error instanceof SyntaxError) throw error
      return null
    }
  }
}

async function issueToken(mock: string, sub: string): Promise<string> {
  const response = await fetch(`${mock}/_mock/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sub }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}
