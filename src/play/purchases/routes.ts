import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import { DomainError } from '../../core/problems.ts'
import { Closed, IdReference, OneOf } from '../../core/schemas.ts'
import type { AppSources } from '../../core/sources.ts'
import { Type } from '../../core/typebox.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { signed } from '../../platform/http/contract/group.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { completePaid, recordStoreEvent } from './complete-paid.ts'
import type { AppleGateway } from './gateways/apple.ts'
import type { Payments } from './gateways/create.ts'
import { StripeEvent } from './gateways/gateway.ts'
import type { GoogleGateway } from './gateways/google.ts'
import { receiptKinds, type Sandbox } from './gateways/sandbox.ts'
import type { StripeGateway } from './gateways/stripe.ts'
import { findOfKinds, type PurchaseKind } from './kind.ts'
import { thrownBy } from './problems.generated.ts'
import { purchaseProblems } from './problems.ts'
import { chargeOf } from './purchase.ts'
import { recordDispute } from './record-dispute.ts'

type PaymentDeps = FanDeps & {
  log: Logger
  now: AppSources['now']
  payments: Payments
  /** The kinds of purchases on this server. */
  purchaseKinds: readonly PurchaseKind[]
}

const examplePurchase = { purchaseId: '01981e2c-7c1f-7000-8000-000000000003' }

/** Development only: makes receipts of every kind, to test clients. */
const sandboxRoute = (deps: PaymentDeps, sandbox: Sandbox) =>
  fans(deps, { prefix: '/api/sandbox', tag: 'Packs' }).post(
    '/receipts',
    ({ body, status, write }) =>
      write(async (tx, { userId }) => {
        const { purchaseId, kind = 'paid' } = body
        const found = await findOfKinds(tx, deps.purchaseKinds, purchaseId)
        if (found?.purchase.userId !== userId) throw new DomainError(purchaseProblems.purchase_not_found)
        const paymentReference = sandbox.issueReceipt(chargeOf(found.purchase), kind, tx.newId())
        return status(201, { paymentReference })
      }),
    operation({
      id: 'issueSandboxReceipt',
      summary: 'Create a receipt of the sandbox gateway',
      description: 'Not in production. To test a reused receipt, use a `paid` receipt for a second purchase.',
      body: Closed(
        {
          purchaseId: IdReference('The `id` of the purchase, or of the order.'),
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
      problems: thrownBy.issueSandboxReceipt,
      examples: {
        body: { ...examplePurchase, kind: 'paid' },
        201: { paymentReference: 'eyJwdXJjaGFzZUlkIjoi.c2lnbmF0dXJl' },
      },
    }),
  )

const stripeRoute = ({ db, log, now, purchaseKinds: kinds }: PaymentDeps, stripe: StripeGateway) =>
  signed({ prefix: '/api/webhooks', tag: 'Webhooks' }, async (headers, body) => {
    const signature = headers.get('stripe-signature') ?? ''
    await stripe.verifySignature({ body, signature, now: now() })
    return {}
  }).post(
    '/stripe',
    async ({ body, status }) => {
      const report = await stripe.readEvent(body)
      if (report && 'paid' in report) await completePaid({ db, log, kinds }, stripe, report.paid)
      if (report && 'dispute' in report) await recordDispute({ db, log, kinds }, stripe, report.dispute)
      return status(204, undefined)
    },
    operation({
      id: 'receiveStripeEvent',
      open: true,
      idempotencyKey: 'none',
      summary: 'Receive an event of Stripe',
      description:
        'Called by Stripe, signed with STRIPE_WEBHOOK_SECRET. `payment_intent.succeeded`, `checkout.session.completed` and `checkout.session.async_payment_succeeded` complete the purchase; `charge.dispute.closed` refunds one whose dispute is lost; other events are accepted and ignored. Thin events are read as well.',
      body: StripeEvent,
      responses: { 204: Type.Void({ description: 'Taken.' }) },
      problems: thrownBy.receiveStripeEvent,
      examples: { body: { type: 'payment_intent.succeeded' } },
    }),
  )

const appleRoute = ({ db, log, purchaseKinds: kinds }: PaymentDeps, apple: AppleGateway) =>
  signed({ prefix: '/api/webhooks', tag: 'Webhooks' }, async (_, body) => ({
    event: await apple.readNotification(body),
  })).post(
    '/app-store',
    async ({ event, status }) => {
      if (event) await recordStoreEvent({ db, log, kinds }, apple, event)
      return status(204, undefined)
    },
    operation({
      id: 'receiveAppStoreNotification',
      open: true,
      idempotencyKey: 'none',
      summary: 'Receive a notification of the App Store',
      description:
        'Called by Apple: App Store Server Notifications, version 2. `ONE_TIME_CHARGE` completes the purchase, `REFUND` and `REVOKE` refund it; others are accepted and ignored.',
      body: Type.Object(
        { signedPayload: Type.String({ maxLength: 100_000 }) },
        { title: 'AppStoreNotification', additionalProperties: true },
      ),
      responses: { 204: Type.Void({ description: 'Taken.' }) },
      problems: thrownBy.receiveAppStoreNotification,
      examples: {
        body: { signedPayload: 'eyJhbGciOiJFUzI1NiIsIng1YyI6WyJNSUlF.eyJub3RpZmljYXRpb24.c2lnbmF0dXJl' },
      },
    }),
  )

const googleRoute = ({ db, log, now, purchaseKinds: kinds }: PaymentDeps, google: GoogleGateway) =>
  signed({ prefix: '/api/webhooks', tag: 'Webhooks' }, async (headers, body) => ({
    event: await google.readPush(headers.get('authorization'), body, now()),
  })).post(
    '/google-play',
    async ({ event, status }) => {
      if (event) await recordStoreEvent({ db, log, kinds }, google, event)
      return status(204, undefined)
    },
    operation({
      id: 'receiveGooglePlayNotification',
      open: true,
      idempotencyKey: 'none',
      summary: 'Receive a notification of Google Play',
      description:
        'Called by a push subscription of Cloud Pub/Sub, with a token of Google: real-time developer notifications. A purchase of a one-time product completes the purchase, a full refund refunds it; others are accepted and ignored.',
      body: Type.Object(
        {
          message: Type.Object({ data: Type.String({ maxLength: 50_000 }) }, { additionalProperties: true }),
        },
        { title: 'GooglePlayNotification', additionalProperties: true },
      ),
      responses: { 204: Type.Void({ description: 'Taken.' }) },
      problems: thrownBy.receiveGooglePlayNotification,
      examples: {
        body: { message: { data: 'eyJ2ZXJzaW9uIjoiMS4wIn0=', messageId: '136969346945' } },
      },
    }),
  )

/** The routes of the gateways in use. The types have the routes of all gateways; those not in use return 404. */
export function paymentRoutes(deps: PaymentDeps) {
  const { payments } = deps
  const none = new Elysia()
  // Guarantee of the casts: a client handles the 404 of a route that does not exist.
  const sandbox = (payments.sandbox ? sandboxRoute(deps, payments.sandbox) : none) as SandboxRoute
  const stripe = (payments.stripe ? stripeRoute(deps, payments.stripe) : none) as StripeRoute
  const apple = (payments.apple ? appleRoute(deps, payments.apple) : none) as AppleRoute
  const google = (payments.google ? googleRoute(deps, payments.google) : none) as GoogleRoute
  return new Elysia().use(sandbox).use(stripe).use(apple).use(google)
}

type SandboxRoute = ReturnType<typeof sandboxRoute>
type StripeRoute = ReturnType<typeof stripeRoute>
type AppleRoute = ReturnType<typeof appleRoute>
type GoogleRoute = ReturnType<typeof googleRoute>
