/** `bun run refund [PURCHASE [--yes]]`: what is owed to fans, and giving it back. */
import type { Database } from '../db/index.ts'
import type { Config } from '../src/config/config.ts'
import { needsMoney } from '../src/packs/complete-purchase.ts'
import { chargeOf } from '../src/packs/pay.ts'
import { createPayments } from '../src/packs/payments/create.ts'
import type { PaymentGateway } from '../src/packs/payments/gateway.ts'
import { type PurchaseRow, statusOf } from '../src/packs/present.ts'
import { findPurchase, findUserPackOf } from '../src/packs/purchases.ts'
import { listRefundsDue, markRefundDue, refundPurchase } from '../src/packs/refund.ts'
import { declareCommand, type Outcome, runCommand } from './command/command.ts'
import { fail, misuse } from './command/explain.ts'

const command = declareCommand({
  name: 'refund',
  summary: `Gives back what a purchase cost: points by the ledger, money by the payment gateway.
An unopened pack is taken back and goes on sale again; an opened one stays with the fan.`,
  examples: [
    ['', 'lists what is owed: payments that came after the last pack was sold'],
    ['PURCHASE', 'shows what would happen, and changes nothing'],
    ['PURCHASE --yes', 'does it; again, it does nothing'],
  ],
  changes: true,
})
  .argument('[purchase]', 'id of the purchase')
  .option('--yes', 'do it')

await runCommand(command, async ({ parameters: [purchaseId], options, configuration, openDatabase }) => {
  if (options.yes && purchaseId === undefined) misuse('--yes needs a purchase')
  if (options.yes && options.dryRun) misuse('--yes and --dry-run contradict each other')
  const config = await configuration()
  const db = await openDatabase()
  if (purchaseId === undefined) return listDue(db)
  const { changed, ...outcome } = await refund(db, config, purchaseId, options.yes ?? false)
  // Asked for neither, it is a look: there is nothing to sum up.
  return options.yes || options.dryRun ? { ...outcome, changed, told: true } : outcome
})

async function listDue(db: Database): Promise<Outcome> {
  const rows = await listRefundsDue(db.read)
  const lines = rows.map(row => `${row.id}  ${priceOf(row)}  fan ${row.userId}  ${row.paymentReference}`)
  const refundDue = rows.map(row => ({ ...summaryOf(row), status: row.status }))
  return { answer: { refundDue }, text: lines.length > 0 ? lines.join('\n') : 'Nothing is owed.' }
}

async function refund(db: Database, config: Config, id: string, yes: boolean): Promise<Outcome> {
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
    const answer = { ...report, status, done: false }
    return { answer, text: `It was refunded already, at ${at}. Nothing was done.`, changed: 0 }
  }
  if (!yes) {
    const supplyReturned = pack !== undefined && !opened
    const then = `Nothing was changed. To do it: bun run refund ${id} --yes`
    const answer = { ...report, status, supplyReturned, done: false }
    return { answer, text: `${plan(found, pack, opened)}\n${then}`, changed: 1 }
  }
  // The debt first, then the money, then the record. Should this process die in between, the debt stands in the list:
  // run again, the gateway knows that it has paid. Nobody opens a pack meanwhile whose money is under way.
  if (needsMoney(found)) {
    const gateway = await gatewayOf(config, found)
    await db.write(tx => markRefundDue(tx, id))
    await gateway.refund(chargeOf(found), found.paymentReference ?? '')
  }
  const refunded = await db
    .write(tx => refundPurchase(tx, id))
    .catch(async error => {
      // Somebody else may have been first: then there is nothing left to do.
      if ((await findPurchase(db.read, id))?.status !== 'refunded') throw error
    })
  if (!refunded) return refund(db, config, id, yes)
  const { supplyReturned } = refunded
  const supply = supplyReturned ? 'the pack is on sale again' : 'no pack went back on sale'
  const answer = { ...report, status: 'refunded', supplyReturned, done: true }
  return { answer, text: `Refunded ${priceOf(found)}; ${supply}.`, changed: 1 }
}

/** The gateway that took the money; nothing is touched where another is configured. */
async function gatewayOf(config: Config, { paymentReference }: PurchaseRow): Promise<PaymentGateway> {
  const payments = await createPayments(config.payments, config.nativeTokens.key.d ?? '')
  if (payments?.recognizes(paymentReference ?? '')) return payments
  return fail(`PAYMENT_GATEWAY is ${config.payments.gateway}: set the gateway that took the money.`)
}

function plan(purchase: PurchaseRow, pack: object | undefined, opened: boolean): string {
  const fate = opened ? 'opened: stays with the fan' : 'sealed: taken back, and on sale again'
  return [
    `Purchase ${purchase.id} (${purchase.status})`,
    `  gives back  ${priceOf(purchase)}${purchase.paymentReference ? ` of ${purchase.paymentReference}` : ''}`,
    `  to fan      ${purchase.userId}`,
    `  pack        ${purchase.packId}, ${pack ? fate : 'never handed over'}`,
  ].join('\n')
}

function priceOf({ priceAmount, priceCurrency }: PurchaseRow) {
  return `${priceAmount} ${priceCurrency}${priceCurrency === 'POINTS' ? '' : ' (minor units)'}`
}

function summaryOf({ id, packId, userId, priceAmount, priceCurrency, paymentReference }: PurchaseRow) {
  const price = { amount: priceAmount, currency: priceCurrency }
  return { purchaseId: id, packId, userId, price, paymentReference }
}
