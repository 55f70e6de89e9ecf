/** Codes: the one that a fan enters, and those to show to staff: of rewards, and vouchers of orders. Those that this device has seen are there without a network. */
import { type Order, orNull, readOrders, readProduct, readRewards } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Bones, useLoaded } from '../load.tsx'
import { EnterCode } from '../parts/enter-code.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Passes } from '../parts/passes.tsx'
import { beginKeeping, groupOfOrder, listKept, type Pass } from '../passes.ts'
import { addressOf, Link } from '../router.tsx'

/** Reads what the device keeps again. Vouchers of more than the latest orders are kept when their order is opened. */
async function refreshPasses(): Promise<{ orders: number }> {
  const keep = beginKeeping()
  const [, { orders }] = await Promise.all([readRewards(), readOrders()])
  const withVouchers = orders.filter(({ lines }) => lines.some(({ vouchers }) => vouchers.length > 0))
  const ids = [...new Set(withVouchers.flatMap(({ lines }) => lines.map(({ productId }) => productId)))]
  const products = await Promise.all(ids.map(id => orNull(readProduct(id), 'product_not_found')))
  const nameOf = (productId: string) => products.find(product => product?.id === productId)?.name
  for (const order of withVouchers) keep(groupOfOrder(order.id), passesOf(order, nameOf))
  return { orders: orders.length }
}

/** The vouchers that can be used. */
export const passesOf = (
  { id: orderId, lines }: Order,
  nameOf: (productId: string) => string | undefined,
): Pass[] =>
  lines.flatMap(({ productId, vouchers }) =>
    vouchers
      .filter(({ state }) => state === 'valid')
      .map(({ code }) => ({
        id: `${orderId} ${code}`,
        kind: 'voucher' as const,
        title: nameOf(productId) ?? productId,
        code,
        to: addressOf('orders', orderId),
      })),
  )

export function Codes() {
  const { data, error, reload } = useLoaded('codes', refreshPasses)
  const kept = listKept()
  return (
    <Screen title={text.nav.codes} lead={text.codes.lead}>
      <EnterCode />
      {error !== null && <Notice error={error} onRetry={reload} />}
      {kept.map(group => (
        <Passes key={group.passes[0]?.id} kept={group} />
      ))}
      {kept.length === 0 && data === null && error === null && <Bones />}
      {kept.length === 0 && (data !== null || error !== null) && (
        <Empty
          action={
            <Link to={addressOf('rewards')} class="button main">
              {text.nav.rewards}
            </Link>
          }
        >
          {error === null ? text.codes.empty : text.codes.noneKept}
        </Empty>
      )}
    </Screen>
  )
}
