/** Refunds of withdrawals that a gateway makes: after the commit, and again by a background task until the gateway has refunded. */
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { findGateway, type Payments } from '../purchases/gateways/create.ts'
import { NO_GATEWAY, notRefundable } from '../purchases/gateways/gateway.ts'
import { refundWithGateway } from '../purchases/refund-money.ts'
import { orderKind } from './order-kind.ts'
import { findOrder, readLines } from './order-rows.ts'
import { type OrderRefund, readRefunds, settlePart } from './refund-lines.ts'
import { listPartsDue } from './refund-parts.ts'

export interface PayOutDeps {
  db: Database
  payments: Payments
  log: Logger
}

const AT_ONCE = 100

/** Not awaited by requests: what fails stays due. */
export const payOutLater = (deps: PayOutDeps) => (orderId: string) => {
  payOutOrder(deps, orderId).catch(error => logFailed(deps, orderId, error))
}

/** Pays what is due for the withdrawals from an order. */
export async function payOutOrder(deps: PayOutDeps, orderId: string): Promise<void> {
  for (const part of await readRefunds(deps.db.read, orderId)) await payOutPart(deps, part)
  const order = await findOrder(deps.db.read, orderId)
  const lines = await readLines(deps.db.read, orderId)
  // The other due refunds are for the operator to decide.
  if (order?.status !== 'refund_due' || lines.some(({ withdrawnAt }) => withdrawnAt === null)) return
  const { db, payments } = deps
  const source = { read: db.read, loadPayments: async () => payments }
  await refundWithGateway({ ...source, write: work => db.write(work) }, orderKind, order)
}

/** Several processes can ask the gateway for the same refund, which it makes once. */
async function payOutPart({ db, payments }: PayOutDeps, part: OrderRefund): Promise<void> {
  if (part.state !== 'due') return
  const order = await findOrder(db.read, part.orderId)
  const reference = order?.paymentReference ?? ''
  const gateway = findGateway(payments, reference)
  if (!order || !gateway) throw notRefundable(NO_GATEWAY)
  const { priceCurrency: currency, expiresAt } = order
  await gateway.refund(
    { purchaseId: part.id, amount: part.amount, currency, expiresAt, isPart: true },
    reference,
  )
  await db.write(tx => settlePart(tx, part.id, 'refunded'))
}

/** Pays all that is due. What fails is logged, and stays due. */
export async function payOutDue(deps: PayOutDeps, stopping: () => boolean): Promise<void> {
  const parts = await listPartsDue(deps.db.read, AT_ONCE)
  const whole = (await orderKind.listRefundsDue(deps.db.read)).slice(0, AT_ONCE)
  const ids = new Set([...parts.map(({ purchase }) => purchase.id), ...whole.map(({ id }) => id)])
  for (const orderId of ids) {
    if (stopping()) return
    await payOutOrder(deps, orderId).catch(error => logFailed(deps, orderId, error))
  }
}

function logFailed({ log }: PayOutDeps, orderId: string, error: unknown): void {
  const code = error instanceof DomainError ? error.code : undefined
  log.error({ orderId, code, error }, 'a refund of a withdrawal was not made, and stays due')
}
