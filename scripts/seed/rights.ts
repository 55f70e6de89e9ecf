/** What fans have done with their rights: withdrawals, a limit, a pause and an export of their data. Written once, with the verbs. */
import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm'
import pino from 'pino'
import type { Database, Reader, Transaction } from '../../db/index.ts'
import type { Caller } from '../../src/core/caller.ts'
import { createExportLinks } from '../../src/fan/account/export-links.ts'
import { createExportEncryption, requestExport } from '../../src/fan/account/exports.ts'
import { lockToCount } from '../../src/identity/users/locks.ts'
import { PURCHASE_KINDS } from '../../src/operate/admin/refunds/refund-purchase.ts'
import { writeExports } from '../../src/operate/admin/write-exports.ts'
import { complete } from '../../src/play/purchases/complete.ts'
import { setLimits } from '../../src/play/purchases/own-limits.ts'
import { chargeOf } from '../../src/play/purchases/purchase.ts'
import { refund } from '../../src/play/purchases/refund.ts'
import { changeLine } from '../../src/play/shop/change-line.ts'
import { startCheckout } from '../../src/play/shop/checkout.ts'
import { orderKind } from '../../src/play/shop/order-kind.ts'
import type { LineChange } from '../../src/play/shop/order-schema.ts'
import { withdrawOrder } from '../../src/play/shop/withdraw.ts'
import { MINUTE_MS, readCalendar } from './calendar.ts'
import { CART, CHECKOUT } from './cash.ts'
import { createTill, type SeedParameters } from './groups.ts'
import { createSeedSources, withSources } from './sources.ts'

/** Far from the indexes of fans, and of the other parts. */
const INDEX = 100_000_008
/** After the part before it. It takes four minutes. */
const BEFORE_NOW_MS = 34 * MINUTE_MS
/** Neither the first fans, who have cash, nor those of the tour. */
const [EXPORTS, WITHDRAWS, LIMITS, PAUSES] = ['fan-0020', 'fan-0019', 'fan-0017', 'fan-0013']
const PAUSE_DAYS = 30
const SHIPPED: LineChange[] = [
  { state: 'ready' },
  { state: 'shipped', carrier: 'CTT', tracking: 'MD000190019' },
]

type Parameters = Pick<SeedParameters, 'seed' | 'provider' | 'nativeTokens' | 'instant'>

/** Writes nothing if the fan has withdrawn before, if one of the fans has no record, or if the season was counted by an earlier version. */
export const seedRights = (
  db: Database,
  { seed, provider, nativeTokens, instant }: Parameters,
): Promise<void> =>
  db.write(async real => {
    const fans = await readFans(real, provider.name)
    const [exporting, withdrawing, limited, paused] = [EXPORTS, WITHDRAWS, LIMITS, PAUSES].map(subject =>
      fans.get(subject ?? ''),
    )
    if (!exporting || !withdrawing || !limited || !paused) return
    // A concurrent seed waits here, and then finds the rows of this one.
    await lockToCount(real, withdrawing.userId)
    if ((await hasWithdrawn(real, withdrawing.userId)) || (await isCounted(real))) return
    const calendar = await readCalendar(real, instant ?? real.now())
    const start = new Date(calendar.now.getTime() - BEFORE_NOW_MS)
    const sources = createSeedSources(seed, calendar)(INDEX, start)
    const tx = withSources(real, sources)
    await exportData(tx, exporting, nativeTokens)
    const spending = { amount: 5_000, currency: 'EUR', per: 'month' } as const
    await setLimits(tx, PURCHASE_KINDS, limited, { spending })
    await setLimits(tx, PURCHASE_KINDS, paused, { pauseUntil: calendar.inDays(PAUSE_DAYS).toISOString() })
    const shippedId = await buy(tx, withdrawing, nativeTokens)
    for (const change of SHIPPED) {
      sources.pass(MINUTE_MS)
      await changeLine(tx, shippedId, 1, change)
    }
    const orderId = await buy(tx, withdrawing, nativeTokens)
    sources.pass(MINUTE_MS)
    await withdraw(tx, withdrawing, orderId)
    await refund(tx, orderKind, orderId)
    sources.pass(MINUTE_MS)
    // Refunded when it is back.
    await withdraw(tx, withdrawing, shippedId)
  })

/** By subject. */
async function readFans(reader: Reader, provider: string): Promise<Map<string, Caller>> {
  const { users } = reader.tables
  const rows = await reader
    .select({ userId: users.id, provider: users.provider, subject: users.subject })
    .from(users)
    .where(
      and(
        eq(users.provider, provider),
        inArray(users.subject, [EXPORTS, WITHDRAWS, LIMITS, PAUSES]),
        isNull(users.erasedAt),
        isNull(users.mergedIntoId),
      ),
    )
  return new Map(rows.map(row => [row.subject, { ...row, isNew: false }]))
}

async function hasWithdrawn(reader: Reader, userId: string): Promise<boolean> {
  const { orders, orderLines: lines } = reader.tables
  const found = await reader
    .select({ id: orders.id })
    .from(orders)
    .innerJoin(lines, eq(lines.orderId, orders.id))
    .where(and(eq(orders.userId, userId), isNotNull(lines.withdrawnAt)))
    .limit(1)
  return found.length > 0
}

/** `seedSeasonFigures` has counted what is recorded: nothing of the past can be added. */
async function isCounted(reader: Reader): Promise<boolean> {
  const { seasonFans: fans } = reader.tables
  const found = await reader.select({ id: fans.userId }).from(fans).where(eq(fans.stated, true)).limit(1)
  return found.length > 0
}

/** The fan has changed nothing in this unit of work, so that the file is complete. */
async function exportData(
  tx: Transaction,
  fan: Caller,
  nativeTokens: Parameters['nativeTokens'],
): Promise<void> {
  await requestExport(tx, fan, createExportLinks(nativeTokens.key.d ?? ''))
  const deps = {
    db: { read: tx, write: <T>(work: (same: Transaction) => Promise<T>) => work(tx) },
    log: pino({ level: 'silent' }),
    elapsed: () => 0,
    giveWay: async () => {},
    addressEncryption: createTill(nativeTokens).addressEncryption,
    exportEncryption: createExportEncryption(nativeTokens),
  }
  await writeExports(deps, () => false)
}

async function buy(tx: Transaction, fan: Caller, nativeTokens: Parameters['nativeTokens']): Promise<string> {
  const { addressEncryption: encryption, sandbox } = createTill(nativeTokens)
  const { order } = await startCheckout(tx, fan, CART, { ...CHECKOUT, encryption })
  const row = await orderKind.find(tx, order.id)
  if (!row) throw new Error('an order of the seed does not exist')
  const reference = sandbox.issueReceipt(chargeOf(row), 'paid', tx.newId())
  await complete(tx, PURCHASE_KINDS, orderKind, order.id, { kind: 'money', reference })
  return order.id
}

const withdraw = (tx: Transaction, { userId }: Caller, orderId: string) =>
  withdrawOrder(tx, { orderId, userId }, { isStorePayment: () => false, payOut: () => {} })
