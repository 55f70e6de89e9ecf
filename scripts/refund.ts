/** `bun run refund [PURCHASE [--yes]]`: lists due refunds and refunds purchases. */
import type { Database } from '../db/index.ts'
import { commandLine } from '../src/core/command-line.ts'
import type { Config } from '../src/platform/config/config.ts'
import type { PurchaseRow } from '../src/play/packs/present.ts'
import { packPurchaseKind } from '../src/play/packs/purchase-kind.ts'
import { findPurchase, findUserPackOf } from '../src/play/packs/purchases.ts'
import { listRefundsDue, refundPurchase } from '../src/play/packs/refund.ts'
import { createPayments, findGateway } from '../src/play/purchases/gateways/create.ts'
import type { PaymentGateway } from '../src/play/purchases/gateways/gateway.ts'
import { chargeOf, needsMoney, statusOf } from '../src/play/purchases/purchase.ts'
import { markDue } from '../src/play/purchases/refund.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'refund',
  summary: `Refunds a purchase: points through the ledger, money through the payment gateway.
An unopened pack is taken back and returned to the supply; an opened pack stays with the fan.`,
  examples: [
    ['', 'lists due refunds: payments that arrived after the last pack was sold'],
    ['PURCHASE', 'shows the refund without performing it'],
    ['PURCHASE --yes', 'performs the refund; repeating it has no effect'],
  ],
  changes: true,
})
  .argument('[purchase]', 'id of the purchase')
  .option('--yes', 'perform the refund')

await runCommand(command, async ({ parameters: [purchaseId], options, configuration, openDatabase }) => {
  if (options.yes && purchaseId === undefined) failUsage('--yes requires a purchase')
  if (options.yes && options.dryRun) failUsage('--yes and --dry-run are mutually exclusive')
  const config = await configuration()
  const db = await openDatabase()
  if (purchaseId === undefined) return listDue(db)
  const { changed, ...outcome } = await refund(db, config, purchaseId, options.yes ?? false)
  // Without either option nothing is changed or simulated: no summary.
  return options.yes || options.dryRun ? { ...outcome, changed, textHasSummary: true } : outcome
})

async function listDue(db: Database): Promise<CommandResult> {
  const rows = await listRefundsDue(db.read)
  const lines = rows.map(row => `${row.id}  ${priceOf(row)}  fan ${row.userId}  ${row.paymentReference}`)
  const refundDue = rows.map(row => ({ ...summaryOf(row), status: row.status }))
  return { json: { refundDue }, text: lines.length > 0 ? lines.join('\n') : 'No refunds are due.' }
}

async function refund(db: Database, config: Config, id: string, yes: boolean): Promise<CommandResult> {
  const found = await findPurchase(db.read, id)
  if (!found) return fail(`There is no purchase ${id}.`)
  const status = statusOf(found, db.read.now())
  if (status !== 'completed' && status !== 'refund_due' && status !== 'refunded') {
    return fail(`The purchase is ${status}: nothing was paid.`)
  }
  const pack = await findUserPackOf(db.read, id)
  const opened = pack ? pack.openedAt !== null : false
  const report = { ...summaryOf(found), opened }
  if (status === 'refunded') {
    const at = found.refundedAt?.toISOString() ?? ''
    const json = { ...report, status, done: false }
    return { json, text: `Already refunded at ${at}. Nothing was changed.`, changed: 0 }
  }
  if (!yes) {
    const supplyReturned = pack !== undefined && !opened
    const then = `Nothing was changed. To refund it: ${commandLine('refund')} ${id} --yes`
    const json = { ...report, status, supplyReturned, done: false }
    return { json, text: `${plan(found, pack, opened)}\n${then}`, changed: 1 }
  }
  // Marks the refund as due, pays, then records it. After a crash in between, the purchase is listed as due, and the
  // gateway does not pay twice. A purchase whose refund is due cannot be opened.
  if (needsMoney(found)) {
    const gateway = await gatewayOf(config, found)
    await db.write(tx => markDue(tx, packPurchaseKind, id))
    await gateway.refund(chargeOf(found), found.paymentReference ?? '')
  }
  const refunded = await db
    .write(tx => refundPurchase(tx, id))
    .catch(async error => {
      // A concurrent refund may have completed it.
      if ((await findPurchase(db.read, id))?.status !== 'refunded') throw error
    })
  if (!refunded) return refund(db, config, id, yes)
  const { supplyReturned } = refunded
  const supply = supplyReturned ? 'the pack was returned to the supply' : 'no pack was returned to the supply'
  const json = { ...report, status: 'refunded', supplyReturned, done: true }
  return { json, text: `Refunded ${priceOf(found)}; ${supply}.`, changed: 1 }
}

/** The gateway that received the payment; fails before any change if another one is configured. */
async function gatewayOf(config: Config, { paymentReference }: PurchaseRow): Promise<PaymentGateway> {
  const payments = await createPayments(config, config.nativeTokens.key.d ?? '')
  const gateway = findGateway(payments, paymentReference ?? '')
  if (gateway && !gateway.refunds)
    return fail(
      `Only ${gateway.name} refunds this payment, when the customer asks there; its notification records it.`,
    )
  if (gateway) return gateway
  return fail(
    `PAYMENT_GATEWAY is ${config.payments.gateway}: set it to the gateway that received the payment.`,
  )
}

function plan(purchase: PurchaseRow, pack: object | undefined, opened: boolean): string {
  const consequence = opened ? 'opened: stays with the fan' : 'sealed: taken back and returned to the supply'
  return [
    `Purchase ${purchase.id} (${purchase.status})`,
    `  refunds     ${priceOf(purchase)}${purchase.paymentReference ? ` of ${purchase.paymentReference}` : ''}`,
    `  to fan      ${purchase.userId}`,
    `  pack        ${purchase.packId}, ${pack ? consequence : 'never delivered'}`,
  ].join('\n')
}

function priceOf({ priceAmount, priceCurrency }: PurchaseRow) {
  return `${priceAmount} ${priceCurrency}${priceCurrency === 'POINTS' ? '' : ' (minor units)'}`
}

function summaryOf({ id, packId, userId, priceAmount, priceCurrency, paymentReference }: PurchaseRow) {
  const price = { amount: priceAmount, currency: priceCurrency }
  return { purchaseId: id, packId, userId, price, paymentReference }
}
