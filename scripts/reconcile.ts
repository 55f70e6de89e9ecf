/** `bun run reconcile [--since INSTANT]`: compares the payments and refunds of Stripe with those of this server. */

import { packPurchaseKind } from '../src/play/packs/purchase-kind.ts'
import { createPayments } from '../src/play/purchases/gateways/create.ts'
import { type Difference, type Money, reconcile } from '../src/play/purchases/reconcile.ts'
import { orderKind } from '../src/play/shop/order-kind.ts'
import { declareCommand, instant, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'
import { Interrupted, stoppable } from './command/stop.ts'

const DAYS = 30
/** A command can wait longer than a fan. */
const PATIENCE = { deadlineMs: 30_000, retries: 4 }

const command = declareCommand({
  name: 'reconcile',
  reads: true,
  summary: `Compares the payments and refunds that Stripe has recorded with those of this server, and names every difference.
Changes nothing, here and at Stripe.`,
  examples: [
    ['', `compares the last ${DAYS} days`],
    ['--since 2026-08-01', 'compares what was created since that day'],
    ['--json', 'as JSON, with the amounts of both sides'],
  ],
  notes: `Payments of the last ten minutes that are not complete here are counted, not reported: they may be in progress.
Payments at Stripe without a purchase belong to other users of the account, and are left out.`,
}).option('--since <instant>', `start of the period (default: ${DAYS} days ago)`, instant)

await runCommand(command, async ({ options, configuration, openDatabase, progress }) => {
  const config = await configuration()
  const { gateway } = config.payments
  const { stripe } = await createPayments(config, '', PATIENCE)
  if (!stripe) fail(`PAYMENT_GATEWAY is ${gateway}: only Stripe has a list of payments to compare with.`)
  const db = await openDatabase()
  const now = db.read.now()
  const since = options.since ?? new Date(now.getTime() - DAYS * 86_400_000)
  const { records, recognizes } = stripe
  const source = { reader: db.read, kinds: [packPurchaseKind, orderKind], records, recognizes }
  const differences: Difference[] = []
  const onProgress = progress('records')
  const report = await stoppable(requested =>
    reconcile(source, {
      since,
      now,
      onDifference: difference => void differences.push(difference),
      onProgress(done) {
        onProgress(done)
        const signal = requested()
        if (signal) throw new Interrupted(signal, done)
      },
    }),
  ).finally(() => onProgress.end())
  const { payments, refunds, here, recent } = report
  const compared = `${payments} payments and ${refunds} refunds of Stripe with ${here} payments here, since ${since.toISOString()}`
  const lines = [
    ...differences.map(describe),
    ...(recent > 0 ? [`${recent} of the last ten minutes left out.`] : []),
    `${differences.length || 'No'} differences. Compared ${compared}.`,
  ]
  return {
    json: { gateway, since: since.toISOString(), ...report, found: differences.length, differences },
    text: lines.join('\n'),
    found: differences.length > 0,
  }
})

function describe(difference: Difference): string {
  const { reference, purchaseId } = difference
  return `${reference}  purchase ${purchaseId}  ${meaningOf(difference)}`
}

function text({ amount, currency }: Money): string {
  return `${amount} ${currency}`
}

function meaningOf(difference: Difference): string {
  switch (difference.kind) {
    case 'payment_unknown_here': {
      const { gateway, purchaseStatus } = difference
      const purchase =
        purchaseStatus === null ? 'there is no such purchase' : `the purchase is ${purchaseStatus}`
      return `paid ${text(gateway)} at Stripe, unknown here: ${purchase}`
    }
    case 'payment_missing_there':
      return `paid ${text(difference.here)} here, not paid at Stripe`
    case 'payment_differs': {
      const { here, gateway } = difference
      return `paid ${text(here)} for ${here.purchaseId} here, ${text(gateway)} at Stripe`
    }
    case 'refund_unknown_here':
      return `refunded ${text(difference.gateway)} of ${text(difference.here)} at Stripe, not refunded here`
    case 'refund_missing_there':
      return `refunded ${text(difference.here)} here, not refunded at Stripe`
    case 'refund_differs':
      return `refunded ${text(difference.here)} here, ${text(difference.gateway)} at Stripe`
  }
}
