/** Packs on sale, and fans who stay signed in while a test moves the clock. */
import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Tables } from '../../../db/index.ts'
import { findUser } from '../../../src/identity/users/users.ts'
import { packsTag } from '../../../src/platform/cache/tags.ts'
import { statusOf } from '../../../src/play/purchases/purchase.ts'
import type { Answer, Client } from '../../support/client.ts'
import type { Fan, World } from '../../support/world.ts'

export const MINUTE = 60_000
export const HOLD = 15 * MINUTE
export const DAY = 86_400_000

type PackColumns = Tables['packs']['$inferInsert']
type Schedule = Partial<Pick<PackColumns, 'active' | 'startsAt' | 'endsAt' | 'itemsPerPack' | 'taxRate'>>

export interface NewPack extends Schedule {
  id?: string
  /** 100 points unless told otherwise. */
  price?: { amount: number; currency: string }
  /** Without limit unless told otherwise. */
  supply?: number | null
  /** Weights in millionths by rarity: one collectible each, `PACK-RARITY`. */
  weights?: Record<string, number>
}

export const EUROS = { amount: 499, currency: 'EUR' }
export const FREE = { amount: 0, currency: 'POINTS' }
const WEIGHTS = { common: 700_000, rare: 250_000, epic: 50_000 }
let made = 0

/** A pack with collectibles of its own; answers its id. */
export async function addPack({ db }: Pick<World, 'db'>, fields: NewPack = {}): Promise<string> {
  const { price = { amount: 100, currency: 'POINTS' }, supply = null, weights = WEIGHTS, ...columns } = fields
  const id = fields.id ?? `pack-${String(++made).padStart(4, '0')}`
  const at = { createdAt: db.read.now(), updatedAt: db.read.now() }
  await db.write(async tx => {
    const { packs, collectibles, packItems } = tx.tables
    const row = {
      name: id,
      description: id,
      itemsPerPack: 3,
      active: true,
      supplyTotal: supply,
      supplySold: 0,
    }
    const priced = { priceAmount: price.amount, priceCurrency: price.currency }
    tx.invalidate(packsTag)
    await tx.insert(packs).values({ ...row, ...priced, ...at, ...columns, id })
    for (const [rarity, weight] of Object.entries(weights)) {
      const item = { id: `${id}-${rarity}`, name: rarity, description: rarity, rarity, minted: 0 }
      await tx.insert(collectibles).values({ ...item, ...at })
      await tx.insert(packItems).values({ packId: id, collectibleId: item.id, weight })
    }
  })
  return id
}

/** A fan whose token outlives every hold. */
export async function patientFan(world: World, points = 0): Promise<Fan> {
  const { subject } = await world.fan()
  const token = await world.idp.issueToken(subject, { expiresIn: 365 * 86_400 })
  if (points > 0) await world.grant({ subject }, points)
  return { subject, token, ...world.withToken(token) }
}

export const start = (fan: Client, packId: string) => fan.post('/api/packs/purchase', { packId })

export const complete = (fan: Client, purchaseId: string, paymentReference?: string) =>
  fan.put('/api/packs/purchase', {
    purchaseId,
    ...(paymentReference === undefined ? {} : { paymentReference }),
  })

export const cancel = (fan: Pick<Client, 'post'>, purchaseId: string, headers?: Record<string, string>) =>
  fan.post(`/api/packs/purchases/${purchaseId}/cancel`, undefined, headers)

export const open = (fan: Client, userPackId: string, clientSeed?: string) =>
  fan.post('/api/packs/open', { userPackId, ...(clientSeed === undefined ? {} : { clientSeed }) })

/** A receipt of the sandbox for this purchase. */
export async function receipt(fan: Client, purchaseId: string, kind = 'paid'): Promise<string> {
  return expectStatus(201, await fan.post('/api/sandbox/receipts', { purchaseId, kind })).paymentReference
}

/** Starts and completes with points; answers the purchase. */
export async function buy(fan: Client, packId: string) {
  const { id } = expectStatus(201, await start(fan, packId))
  return expectStatus(200, await complete(fan, id))
}

/** Starts and completes with money; answers the purchase. */
export async function buyWithMoney(fan: Client, packId: string) {
  const { id } = expectStatus(201, await start(fan, packId))
  return expectStatus(200, await complete(fan, id, await receipt(fan, id)))
}

/** The body of a successful response. */
export function expectStatus(status: number, answer: Answer): Answer['body'] {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

export const refusal = ({ status, body }: Answer) => [status, body.code]

/** The remaining supply of a pack in the public list. */
export async function remaining(world: World, packId: string): Promise<number> {
  return expectStatus(200, await world.anonymous.get(`/api/packs/${packId}`)).supply.remaining
}

export async function balanceOf(fan: Client): Promise<{ balance: number; lifetime: number }> {
  const { balance, lifetime } = expectStatus(200, await fan.get('/api/user/points'))
  return { balance, lifetime }
}

/** The fan's entries of one reason, newest first. */
export async function entriesOf(fan: Client, reason: string): Promise<{ delta: number; ref: string }[]> {
  const { entries } = expectStatus(200, await fan.get('/api/user/points'))
  return entries.filter((entry: { reason: string }) => entry.reason === reason)
}

/** The stored purchases with secrets, of one pack or of all. */
export async function purchaseRows({ db }: Pick<World, 'db'>, packId?: string) {
  const rows = await db.read.select().from(db.tables.packPurchases)
  return packId === undefined ? rows : rows.filter(row => row.packId === packId)
}

/** The fan's pack that came of a purchase; an id of nothing when none did. */
export async function userPackIdOf({ db }: Pick<World, 'db'>, purchaseId: string): Promise<string> {
  const { userPacks } = db.tables
  const [row] = await db.read.select().from(userPacks).where(eq(userPacks.purchaseId, purchaseId))
  return row?.id ?? 'not-handed-over'
}

/** Invariants of a pack: sold packs were handed over, and sold and held ones together do not exceed the supply. */
export async function checkSupply({ db }: Pick<World, 'db'>, packId: string, now: Date): Promise<void> {
  const { packs, userPacks, userItems } = db.tables
  const [pack] = await db.read.select().from(packs).where(eq(packs.id, packId))
  const purchases = await purchaseRows({ db }, packId)
  const owned = await db.read.select().from(userPacks).where(eq(userPacks.packId, packId))
  const sold = owned.filter(({ revokedAt }) => !revokedAt).length
  const held = purchases.filter(purchase => statusOf(purchase, now) === 'pending').length
  expect(pack?.supplySold).toBe(sold)
  expect(sold + held).toBeLessThanOrEqual(pack?.supplyTotal ?? Number.POSITIVE_INFINITY)
  const completed = purchases.filter(({ completedAt }) => completedAt).map(({ id }) => id)
  expect(owned.map(({ purchaseId }) => purchaseId).toSorted()).toEqual(completed.toSorted())
  for (const { id, openedAt } of owned) {
    const items = await db.read.select().from(userItems).where(eq(userItems.userPackId, id))
    expect(items).toHaveLength(openedAt ? (pack?.itemsPerPack ?? 0) : 0)
  }
}

export async function userIdOf({ db, config }: World, { subject }: Pick<Fan, 'subject'>) {
  return (await findUser(db.read, { provider: config.identity.name, subject }))?.id
}

/** Invariants of a fan's points: the balance is the sum of the entries, and was never below zero. */
export async function checkLedger(world: World, fan: Fan): Promise<void> {
  const { db } = world
  const { pointsAccounts, pointsEntries } = db.tables
  const userId = (await userIdOf(world, fan)) ?? ''
  const [account] = await db.read.select().from(pointsAccounts).where(eq(pointsAccounts.userId, userId))
  const entries = await db.read.select().from(pointsEntries).where(eq(pointsEntries.userId, userId))
  expect(account?.balance).toBe(entries.reduce((sum, { delta }) => sum + delta, 0))
  expect(Math.min(...entries.map(({ balanceAfter }) => balanceAfter))).toBeGreaterThanOrEqual(0)
}
