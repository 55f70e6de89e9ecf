/** The orders of the fan, newest first. */
import { type Order, readOrders } from '../api.ts'
import { formatDay, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { addressOf, Link } from '../router.tsx'
import { priceOf } from './packs.tsx'

export function Orders() {
  const loaded = useLoaded('orders', () => readOrders())
  const more = useMore(loaded, readOrders, (page, next) => ({
    ...next,
    orders: [...page.orders, ...next.orders],
  }))
  return (
    <Screen title={text.shop.orders} up={addressOf('shop')}>
      <Loading of={loaded} skeleton={<Bones />}>
        {({ orders, nextCursor }) =>
          orders.length === 0 ? (
            <Empty
              action={
                <Link to={addressOf('shop')} class="button main">
                  {text.shop.toShop}
                </Link>
              }
            >
              {text.shop.noOrders}
            </Empty>
          ) : (
            <>
              <ul class="list">
                {orders.map(order => (
                  <li key={order.id}>
                    <OrderRow order={order} />
                  </li>
                ))}
              </ul>
              <MoreButton more={more} cursor={nextCursor} label={text.shop.more} />
            </>
          )
        }
      </Loading>
    </Screen>
  )
}

const OrderRow = ({ order: { id, status, lines, total, createdAt } }: { order: Order }) => (
  <Link to={addressOf('orders', id)} class="row">
    <span class="grow">
      <strong class="line">
        {text.shop.units(lines.reduce((sum, { quantity }) => sum + quantity, 0))}
        {' · '}
        {priceOf({ price: total })}
      </strong>
      <small class="quiet">{formatDay(createdAt)}</small>
    </span>
    <span class={`pill order-${status}`}>{text.shop.statuses[status]}</span>
  </Link>
)
