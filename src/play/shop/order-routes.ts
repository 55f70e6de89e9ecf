import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Encryption } from '../../core/encryption.ts'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import type { AppSources } from '../../core/sources.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import type { Config } from '../../platform/config/config.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { encryptStored } from '../../platform/http/idempotency/stored-response.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { isStorePayment, type Payments } from '../purchases/gateways/create.ts'
import { examplePreparedPayment } from '../purchases/gateways/gateway.ts'
import type { PurchaseKind } from '../purchases/kind.ts'
import { keepOwnLimits } from '../purchases/own-limits.ts'
import { cancelPayment } from '../purchases/pay.ts'
import { changeLine } from './change-line.ts'
import { startCheckout } from './checkout.ts'
import { type Downloads, issueDownload } from './downloads.ts'
import type { WholeOrder } from './order-rows.ts'
import * as schema from './order-schema.ts'
import { listOrders, presentOrder, readFanOrder, readOwnOrder } from './orders.ts'
import {
  cancelOrder,
  completeOrder,
  holdOrderCash,
  prepareOrderPayment,
  verifyOrderPayment,
} from './pay-order.ts'
import { payOutLater } from './pay-out.ts'
import { thrownBy } from './problems.generated.ts'
import { withdrawOrder } from './withdraw.ts'

type OrderDeps = FanDeps &
  ServerDeps & {
    config: Config
    cursors: Cursors
    log: Logger
    now: AppSources['now']
    payments: Payments
    /** The kinds of purchases on this server: a limit of the fan counts them all. */
    purchaseKinds: readonly PurchaseKind[]
    /** Encrypts addresses in the database. */
    addressEncryption: Encryption
    downloads: Downloads
  }

const TAG = 'Shop'
const { exampleOrder, examplePaidOrder } = schema
const exampleReference = { orderId: exampleOrder.id }
const { postalCode = '', ...exampleAddress } = schema.exampleAddress

const checkoutRoutes = (deps: OrderDeps, { addressEncryption: encryption, now } = deps) => {
  const sellsFiles = deps.downloads.folder !== null
  const present = (whole: WholeOrder) => presentOrder(whole, encryption, now())
  return fans(deps, { prefix: '/api/checkout', tag: TAG })
    .post(
      '',
      ({ body, status, write }) =>
        write(
          async (tx, fan) => {
            const options = { ...(await settingsOf(tx)), encryption, sellsFiles }
            const order = present(await startCheckout(tx, fan, body, options))
            await keepOwnLimits(tx, deps.purchaseKinds, fan, order.total)
            return status(201, order)
          },
          { encryption: encryptStored(encryption), toCount: true },
        ),
      operation({
        id: 'startCheckout',
        limit: 'purchases',
        summary: 'Start an order',
        description:
          'Holds the stock of the cart for 30 minutes, and freezes the prices. Products that are shipped require an address in the format of its country.',
        body: schema.Cart,
        responses: { 201: schema.Order },
        problems: thrownBy.startCheckout,
        examples: {
          body: {
            lines: [{ productId: 'home-scarf', variantId: 'short', quantity: 2 }],
            address: { ...exampleAddress, postalCode },
          },
          201: exampleOrder,
        },
      }),
    )
    .put(
      '',
      ({ body, caller, write }) =>
        write(
          async (tx, fan, payment) => {
            const completed = await completeOrder(tx, deps, fan, body, payment)
            return completed instanceof Error ? completed : present(completed)
          },
          {
            prepare: () => verifyOrderPayment(deps, caller, body),
            encryption: encryptStored(encryption),
            toCount: true,
          },
        ),
      operation({
        id: 'completeCheckout',
        limit: 'purchases',
        summary: 'Complete an order',
        description:
          'With points, pays from your ledger. With money, verifies with the payment gateway that `paymentReference` paid this order in full. A repeat returns the same order.',
        body: schema.CompleteOrder,
        responses: { 200: schema.Order },
        problems: thrownBy.completeCheckout,
        examples: { body: { ...exampleReference, paymentReference: 'pi_3PqR' }, 200: examplePaidOrder },
      }),
    )
    .post(
      '/cancel',
      ({ body, write }) =>
        write(
          async (tx, fan) =>
            present(await cancelOrder(tx, fan, body.orderId, charge => cancelPayment(deps, charge))),
          { encryption: encryptStored(encryption), toCount: true },
        ),
      operation({
        id: 'cancelCheckout',
        limit: 'purchases',
        summary: 'Cancel a pending order',
        description:
          'Frees its stock immediately. A repeat returns the same order. Its payment is cancelled at the gateway; a payment that was already made is refunded.',
        body: schema.OrderReference,
        responses: { 200: schema.Order },
        problems: thrownBy.cancelCheckout,
        examples: { body: exampleReference, 200: { ...exampleOrder, status: 'cancelled' } },
      }),
    )
}

const paymentRoutes = (deps: OrderDeps) =>
  fans(deps, { prefix: '/api/checkout/payment', tag: TAG }).post(
    '',
    ({ body, caller, set, write }) => {
      set.headers['Cache-Control'] = 'no-store'
      return write(
        async (tx, fan, prepared) => {
          await holdOrderCash(tx, fan, body, deps.config.cashCurrencies)
          return prepared
        },
        { prepare: () => prepareOrderPayment(deps, caller, body), secret: true },
      )
    },
    operation({
      id: 'prepareOrderPayment',
      limit: 'purchases',
      summary: 'Prepare the payment of an order',
      description:
        'For a pending order. Returns the data that the payment gateway’s client library needs; a repeat returns the same data. With points there is nothing to prepare. With cash, the price is held until the order expires.',
      body: schema.OrderPaymentRequest,
      responses: { 200: schema.OrderPayment },
      problems: thrownBy.prepareOrderPayment,
      examples: {
        body: { ...exampleReference, method: 'gateway' },
        200: { method: 'gateway', payment: examplePreparedPayment },
      },
    }),
  )

const ownRoutes = (deps: OrderDeps) =>
  fans(deps, { prefix: '/api/user/orders', tag: TAG })
    .get(
      '',
      ({ caller, query }) => listOrders(deps.db.read, deps, caller, pageOf(query)),
      operation({
        id: 'listOrders',
        summary: 'List your orders',
        description: 'Newest first, in every status.',
        query: Closed(PageQuery),
        responses: { 200: schema.Orders },
        problems: thrownBy.listOrders,
        examples: { 200: { orders: [examplePaidOrder], nextCursor: null } },
      }),
    )
    .get(
      '/:orderId',
      ({ caller, params }) => readOwnOrder(deps.db.read, deps.addressEncryption, caller, params.orderId),
      operation({
        id: 'readOrder',
        summary: 'Read an order',
        description: 'The order in its current status, with the state of each line.',
        params: schema.OrderParams,
        responses: { 200: schema.Order },
        problems: thrownBy.readOrder,
        examples: { 200: examplePaidOrder },
      }),
    )
    .post(
      '/:orderId/withdrawal',
      ({ body, params: { orderId }, write }) =>
        write(
          async (tx, { userId }) => {
            const withdrawal = { orderId, userId, numbers: body.lines }
            const options = {
              isStorePayment: (reference: string) => isStorePayment(deps.payments, reference),
              payOut: payOutLater(deps),
            }
            return presentOrder(
              await withdrawOrder(tx, withdrawal, options),
              deps.addressEncryption,
              deps.now(),
            )
          },
          { encryption: encryptStored(deps.addressEncryption), toCount: true },
        ),
      operation({
        id: 'withdrawOrder',
        whenSuspended: 'allowed',
        limit: 'purchases',
        summary: 'Withdraw from an order',
        description:
          'Until the end of the 14th day after the last line was delivered; for lines that are not shipped, after the payment. What was not shipped or used is refunded at once, by the means of the payment; what was shipped when it is back. A repeat returns the same order.',
        params: schema.OrderParams,
        body: schema.WithdrawalRequest,
        responses: { 200: schema.Order },
        problems: thrownBy.withdrawOrder,
        examples: { body: { lines: [1] }, 200: { ...examplePaidOrder, status: 'refunded' } },
      }),
    )

const downloadRoutes = (deps: OrderDeps) =>
  fans(deps, { prefix: '/api/user/orders', tag: TAG }).get(
    '/:orderId/lines/:number/download',
    ({ caller, params: { orderId, number }, set }) => {
      set.headers['Cache-Control'] = 'no-store'
      return issueDownload(deps.db, deps.downloads, caller, orderId, Number(number))
    },
    operation({
      id: 'issueDownload',
      summary: 'Get a link to a file that you bought',
      description: 'The link is signed and valid for ten minutes. Anyone who has it can download the file.',
      params: schema.LineParams,
      responses: { 200: schema.Download },
      problems: thrownBy.issueDownload,
      examples: {
        200: {
          url: '/downloads/01981e2c-7c1f-7000-8000-000000000012.1.1755282720000.q83vEjRWeJq8N7rQ',
          expiresAt: '2026-08-15T18:42:00.000Z',
        },
      },
    }),
  )

const exampleFanOrder = {
  ...examplePaidOrder,
  fan: { id: '01981e2c-7c1f-7000-8000-000000000003', displayName: 'Ana Ruiz' },
}
const shipped = { carrier: 'CTT', tracking: 'RR123456785PT' }

const serverRoutes = (deps: OrderDeps) =>
  servers(deps, { prefix: '/api/orders', tag: 'Server', scope: 'orders:write' })
    .get(
      '/:orderId',
      ({ params }) => readFanOrder(deps.db.read, deps.addressEncryption, params.orderId),
      operation({
        id: 'readFanOrder',
        summary: 'Read an order of a fan',
        description: 'Includes the shipping address.',
        params: schema.OrderParams,
        responses: { 200: schema.FanOrder },
        problems: thrownBy.readFanOrder,
        examples: { 200: exampleFanOrder },
      }),
    )
    .put(
      '/:orderId/lines/:number',
      ({ body, params: { orderId, number }, write }) =>
        write(async tx => {
          await changeLine(tx, orderId, Number(number), body, payOutLater(deps))
          return readFanOrder(tx, deps.addressEncryption, orderId)
        }),
      operation({
        id: 'changeOrderLine',
        summary: 'Change the state of a line',
        description:
          'For a paid order: `ready`, then `shipped` with its carrier, then `delivered` or `returned`. A repeat changes nothing; the carrier of a shipped line can be corrected. The units of a returned line go back into stock.',
        params: schema.LineParams,
        body: schema.LineChange,
        findErrors: schema.findLineErrors,
        responses: { 200: schema.FanOrder },
        problems: thrownBy.changeOrderLine,
        examples: {
          body: { state: 'shipped', ...shipped },
          200: {
            ...exampleFanOrder,
            lines: exampleOrder.lines.map(line => ({ ...line, state: 'shipped', ...shipped })),
          },
        },
      }),
    )

export const ordersRoutes = (deps: OrderDeps) =>
  new Elysia({ name: 'matchday/orders-routes' })
    .use(checkoutRoutes(deps))
    .use(paymentRoutes(deps))
    .use(ownRoutes(deps))
    .use(downloadRoutes(deps))
    .use(serverRoutes(deps))
