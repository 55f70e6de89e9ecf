/** Holds what fans were told against what the database says. */
import type { Database, Reader, Tables } from '../../db/index.ts'
import { hashRefreshToken } from '../../src/auth/refresh-token.ts'
import type { Heard, Memory, Step } from './load.ts'

type Row<Name extends keyof Tables> = Tables[Name]['$inferSelect']

/** The rows that answers speak of, by what the answers call them. */
interface Records {
  users: Map<string, Row<'users'>>
  onboardings: Map<string, Row<'onboardings'>>
  claims: Map<string, Row<'userRewards'>>
  purchases: Map<string, Row<'packPurchases'>>
  packs: Map<string, Row<'userPacks'>>
  items: Map<string, Row<'userItems'>[]>
  sessions: Map<string, Row<'nativeSessions'>>
  refreshTokens: Set<string>
}

/** What was promised and is not there, and what is there and nobody can have asked for. Empty when all is well. */
export async function findLies({ read }: Database, { heard, unheard }: Memory): Promise<string[]> {
  const records = await readRecords(read)
  const promised = heard.filter(({ status }) => status < 300)
  return [
    ...promised.flatMap(answer => {
      const lie = lieOf(answer, records)
      return lie ? [`${answer.step.method} ${answer.step.path} of ${answer.step.subject}: ${lie}`] : []
    }),
    ...bioLies(promised, unheard, records),
    ...purchaseLies(promised, unheard, records),
  ]
}

async function readRecords(read: Reader): Promise<Records> {
  const { tables } = read
  const by = <T>(rows: T[], nameOf: (row: T) => string) => new Map(rows.map(row => [nameOf(row), row]))
  const items = await read.select().from(tables.userItems)
  return {
    users: by(await read.select().from(tables.users), ({ subject }) => subject),
    onboardings: by(await read.select().from(tables.onboardings), ({ userId }) => userId),
    claims: by(await read.select().from(tables.userRewards), row => `${row.userId} ${row.rewardId}`),
    purchases: by(await read.select().from(tables.packPurchases), ({ id }) => id),
    packs: by(await read.select().from(tables.userPacks), ({ id }) => id),
    items: Map.groupBy(items, ({ userPackId }) => userPackId),
    sessions: by(await read.select().from(tables.nativeSessions), ({ id }) => id),
    refreshTokens: new Set((await read.select().from(tables.refreshTokens)).map(({ hash }) => hash)),
  }
}

/** Null when the effect that the answer tells of is there as it tells it. */
function lieOf({ step, body }: Heard, records: Records): string | null {
  const user = records.users.get(step.subject)
  const { path, method } = step
  const expect = (found: unknown, told: unknown, what: string) =>
    JSON.stringify(found) === JSON.stringify(told)
      ? null
      : `${what} is ${JSON.stringify(found)}, told was ${JSON.stringify(told)}`

  if (path === '/api/auth/native-token' || path === '/api/auth/native-token/refresh') {
    const kept = records.sessions.has(body.sessionId)
    return kept && records.refreshTokens.has(hashRefreshToken(body.refreshToken)) ? null : 'no such device'
  }
  if (path === '/api/auth/logout') {
    const { sid } = JSON.parse(Buffer.from(step.token.split('.')[1] ?? '', 'base64url').toString())
    return records.sessions.get(sid)?.revokedAt ? null : 'the device is signed in'
  }
  if (!user) return 'no such user'
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
    const items = (records.items.get(body.userPack.id) ?? []).toSorted((a, b) => a.position - b.position)
    const told = body.items.map((item: { id: string; serialNumber: number }) => [item.id, item.serialNumber])
    const found = items.map(({ collectibleId, serialNumber }) => [collectibleId, serialNumber])
    return expect(found, told, 'what was drawn')
  }
  return null
}

/** A fan's bio is the last that they were told of, or one that they asked for after it and never heard of. */
function bioLies(promised: Heard[], unheard: Step[], { users }: Records): string[] {
  const isBio = ({ path }: Step) => path === '/api/user/profile'
  const last = new Map<string, unknown>()
  const heardBefore = new Set<string | null>([])
  for (const { step } of promised) {
    // A replay may be the first that the fan hears of what was committed as the blow fell; the second says nothing new.
    const again = step.key !== null && heardBefore.has(step.key)
    heardBefore.add(step.key)
    if (isBio(step) && !again) last.set(step.subject, step.body.bio)
  }
  return [...last].flatMap(([subject, bio]) => {
    const possible = unheard
      .filter(step => isBio(step) && step.subject === subject)
      .map(({ body }) => body.bio)
    return [bio, ...possible].includes(users.get(subject)?.bio) ? [] : [`${subject} has another bio`]
  })
}

/** Each purchase was asked for once: those without a key that nobody was told of may be there or not. */
function purchaseLies(promised: Heard[], unheard: Step[], { purchases, users }: Records): string[] {
  const isStart = ({ path, method }: Step) => path === '/api/packs/purchase' && method === 'POST'
  const told = new Set(promised.filter(({ step }) => isStart(step)).map(({ body }) => body.id))
  const untold = Map.groupBy(
    [...purchases.values()].filter(({ id }) => !told.has(id)),
    ({ userId }) => userId,
  )
  const lost = Map.groupBy(unheard.filter(isStart), ({ subject }) => users.get(subject)?.id)
  return [...untold].flatMap(([userId, extra]) => {
    const asked = lost.get(userId)?.length ?? 0
    return extra.length <= asked ? [] : [`${userId}: ${extra.length} purchases that nobody asked for`]
  })
}
