/** `bun run refund [ID [--yes]]`: lists due refunds, and refunds purchases and orders. */
import type { Database } from '../db/index.ts'
import { commandLine } from '../src/core/command-line.ts'
import type { Config } from '../src/platform/config/config.ts'
import { findOfKinds } from '../src/play/purchases/find.ts'
import { createPayments, findGateway } from '../src/play/purchases/gateways/create.ts'
import type { PaymentGateway } from '../src/play/purchases/gateways/gateway.ts'
import { chargeOf, isPaidByGateway, type Purchase, statusOf } from '../src/play/purchases/purchase.ts'
import { markDue, refund } from '../src/play/purchases/refund.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'
import { describeGoods, goodsOf, KINDS } from './refund/goods.ts'

const command = declareCommand({
  name: 'refund',
  summary: `Refunds a purchase of a pack, an order or a top-up: points and cash through their ledgers, money through the gateway.
What was not used is taken back and returned to the stock: unopened packs, vouchers, what is not shipped yet.`,
  examples: [
    ['', 'lists due refunds: payments that arrived after the stock was sold'],
    ['ID', 'shows the refund without performing it'],
    ['ID --yes', 'performs the refund; repeating it has no effect'],
  ],
  changes: true,
})
  .argument('[purchase]', 'id of the purchase, the order or the top-up')
  .option('--yes', 'perform the refund')

await runCommand(command, async ({ parameters: [purchaseId], options, configuration, openDatabase }) => {
  if (options.yes && purchaseId === undefined) failUsage('--yes requires a purchase')
  if (options.yes && options.dryRun) failUsage('--yes and --dry-run are mutually exclusive')
  const config = await configuration()
  const db = await openDatabase()
  if (purchaseId === undefined) return listDue(db)
  const { changed, ...outcome } = await refundOne(db, config, purchaseId, options.yes ?? false)
  // Without either option nothing is changed or simulated: no summary.
  return options.yes || options.dryRun ? { ...outcome, changed, textHasSummary: true } : outcome
})

async function listDue(db: Database): Promise<CommandResult> {
  const refundDue = []
  const lines = []
  for (const kind of KINDS)
    for (const row of await kind.listRefundsDue(db.read)) {
      lines.push(`${row.id}  ${priceOf(row)}  fan ${row.userId}  ${row.paymentReference}`)
      const { members } = await goodsOf(db.read, kind, row)
      refundDue.push({ ...summaryOf(row), kind: kind.name, ...members, status: row.status })
    }
  return { json: { refundDue }, text: lines.length > 0 ? lines.join('\n') : 'No refunds are due.' }
}

async function refundOne(db: Database, config: Config, id: string, yes: boolean): Promise<CommandResult> {
  const found = await findOfKinds(db.read, KINDS, id)
  if (!found) return fail(`There is no purchase ${id}.`)
  const { kind, purchase } = found
  const status = statusOf(purchase, db.read.now())
  if (status !== 'completed' && status !== 'refund_due' && status !== 'refunded') {
    return fail(`The ${kind.noun} is ${status}: nothing was paid.`)
  }
  const goods = await goodsOf(db.read, kind, purchase)
  const report = { ...summaryOf(purchase), kind: kind.name, ...goods.members }
  if (status === 'refunded') {
    const at = purchase.refundedAt?.toISOString() ?? ''
    const json = { ...report, status, done: false }
    return { json, text: `Already refunded at ${at}. Nothing was changed.`, changed: 0 }
  }
  if (!yes) {
    const { supplyReturned } = goods
    const then = `Nothing was changed. To refund it: ${commandLine('refund')} ${id} --yes`
    const json = { ...report, status, supplyReturned, done: false }
    return { json, text: `${plan(kind.noun, purchase, goods.lines)}\n${then}`, changed: 1 }
  }
  // Marks the refund as due, pays, then records it. After a crash in between, the purchase is listed as due, and the
  // gateway does not pay twice. What is taken back cannot be used meanwhile.
  if (isPaidByGateway(purchase)) {
    const gateway = await gatewayOf(config, purchase)
    await db.write(tx => markDue(tx, kind, id))
    await gateway.refund(chargeOf(purchase), purchase.paymentReference ?? '')
  }
  const refunded = await db
    .write(tx => refund(tx, kind, id))
    .catch(async error => {
      // A concurrent refund may have completed it.
      const now: Purchase | undefined = await kind.find(db.read, id)
      if (now?.status !== 'refunded') throw error
    })
  if (!refunded) return refundOne(db, config, id, yes)
  const { supplyReturned } = refunded
  const json = { ...report, status: 'refunded', supplyReturned, done: true }
  const text = `Refunded ${priceOf(purchase)}; ${describeGoods(kind, supplyReturned)}.`
  return { json, text, changed: 1 }
}

/** The gateway that received the payment; fails before any change if another one is configured. */
async function gatewayOf(config: Config, { paymentReference }: Purchase): Promise<PaymentGateway> {
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

function plan(noun: string, purchase: Purchase, goods: string[]): string {
  const { id, status, userId, paymentReference } = purchase
  return [
    `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${id} (${status})`,
    `  refunds     ${priceOf(purchase)}${paymentReference ? ` of ${paymentReference}` : ''}`,
    `  to fan      ${userId}`,
    ...goods,
  ].join('\n')
}

function priceOf({ priceAmount, priceCurrency }: Purchase) {
  return `${priceAmount} ${priceCurrency}${priceCurrency === 'POINTS' ? '' : ' (minor units)'}`
}

function summaryOf({ id, userId, priceAmount, priceCurrency, paymentReference }: Purchase) {
  const price = { amount: priceAmount, currency: priceCurrency }
  return { purchaseId: id, userId, price, paymentReference }
}
