import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Caller } from '../../../core/caller.ts'
import { DomainError } from '../../../core/problems.ts'
import { Closed, IdReference, OneOf } from '../../../core/schemas.ts'
import type { AppSources } from '../../../core/sources.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import { Type } from '../../../core/typebox.ts'
import { type FanDeps, fans } from '../../../identity/auth/groups.ts'
import { signed } from '../../../platform/http/contract/group.ts'
import { operation } from '../../../platform/http/contract/operation.ts'
import { needsMoney } from '../complete-purchase.ts'
import { cancelled, chargeOf, paidTooLate } from '../pay.ts'
import { statusOf } from '../present.ts'
import { packProblems } from '../problems.ts'
import { requirePurchase } from '../purchases.ts'
import type { Payments } from './create.ts'
import { NO_GATEWAY, notConfirmed, PreparedPayment } from './gateway.ts'
import { receiptKinds, type Sandbox } from './sandbox.ts'
import type { StripeGateway } from './stripe.ts'
import { completePaidIntent } from './stripe-webhook.ts'

type PaymentDeps = FanDeps & {
  log: Logger
  now: AppSources['now']
  payments: Payments
}

const PurchaseReference = Closed(
  { purchaseId: IdReference('The `id` of the purchase.') },
  { title: 'PurchaseReference' },
)

const examplePurchase = { purchaseId: '01981e2c-7c1f-7000-8000-000000000003' }

const prepareRoute = (deps: PaymentDeps) =>
  fans(deps, { prefix: '/api/packs/purchase', tag: 'Packs' }).post(
    '/payment',
    ({ body, caller, set, write }) => {
      set.headers['Cache-Control'] = 'no-store'
      return write(async (_, prepared) => prepared, {
        prepare: () => preparePayment(deps, caller, body.purchaseId),
        secret: true,
      })
    },
    operation({
      id: 'preparePayment',
      limit: 'purchases',
      summary: 'Prepare the payment of a purchase',
      description:
        'For a pending purchase with a price in money. Returns the data that the payment gateway’s client library needs; a repeat returns the same data. `no_payment_needed`: the purchase is paid, free or priced in points, and is completed without a payment reference.',
      body: PurchaseReference,
      responses: { 200: PreparedPayment },
      problems: preparePayment.problems,
      examples: {
        body: examplePurchase,
        200: { gateway: 'stripe', paymentReference: 'pi_3PqR', clientSecret: 'pi_3PqR_secret_x' },
      },
    }),
  )

async function preparePayment({ db, payments, now }: PaymentDeps, caller: Caller, purchaseId: string) {
  const purchase = await requirePurchase(db.read, caller, purchaseId)
  const status = statusOf(purchase, now())
  // A fan must not pay for a purchase that is paid, or that can no longer be completed.
  if (status === 'completed') throw new DomainError(packProblems.no_payment_needed)
  if (status === 'refund_due') throw paidTooLate()
  if (status === 'refunded')
    throw new DomainError(packProblems.purchase_expired, {
      detail: 'The purchase is refunded; start another.',
    })
  if (status === 'cancelled') throw cancelled()
  if (status !== 'pending') throw new DomainError(packProblems.purchase_expired)
  if (!needsMoney(purchase)) throw new DomainError(packProblems.no_payment_needed)
  if (!payments) throw notConfirmed(NO_GATEWAY)
  return payments.prepare(chargeOf(purchase))
}
preparePayment.problems = [
  ...requirePurchase.problems,
  packProblems.purchase_expired,
  packProblems.purchase_not_pending,
  packProblems.no_payment_needed,
  packProblems.payment_not_confirmed,
  packProblems.payment_gateway_unavailable,
] as const

/** Development only: makes receipts of every kind, to test clients. */
const sandboxRoute = (deps: PaymentDeps, sandbox: Sandbox) =>
  fans(deps, { prefix: '/api/sandbox', tag: 'Packs' }).post(
    '/receipts',
    ({ body, caller, status, write }) =>
      write(async tx => {
        const { purchaseId, kind = 'paid' } = body
        const purchase = await requirePurchase(tx, caller, purchaseId)
        const paymentReference = sandbox.issueReceipt(chargeOf(purchase), kind, tx.newId())
        return status(201, { paymentReference })
      }),
    operation({
      id: 'issueSandboxReceipt',
      summary: 'Create a receipt of the sandbox gateway',
      description: 'Not in production. To test a reused receipt, use a `paid` receipt for a second purchase.',
      body: Closed(
        {
          ...PurchaseReference.properties,
          kind: Type.Optional(OneOf(receiptKinds, { description: 'Kind of receipt.', default: 'paid' })),
        },
        { title: 'SandboxReceiptRequest' },
      ),
      responses: {
        201: Closed(
          {
            paymentReference: Type.String({
              description: 'The `paymentReference` to complete the purchase with.',
            }),
          },
          { title: 'SandboxReceipt' },
        ),
      },
      problems: requirePurchase.problems,
      examples: {
        body: { ...examplePurchase, kind: 'paid' },
        201: { paymentReference: 'eyJwdXJjaGFzZUlkIjoi.c2lnbmF0dXJl' },
      },
    }),
  )

const stripeRoute = ({ db, log, now }: PaymentDeps, stripe: StripeGateway) =>
  signed({ prefix: '/api/webhooks', tag: 'Webhooks' }, async (headers, body) => ({
    paid: await stripe.readEvent(body, headers.get('stripe-signature') ?? '', now()),
  })).post(
    '/stripe',
    async ({ paid, status }) => {
      if (paid) await completePaidIntent({ db, log }, stripe, paid)
      return status(204, undefined)
    },
    operation({
      id: 'receiveStripeEvent',
      open: true,
      idempotencyKey: 'none',
      summary: 'Receive an event of Stripe',
      description:
        'Called by Stripe, signed with STRIPE_WEBHOOK_SECRET. `payment_intent.succeeded` completes the purchase; other events are accepted and ignored.',
      body: Type.Object(
        { type: Type.String({ maxLength: 200 }) },
        { title: 'StripeEvent', additionalProperties: true },
      ),
      responses: { 204: Type.Void({ description: 'Taken.' }) },
      problems: [transportProblems.invalid_signature, ...completePaidIntent.problems],
      examples: { body: { type: 'payment_intent.succeeded' } },
    }),
  )

/** The routes of the gateway in use. The types have the routes of all gateways; those not in use return 404. */
export function paymentRoutes(deps: PaymentDeps) {
  const { payments } = deps
  const none = new Elysia()
  // Guarantee of the casts: a client handles the 404 of a route that does not exist.
  const sandbox = (payments?.name === 'sandbox' ? sandboxRoute(deps, payments) : none) as SandboxRoute
  const stripe = (payments?.name === 'stripe' ? stripeRoute(deps, payments) : none) as StripeRoute
  return new Elysia().use(prepareRoute(deps)).use(sandbox).use(stripe)
}

type SandboxRoute = ReturnType<typeof sandboxRoute>
type StripeRoute = ReturnType<typeof stripeRoute>
