/** `bun run refund [ID [--yes]]`: lists due refunds, and refunds purchases and orders. */
import type { Database } from '../db/index.ts'
import { commandLine } from '../src/core/command-line.ts'
import {
  findRefundable,
  PURCHASE_KINDS,
  refundPurchase,
} from '../src/operate/admin/refunds/refund-purchase.ts'
import type { Config } from '../src/platform/config/config.ts'
import { createPayments } from '../src/play/purchases/gateways/create.ts'
import type { Goods } from '../src/play/purchases/kind.ts'
import { type Purchase, restOf } from '../src/play/purchases/purchase.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { failUsage } from './command/explain.ts'

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
  for (const kind of PURCHASE_KINDS)
    for (const row of await kind.listRefundsDue(db.read)) {
      lines.push(`${row.id}  ${priceOf(row)}  fan ${row.userId}  ${row.paymentReference}`)
      const { members } = await kind.readGoods(db.read, row)
      refundDue.push({ ...summaryOf(row), kind: kind.name, ...members, status: row.status })
    }
  const partsDue = []
  for (const kind of PURCHASE_KINDS)
    for (const { id, amount, purchase } of (await kind.listPartsDue?.(db.read)) ?? []) {
      const part = { ...purchase, id, priceAmount: amount, refundedAmount: 0 }
      lines.push(
        `${id}  ${priceOf(part)} of a withdrawal, which the server repeats  fan ${purchase.userId}  ${purchase.paymentReference}`,
      )
      partsDue.push({ ...summaryOf(part), purchaseId: purchase.id, partId: id, kind: kind.name })
    }
  return { json: { refundDue, partsDue }, text: lines.length > 0 ? lines.join('\n') : 'No refunds are due.' }
}

async function refundOne(db: Database, config: Config, id: string, yes: boolean): Promise<CommandResult> {
  const { kind, purchase, status } = await findRefundable(db.read, id)
  const goods = await kind.readGoods(db.read, purchase)
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
    return { json, text: `${plan(kind.noun, purchase, goods.consequences)}\n${then}`, changed: 1 }
  }
  const refunded = await refundPurchase(
    {
      read: db.read,
      write: work => db.write(work),
      loadPayments: () => createPayments(config, config.nativeTokens.key.d ?? ''),
    },
    id,
  )
  // A concurrent refund has completed it.
  if (!refunded) return refundOne(db, config, id, yes)
  const { supplyReturned } = refunded
  const json = { ...report, status: 'refunded', supplyReturned, done: true }
  const text = `Refunded ${priceOf(purchase)}; ${kind.describeReturn(supplyReturned)}.`
  return { json, text, changed: 1 }
}

function plan(noun: string, purchase: Purchase, goods: Goods['consequences']): string {
  const { id, status, userId, paymentReference } = purchase
  return [
    `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${id} (${status})`,
    `  refunds     ${priceOf(purchase)}${paymentReference ? ` of ${paymentReference}` : ''}`,
    `  to fan      ${userId}`,
    ...goods.map(({ item, consequence }) => `  ${item.padEnd(12)}${consequence}`),
  ].join('\n')
}

/** What is left to refund. */
function priceOf(purchase: Purchase) {
  const { priceCurrency } = purchase
  return `${restOf(purchase)} ${priceCurrency}${priceCurrency === 'POINTS' ? '' : ' (minor units)'}`
}

function summaryOf(purchase: Purchase) {
  const { id, userId, priceCurrency, paymentReference } = purchase
  const price = { amount: restOf(purchase), currency: priceCurrency }
  return { purchaseId: id, userId, price, paymentReference }
}
