/** Problems of the shop and of orders. */
import { defineProblems } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'

const ProductId = Type.String({ description: 'The product.' })

export const shopProblems = defineProblems({
  product_not_found: {
    status: 404,
    title: 'There is no such product',
    description: 'No product has this id, or it has no such variant. Read the list of products again.',
  },
  product_inactive: {
    status: 409,
    title: 'The product is not on sale now',
    description:
      'The product is switched off, outside its sales period, or not ready for sale. Read it again, and remove it from the cart.',
    members: Type.Object({ productId: ProductId }),
    example: { productId: 'home-scarf' },
  },
  mixed_currencies: {
    status: 409,
    title: 'The products have prices in different currencies',
    description: 'An order has one currency. Make an order for each of them.',
  },
  address_required: {
    status: 409,
    title: 'An address is required',
    description: 'The cart contains a product that is shipped. Ask for an address, and send it as `address`.',
  },
  not_shipped_there: {
    status: 409,
    title: 'A product is not shipped to this country',
    description: 'The product is shipped only to the countries in `shipsTo`. Ask for another address.',
    members: Type.Object({
      productId: ProductId,
      shipsTo: Type.Array(Type.String(), { description: 'Countries, ISO 3166-1 alpha-2 or XK.' }),
    }),
    example: { productId: 'home-scarf', shipsTo: ['GB', 'PT'] },
  },
  too_many_open_orders: {
    status: 409,
    title: 'You have too many orders that are not paid',
    description:
      'The caller has reached the maximum number of pending orders. Complete or cancel one of them, or wait until one expires.',
  },
  voucher_not_accepted: {
    status: 409,
    title: 'The voucher does not reduce this order',
    description:
      'No voucher with a credit in the currency of the order has this code, or it is used, void, or in another order that is pending; `detail` states which. Ask for another code, or leave it out.',
  },
  order_not_found: {
    status: 404,
    title: 'There is no such order',
    description: 'The caller has no order with this id, or the order has no such line.',
  },
  order_expired: {
    status: 409,
    title: 'The order has expired; start another',
    description:
      'The order was not completed in time. Start a new one; a payment that arrives too late is refunded.',
  },
  order_not_pending: {
    status: 409,
    title: 'The order is not pending',
    description:
      'The order is paid, expired, cancelled or refunded; `detail` states which. Read the order again, or start a new one.',
  },
  withdrawal_over: {
    status: 409,
    title: 'The time for a withdrawal is over',
    description:
      'A withdrawal is possible until the end of the 14th day after the last line was delivered; for goods that are not shipped, after the payment. Ask the club.',
  },
  withdrawal_waived: {
    status: 409,
    title: 'The withdrawal was waived',
    description:
      'The line is not shipped, it was delivered at once, and the fan waived the withdrawal at the checkout. Ask the club.',
  },
  no_download: {
    status: 404,
    title: 'There is no file to download',
    description: 'The line has no file, its order is not paid, or it is refunded. Read the order again.',
  },
  payment_method_not_accepted: {
    status: 409,
    title: 'The order cannot be paid with this method',
    description:
      'A price in points is paid with points, a price in money with money; `detail` states the currency. Choose another `method`.',
  },
  line_state_not_allowed: {
    status: 409,
    title: 'The line cannot get this state',
    description:
      'The states of a line follow each other: none, ready, shipped, then delivered or returned, once the order is paid; `detail` states the current one. Read the order again.',
  },
})
