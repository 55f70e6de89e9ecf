/** Orders: packing, shipping and refunds. */
import { Elysia } from 'elysia'
import type { Encryption } from '../../../core/encryption.ts'
import { type Cursors, pageOf } from '../../../core/pagination.ts'
import { mayDo } from '../../../identity/staff/roles.ts'
import type { Staff } from '../../../identity/staff/staff.ts'
import { Nothing } from '../../../platform/http/contract/operation.ts'
import type { Payments } from '../../../play/purchases/gateways/create.ts'
import { listReceiptsOf, printReceiptOf } from '../../../play/receipts/staff-receipts.ts'
import { changeLine } from '../../../play/shop/change-line.ts'
import { writePackingList } from '../../../play/shop/packing-list.ts'
import { payOutLater } from '../../../play/shop/pay-out.ts'
import { listOrdersOf, readOrderDetail } from '../../../play/shop/staff-orders.ts'
import { findRefundable, listRefundsDue, refundPurchase } from '../../admin/refunds/refund-purchase.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type OrderDeps = StaffDeps & { cursors: Cursors; payments: Payments; addressEncryption: Encryption }

const orderRoutes = (deps: OrderDeps) => {
  const { db, cursors, addressEncryption } = deps
  /** Roles that ship orders see the address. */
  const read = ({ role }: Staff, orderId: string) =>
    readOrderDetail(db.read, addressEncryption, orderId, mayDo(role, 'orders.write'))
  return staff(deps, { prefix: '/api/orders', tag: 'Orders' })
    .get(
      '',
      ({ query: { list = 'all', ...page } }) => listOrdersOf(db.read, cursors, list, pageOf(page)),
      consoleOperation({
        id: 'listConsoleOrders',
        summary: 'List orders by the next work to do',
        permission: 'orders.read',
        query: schema.OrdersQuery,
        responses: { 200: schema.ListedOrders },
        problems: thrownBy.listConsoleOrders,
      }),
    )
    .get(
      '/:orderId',
      ({ params, staff }) => read(staff, params.orderId),
      consoleOperation({
        id: 'readConsoleOrder',
        summary: 'Read an order',
        permission: 'orders.read',
        params: schema.OrderParams,
        responses: { 200: schema.OrderDetail },
        problems: thrownBy.readConsoleOrder,
      }),
    )
    .get(
      '/:orderId/receipts',
      async ({ params }) => ({ receipts: await listReceiptsOf(db.read, params.orderId) }),
      consoleOperation({
        id: 'listConsoleReceipts',
        summary: 'List the receipt of an order or of a pack, and its credit notes',
        permission: 'orders.read',
        params: schema.ReceiptsParams,
        responses: { 200: schema.ListedReceipts },
        problems: thrownBy.listConsoleReceipts,
      }),
    )
    .get(
      '/:orderId/receipts/:number',
      async ({ params: { orderId, number }, staff: { role } }) => {
        const numbered = { orderId, number: Number(number) }
        const page = printReceiptOf(db.read, addressEncryption, numbered, mayDo(role, 'orders.write'))
        // Guarantee of the cast: a response is sent as it is; the schema describes its text.
        return (await page) as never
      },
      consoleOperation({
        id: 'printConsoleReceipt',
        summary: 'Read a receipt or credit note of an order or of a pack as a page to print',
        description: 'In the language of the fan.',
        permission: 'orders.read',
        params: schema.ReceiptParams,
        responses: { 200: schema.PrintedReceipt },
        problems: thrownBy.printConsoleReceipt,
      }),
    )
    .put(
      '/:orderId/lines/:number',
      async ({ act, body, params: { orderId, number }, staff }) => {
        const { reason, ...change } = body
        const line = Number(number)
        await act(
          { kind: 'order', id: orderId },
          reason,
          tx => changeLine(tx, orderId, line, change, payOutLater(deps)),
          {
            detail: { line, state: change.state },
          },
        )
        return read(staff, orderId)
      },
      consoleOperation({
        id: 'changeConsoleOrderLine',
        summary: 'Change the state of a line that is shipped',
        description: 'The new state is the reason. Another one can be added, such as for a return.',
        permission: 'orders.write',
        params: schema.OrderLineParams,
        body: schema.LineStateChange,
        findErrors: schema.findLineErrors,
        responses: { 200: schema.OrderDetail },
        problems: thrownBy.changeConsoleOrderLine,
        examples: { body: { state: 'shipped', carrier: 'CTT', tracking: 'RR123456785PT' } },
      }),
    )
    .post(
      '/packing-list',
      async ({ act, body: { state, reason }, set }) => {
        const { csv } = await act(
          { kind: 'packing-list', id: state },
          reason,
          tx => writePackingList(tx, addressEncryption, state),
          { detail: ({ lines }) => ({ lines }) },
        )
        set.headers['Content-Type'] = 'text/csv; charset=utf-8'
        set.headers['Content-Disposition'] = `attachment; filename="packing-list-${state}.csv"`
        return csv
      },
      consoleOperation({
        id: 'exportPackingList',
        summary: 'Export lines to pack or to ship, with addresses, as CSV',
        permission: 'orders.write',
        body: schema.PackingList,
        responses: { 200: schema.Csv },
        examples: { body: { state: 'none', reason: 'For the warehouse.' } },
      }),
    )
}

const refundRoutes = (deps: OrderDeps) => {
  const { db, payments } = deps
  return staff(deps, { prefix: '/api/refunds', tag: 'Orders' })
    .get(
      '',
      () => listRefundsDue(db.read),
      consoleOperation({
        id: 'listRefundsDue',
        summary: 'List the due refunds of all kinds of purchases',
        permission: 'orders.read',
        query: Nothing,
        responses: { 200: schema.RefundsDue },
      }),
    )
    .post(
      '/:purchaseId',
      async ({ act, body: { reason }, params: { purchaseId } }) => {
        // Checked before another person is asked to confirm.
        await findRefundable(db.read, purchaseId)
        const refunded = await act.inSteps({ kind: 'purchase', id: purchaseId }, reason, write =>
          refundPurchase({ read: db.read, write, loadPayments: async () => payments }, purchaseId),
        )
        return { purchaseId, refunded: refunded !== null, supplyReturned: refunded?.supplyReturned ?? null }
      },
      consoleOperation({
        id: 'refundPurchase',
        summary: 'Refund a purchase, an order or a top-up by the means of its payment',
        description: 'A repeat changes nothing: `refunded` is false.',
        permission: 'refunds.write',
        params: schema.PurchaseParams,
        body: schema.RefundPurchase,
        responses: { 200: schema.Refunded },
        problems: thrownBy.refundPurchase,
        examples: { body: { reason: 'The parcel was lost.' } },
      }),
    )
}

export const orderDeskRoutes = (deps: OrderDeps) =>
  new Elysia({ name: 'console/orders', normalize: false }).use(orderRoutes(deps)).use(refundRoutes(deps))
