/** `bun run refund [PURCHASE [--yes]]`: what is owed to fans, and giving it back. */
import { parseArgs } from 'node:util'
import { openDatabase } from '../db/index.ts'
import { parseConfig } from '../src/config.ts'
import { withDevelopmentSecrets } from '../src/development-secrets.ts'
import { isPricedInPoints } from '../src/packs/complete-purchase.ts'
import { chargeOf } from '../src/packs/pay.ts'
import { createPayments } from '../src/packs/payments/create.ts'
import type { PaymentGateway } from '../src/packs/payments/gateway.ts'
import { type PurchaseRow, statusOf } from '../src/packs/present.ts'
import { findPurchase, findUserPackOf } from '../src/packs/purchases.ts'
import { listRefundsDue, oweRefund, refundPurchase } from '../src/packs/refund.ts'
import { DomainError } from '../src/problems.ts'
import { realSources } from '../src/sources.ts'
import { fail } from './terminal.ts'

const usage = `Gives back what a purchase cost: points by the ledger, money by the payment gateway.
An unopened pack is taken back and goes on sale again; an opened one stays with the fan.

  bun run refund                    lists what is owed: payments that came after the last pack was sold
  bun run refund PURCHASE           shows what would happen, and changes nothing
  bun run refund PURCHASE --yes     does it; again, it does nothing
  bun run refund [PURCHASE] --json  the same for machines

Leaves with 0 when it is done (now or before), 1 when it cannot be done, 2 when it is called wrongly.
`

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { yes: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
    })
    const [purchaseId, ...more] = positionals
    if (more.length === 0 && (purchaseId !== undefined || !values.yes)) return { ...values, purchaseId }
  } catch {
    // An option that there is not.
  }
  process.stderr.write(usage)
  process.exit(2)
}

const { purchaseId, yes = false, json = false, help } = readArguments()
if (help) {
  process.stdout.write(usage)
  process.exit(0)
}
const say = (machine: unknown, human: string) =>
  process.stdout.write(`${json ? JSON.stringify(machine) : human}\n`)

const config = await withDevelopmentSecrets(process.env).then(parseConfig).catch(leave)
const db = openDatabase(config.databaseUrl, realSources)
await (purchaseId === undefined ? listDue() : refund(purchaseId)).catch(leave)
await db.close()

async function listDue() {
  const rows = await listRefundsDue(db.read)
  const lines = rows.map(row => `${row.id}  ${priceOf(row)}  fan ${row.userId}  ${row.paymentReference}`)
  const due = rows.map(row => ({ ...summaryOf(row), status: row.status }))
  say({ refundDue: due }, lines.length > 0 ? lines.join('\n') : 'Nothing is owed.')
}

async function refund(id: string) {
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
    return say({ ...report, status, done: false }, `It was refunded already, at ${at}. Nothing was done.`)
  }
  if (!yes) {
    const supplyReturned = pack !== undefined && !opened
    const then = `Nothing was changed. To do it: bun run refund ${id} --yes`
    return say({ ...report, status, supplyReturned, done: false }, `${plan(found, pack, opened)}\n${then}`)
  }
  // The debt first, then the money, then the record. Should this process die in between, the debt stands in the list:
  // run again, the gateway knows that it has paid. Nobody opens a pack meanwhile whose money is under way.
  if (!isPricedInPoints(found)) {
    const gateway = await gatewayOf(found)
    await db.write(tx => oweRefund(tx, id))
    await gateway.refund(chargeOf(found), found.paymentReference ?? '')
  }
  const refunded = await db
    .write(tx => refundPurchase(tx, id))
    .catch(async error => {
      // Somebody else may have been first: then there is nothing left to do.
      if ((await findPurchase(db.read, id))?.status !== 'refunded') throw error
    })
  if (!refunded) return refund(id)
  const { supplyReturned } = refunded
  const supply = supplyReturned ? 'the pack is on sale again' : 'no pack went back on sale'
  say({ ...report, status: 'refunded', supplyReturned, done: true }, `Refunded ${priceOf(found)}; ${supply}.`)
}

/** The gateway that took the money; nothing is touched where another is configured. */
async function gatewayOf({ paymentReference }: PurchaseRow): Promise<PaymentGateway> {
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

function leave(error: unknown): never {
  if (error instanceof DomainError)
    return fail(`${error.code}: ${error.explanation.detail ?? 'try again later'}`)
  return fail(error instanceof Error ? error.message : String(error))
}
