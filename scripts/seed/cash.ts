/** Gives cash to some seeded fans with the verbs of the application, once: balances, and holds in every state. */
import { and, asc, eq, isNull, like } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../db/index.ts'
import type { Caller } from '../../src/core/caller.ts'
import { givePromotion } from '../../src/economy/cash/promotions.ts'
import { lockToCount } from '../../src/identity/users/locks.ts'
import { PURCHASE_KINDS } from '../../src/operate/admin/refunds/refund-purchase.ts'
import { cancel } from '../../src/play/purchases/cancel.ts'
import { complete } from '../../src/play/purchases/complete.ts'
import { holdCashFor } from '../../src/play/purchases/pay.ts'
import { chargeOf } from '../../src/play/purchases/purchase.ts'
import { refund } from '../../src/play/purchases/refund.ts'
import { startCheckout } from '../../src/play/shop/checkout.ts'
import { orderKind } from '../../src/play/shop/order-kind.ts'
import { topUpKind } from '../../src/play/top-ups/top-up-kind.ts'
import { startTopUp } from '../../src/play/top-ups/top-ups.ts'
import { type Calendar, MINUTE_MS, readCalendar } from './calendar.ts'
import type { FanRowTerms } from './fan-rows.ts'
import { createTill } from './groups.ts'
import type { Till } from './order-rows.ts'
import { createSeedSources, withSources } from './sources.ts'

/** Far from the indexes of fans and of the society, so that their draws do not change. */
const INDEX = 100_000_001
/** Fans have come to the live match by then. It takes twelve minutes. */
const BEFORE_NOW_MS = 50 * MINUTE_MS
/** The open hold of a demonstration, and a promotion. */
const [HOLD_DAYS, PROMOTION_DAYS] = [2, 60]
const CURRENCY = 'EUR'
const FANS = 4

const ADDRESS = {
  name: 'Ana Ruiz',
  line1: 'Rua do Cais 12',
  city: 'Porto',
  postalCode: '4050-123',
  country: 'PT',
}
/** The product costs euros, and has no limited stock that an open hold would take from others. */
export const CART = {
  lines: [{ productId: 'home-scarf', variantId: 'one-size', quantity: 1 }],
  address: ADDRESS,
}

export const CHECKOUT = {
  openOrdersPerFan: 1_000,
  heldUnitsPerFan: 0,
  orderAddressRetentionDays: 0,
  paidPacks: true,
  sellsFiles: true,
}

type Parameters = Pick<FanRowTerms, 'provider' | 'nativeTokens'> & {
  seed: number
  currencies: readonly string[]
  instant?: Date
}

/** Writes nothing if the first of the fans already has cash, or if euros are not a currency of cash. */
export async function seedCash(
  db: Database,
  { seed, provider, nativeTokens, currencies, instant = db.read.now() }: Parameters,
): Promise<void> {
  if (!currencies.includes(CURRENCY)) return
  await db.write(async tx => {
    const owners = await readOwners(tx, provider.name)
    const [first] = owners
    if (!first || owners.length < FANS) return
    // A concurrent seed waits here, and then finds the rows of this one.
    await lockToCount(tx, first.userId)
    if (await hasCash(tx, first.userId)) return
    const calendar = await readCalendar(tx, instant)
    const start = new Date(calendar.now.getTime() - BEFORE_NOW_MS)
    const sources = createSeedSources(seed, calendar)(INDEX, start)
    const seeded = withSources(tx, sources)
    await write(seeded, owners, createTill(nativeTokens), calendar, () => sources.pass(MINUTE_MS))
  })
}

async function readOwners(reader: Reader, provider: string): Promise<Caller[]> {
  const { users } = reader.tables
  const rows = await reader
    .select({ userId: users.id, provider: users.provider, subject: users.subject })
    .from(users)
    .where(and(eq(users.provider, provider), like(users.subject, 'fan-%'), isNull(users.erasedAt)))
    .orderBy(asc(users.subject))
    .limit(FANS)
  return rows.map(row => ({ ...row, isNew: false }))
}

async function hasCash(reader: Reader, userId: string): Promise<boolean> {
  const { cashAccounts: accounts } = reader.tables
  return (await reader.select().from(accounts).where(eq(accounts.userId, userId)).limit(1)).length > 0
}

async function write(
  tx: Transaction,
  owners: Caller[],
  till: Till,
  { inDays }: Calendar,
  pass: () => void,
): Promise<void> {
  const at = (place: number): Caller => {
    const owner = owners[place]
    if (!owner) throw new Error('too few fans have cash')
    return owner
  }
  for (const [place, amount] of [10_000, 5_000, 2_500, 4_000].entries()) {
    await topUp(tx, at(place), amount, till)
    pass()
  }
  const { userId } = at(0)
  await givePromotion(tx, {
    userId,
    currency: CURRENCY,
    amount: 500,
    ref: `seed-welcome-${userId}`,
    source: 'operator',
    expiresAt: inDays(PROMOTION_DAYS),
    note: 'Welcome to the new season.',
  })

  const held = async (owner: Caller): Promise<string> => {
    pass()
    const encryption = till.addressEncryption
    const started = await startCheckout(tx, owner, CART, { ...CHECKOUT, encryption })
    await holdCashFor(tx, orderKind, owner, started.order.id, [CURRENCY])
    pass()
    return started.order.id
  }
  const captured = async (owner: Caller): Promise<string> => {
    const id = await held(owner)
    await complete(tx, PURCHASE_KINDS, orderKind, id, { kind: 'own' })
    return id
  }
  await captured(at(0))
  await refund(tx, orderKind, await captured(at(1)))
  await cancel(tx, orderKind, at(2), await held(at(2)))
  await keepOpen(tx, await held(at(3)), inDays(HOLD_DAYS))
}

async function topUp(tx: Transaction, owner: Caller, amount: number, { sandbox }: Till): Promise<void> {
  const { id: topUpId } = await startTopUp(tx, owner, { amount, currency: CURRENCY }, [CURRENCY])
  const row = await topUpKind.find(tx, topUpId)
  if (!row) throw new Error('a top-up of the seed does not exist')
  const reference = sandbox.issueReceipt(chargeOf(row), 'paid', tx.newId())
  await complete(tx, PURCHASE_KINDS, topUpKind, topUpId, { kind: 'money', reference })
}

async function keepOpen(tx: Transaction, orderId: string, until: Date): Promise<void> {
  const { orders, orderLines, cashHolds } = tx.tables
  await tx.update(orders).set({ expiresAt: until }).where(eq(orders.id, orderId))
  await tx.update(orderLines).set({ holdUntil: until }).where(eq(orderLines.orderId, orderId))
  await tx.update(cashHolds).set({ expiresAt: until }).where(eq(cashHolds.purchaseId, orderId))
}
