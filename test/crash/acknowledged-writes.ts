/** Compares the acknowledged writes with the database. */
import type { Database, Reader, Tables } from '../../db/index.ts'
import { decisionsOf, grantsOf } from '../../src/economy/events/event.ts'
import { hashRefreshToken } from '../../src/identity/auth/native-tokens.ts'
import type { History, Step, StepResponse } from './load.ts'

type Row<Name extends keyof Tables> = Tables[Name]['$inferSelect']

/** The rows that responses refer to, by their identifiers in responses. */
interface Records {
  users: Map<string, Row<'users'>>
  onboardings: Map<string, Row<'onboardings'>>
  claims: Map<string, Row<'userRewards'>>
  purchases: Map<string, Row<'packPurchases'>>
  packs: Map<string, Row<'userPacks'>>
  items: Map<string, Row<'userItems'>[]>
  trades: Map<string, Row<'trades'>>
  sessions: Map<string, Row<'nativeSessions'>>
  refreshTokens: Set<string>
  /** Events that the gate reported. */
  events: Map<string, Row<'events'>>
}

/** Lists acknowledged writes that are missing, and rows that no request explains. Empty if there are none. */
export async function findLostWrites(
  { read }: Database,
  { responses, unacknowledged }: History,
): Promise<string[]> {
  const records = await readRecords(read)
  const acknowledged = responses.filter(({ status }) => status < 300)
  return [
    ...acknowledged.flatMap(response => {
      const difference = lostEffect(response, records)
      return difference
        ? [`${response.step.method} ${response.step.path} of ${response.step.subject}: ${difference}`]
        : []
    }),
    ...countedTwice(acknowledged),
    ...lostBios(acknowledged, unacknowledged, records),
    ...unrequestedPurchases(acknowledged, unacknowledged, records),
  ]
}

async function readRecords(read: Reader): Promise<Records> {
  const { tables } = read
  const by = <T>(rows: T[], nameOf: (row: T) => string) => new Map(rows.map(row => [nameOf(row), row]))
  const items = await read.select().from(tables.userItems)
  const events = await read.select().from(tables.events)
  return {
    events: by(
      events.filter(({ source }) => source === 'gate'),
      ({ eventId }) => eventId,
    ),
    users: by(await read.select().from(tables.users), ({ subject }) => subject),
    onboardings: by(await read.select().from(tables.onboardings), ({ userId }) => userId),
    claims: by(await read.select().from(tables.userRewards), row => `${row.userId} ${row.rewardId}`),
    purchases: by(await read.select().from(tables.packPurchases), ({ id }) => id),
    packs: by(await read.select().from(tables.userPacks), ({ id }) => id),
    items: Map.groupBy(items, ({ userPackId }) => userPackId ?? ''),
    trades: by(await read.select().from(tables.trades), ({ id }) => id),
    sessions: by(await read.select().from(tables.nativeSessions), ({ id }) => id),
    refreshTokens: new Set((await read.select().from(tables.refreshTokens)).map(({ hash }) => hash)),
  }
}

/** Null if the database has the effect that the response acknowledged. */
function lostEffect({ step, body }: StepResponse, records: Records): string | null {
  const user = records.users.get(step.subject)
  const { path, method } = step
  const expect = (found: unknown, expected: unknown, what: string) =>
    JSON.stringify(found) === JSON.stringify(expected)
      ? null
      : `${what} is ${JSON.stringify(found)}, acknowledged was ${JSON.stringify(expected)}`

  if (path === '/api/auth/native-token' || path === '/api/auth/native-token/refresh') {
    const kept = records.sessions.has(body.sessionId)
    return kept && records.refreshTokens.has(hashRefreshToken(body.refreshToken)) ? null : 'no such device'
  }
  if (path === '/api/auth/logout') {
    const { sid } = JSON.parse(Buffer.from(step.token.split('.')[1] ?? '', 'base64url').toString())
    return records.sessions.get(sid)?.revokedAt ? null : 'the device is signed in'
  }
  if (!user) return 'no such user'
  if (path === '/api/events') {
    const [result] = body.results
    const event = records.events.get(result.id)
    const found = event && [event.userId, grantsOf(decisionsOf(event))]
    return expect(found, [user.id, result.grants], `the event ${result.id}`)
  }
  if (path === '/api/user/onboarding')
    return expect(records.onboardings.get(user.id)?.completedAt, body.completedAt, 'the completion')
  if (path === '/api/rewards/claim' || path === '/api/rewards/redeem') {
    const claim = records.claims.get(`${user.id} ${step.body.rewardId}`)
    if (path === '/api/rewards/claim') return expect(claim?.claimedAt, body.reward.claimedAt, 'the claim')
    return expect(claim?.redemptionCode, body.reward.redemptionCode, 'the code')
  }
  if (path === '/api/packs/purchase') {
    const purchase = records.purchases.get(body.id)
    if (method === 'POST')
      return expect([purchase?.userId, purchase?.seedHash], [user.id, body.seedHash], 'the purchase')
    const pack = records.packs.get(body.userPack.id)
    const found = [purchase?.completedAt, pack?.purchaseId]
    return expect(found, [body.completedAt, body.id], 'the completion')
  }
  if (path === '/api/packs/open') {
    const items = (records.items.get(body.userPack.id) ?? []).toSorted(
      (a, b) => (a.position ?? 0) - (b.position ?? 0),
    )
    const expected = body.items.map((item: { id: string; serialNumber: number }) => [
      item.id,
      item.serialNumber,
    ])
    const found = items.map(({ collectibleId, serialNumber }) => [collectibleId, serialNumber])
    return expect(found, expected, 'what was drawn')
  }
  if (path === '/api/trades') return expect(records.trades.get(body.id)?.fromId, user.id, 'the offer')
  // A trade that has ended does not change.
  if (path.startsWith('/api/trades/'))
    return expect(records.trades.get(body.id)?.status, body.status, 'the end of the trade')
  return null
}

/** Every response after the first one about an event calls it a duplicate. */
function countedTwice(acknowledged: StepResponse[]): string[] {
  const applied = acknowledged
    .filter(({ step, body }) => step.path === '/api/events' && body.results[0].outcome === 'applied')
    .map(({ body }) => String(body.results[0].id))
  return applied.filter((id, at) => applied.indexOf(id) !== at).map(id => `event ${id} was applied twice`)
}

/** A fan's bio must be the last acknowledged one, or a later unacknowledged one. */
function lostBios(acknowledged: StepResponse[], unacknowledged: Step[], { users }: Records): string[] {
  const isBio = ({ path }: Step) => path === '/api/user/profile'
  const last = new Map<string, unknown>()
  const seenKeys = new Set<string | null>([])
  for (const { step } of acknowledged) {
    // The first response for a key may be a replay of a write committed during the crash; later ones are repetitions.
    const again = step.key !== null && seenKeys.has(step.key)
    seenKeys.add(step.key)
    if (isBio(step) && !again) last.set(step.subject, step.body.bio)
  }
  return [...last].flatMap(([subject, bio]) => {
    const possible = unacknowledged
      .filter(step => isBio(step) && step.subject === subject)
      .map(({ body }) => body.bio)
    return [bio, ...possible].includes(users.get(subject)?.bio) ? [] : [`${subject} has another bio`]
  })
}

/** Each purchase needs a request. An unacknowledged request may or may not have created one. */
function unrequestedPurchases(
  acknowledged: StepResponse[],
  unacknowledged: Step[],
  { purchases, users }: Records,
): string[] {
  const isStart = ({ path, method }: Step) => path === '/api/packs/purchase' && method === 'POST'
  const acknowledgedIds = new Set(acknowledged.filter(({ step }) => isStart(step)).map(({ body }) => body.id))
  const unacknowledgedPurchases = Map.groupBy(
    [...purchases.values()].filter(({ id }) => !acknowledgedIds.has(id)),
    ({ userId }) => userId,
  )
  const lost = Map.groupBy(unacknowledged.filter(isStart), ({ subject }) => users.get(subject)?.id)
  return [...unacknowledgedPurchases].flatMap(([userId, extra]) => {
    const asked = lost.get(userId)?.length ?? 0
    return extra.length <= asked ? [] : [`${userId}: ${extra.length} purchases without a request`]
  })
}
