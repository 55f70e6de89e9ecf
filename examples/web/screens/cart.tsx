/** The cart: an order for each currency, with the address if something is shipped. */
import { useState } from 'preact/hooks'
import {
  type Order,
  orNull,
  ProblemError,
  type Product,
  readOrders,
  readProduct,
  type ShippingAddress,
  startCheckout,
} from '../api.ts'
import { type CartLine, removeFromCart, setQuantity } from '../cart.ts'
import { countryName, text } from '../lang/lang.ts'
import { Loading, useLoaded, useWrite } from '../load.tsx'
import { AddressFields, readAddress } from '../parts/address-fields.tsx'
import { Button } from '../parts/button.tsx'
import { useCart } from '../parts/cart-link.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { Picture } from '../parts/picture.tsx'
import { addressOf, Link, navigate } from '../router.tsx'
import { priceOf } from './packs.tsx'

interface Chosen extends CartLine {
  product: Product
}

/** The products of the cart as they are now, and the latest address. */
async function loadCart(lines: CartLine[]) {
  const ids = [...new Set(lines.map(({ productId }) => productId))]
  const [{ orders }, ...found] = await Promise.all([readOrders(), ...ids.map(findProduct)])
  const products = new Map(found.flatMap(product => (product ? [[product.id, product]] : [])))
  return { products, address: orders.find(({ address }) => address !== null)?.address ?? null }
}

/** Null for a product that is no longer on sale. */
const findProduct = (id: string) => orNull(readProduct(id), 'product_not_found')

export function Cart() {
  const lines = useCart()
  const ids = lines.map(({ productId }) => productId).join()
  const loaded = useLoaded(`cart ${ids}`, () => loadCart(lines))
  return (
    <Screen title={text.shop.cartTitle} up={addressOf('shop')}>
      {lines.length === 0 ? (
        <Empty
          action={
            <Link to={addressOf('shop')} class="button main">
              {text.shop.toShop}
            </Link>
          }
        >
          {text.shop.cartEmpty}
        </Empty>
      ) : (
        <Loading of={loaded}>
          {({ products, address }) => {
            const chosen = lines.flatMap(line => {
              const product = products.get(line.productId)
              return product ? [{ ...line, product }] : []
            })
            const gone = lines.filter(({ productId }) => !products.has(productId))
            return (
              <>
                {gone.length > 0 && (
                  <p class="notice">
                    <span class="grow">{text.problems.product_not_found}</span>
                    <Button kind="small" onClick={() => removeFromCart(gone)}>
                      {text.shop.remove}
                    </Button>
                  </p>
                )}
                {[...Map.groupBy(chosen, ({ product }) => product.price.currency)].map(
                  ([currency, ofCurrency]) => (
                    <Checkout key={currency} lines={ofCurrency} address={address} />
                  ),
                )}
              </>
            )
          }}
        </Loading>
      )}
    </Screen>
  )
}

function Checkout({ lines, address }: { lines: Chosen[]; address: Order['address'] }) {
  const [first] = lines
  const isShipped = lines.some(({ product }) => product.kind === 'physical')
  const order = useWrite(async (shippedTo: ShippingAddress | null, key) => {
    const cart = lines.map(({ productId, variantId, quantity }) => ({ productId, variantId, quantity }))
    const { id } = await startCheckout({ lines: cart, ...(shippedTo && { address: shippedTo }) }, key)
    navigate(addressOf('orders', id))
    removeFromCart(cart)
  })
  const [country, setCountry] = useState(address?.country ?? '')
  if (!first) return null
  const amount = lines.reduce((sum, { quantity, product }) => sum + quantity * product.price.amount, 0)
  const total = priceOf({ price: { amount, currency: first.product.price.currency } })
  const allowed = lines.flatMap(({ product }) => (product.kind === 'physical' && product.shipsTo) || [])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    return order.run(isShipped ? readAddress(event.currentTarget as HTMLFormElement) : null)
  }
  return (
    <form class="cart" onSubmit={submit}>
      <ul class="list">
        {lines.map(line => (
          <Line key={`${line.productId} ${line.variantId}`} line={line} />
        ))}
        <li class="row total">
          <strong class="grow">{text.shop.total}</strong>
          <strong>{total}</strong>
        </li>
      </ul>
      {isShipped && (
        <AddressFields
          address={address}
          country={country}
          onCountry={setCountry}
          invalid={faultsOf(order.error)}
          hint={
            allowed.length > 0 ? text.shop.shipsTo([...new Set(allowed)].map(countryName).join(', ')) : null
          }
        />
      )}
      {order.error !== null && <Notice error={order.error} />}
      <Button submit busy={order.isBusy}>
        {text.shop.order(total)}
      </Button>
      <p class="quiet">{text.shop.orderHint}</p>
    </form>
  )
}

/** The members of the address that the server refused. */
function faultsOf(error: unknown): string[] {
  if (!(error instanceof ProblemError) || error.problem.code !== 'validation_failed') return []
  const found = error.problem.errors.map(fault => ('pointer' in fault ? fault.pointer : ''))
  return found.flatMap(pointer => /^\/address\/(\w+)$/.exec(pointer ?? '')?.[1] ?? [])
}

function Line({ line: { product, variantId, quantity } }: { line: Chosen }) {
  const variant = product.variants.find(({ id }) => id === variantId)
  const reference = { productId: product.id, variantId }
  const most = Math.max(quantity, Math.min(variant?.stockRemaining ?? 10, product.maxPerFan ?? 10, 10))
  return (
    <li class="row">
      <Picture src={product.images[0] ?? null} class="thumb" />
      <span class="grow">
        <strong class="line">{product.name}</strong>
        <small class="quiet">
          {product.variants.length > 1 && `${variant?.name ?? variantId} · `}
          {priceOf(product)}
        </small>
      </span>
      <select
        aria-label={text.shop.quantityOf(product.name)}
        value={quantity}
        onChange={event => setQuantity(reference, Number(event.currentTarget.value))}
      >
        {Array.from({ length: most }, (_, nth) => (
          <option key={nth} value={nth + 1}>
            {nth + 1}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="icon-button"
        aria-label={text.shop.removeOf(product.name)}
        onClick={() => setQuantity(reference, 0)}
      >
        <Icon name="remove" />
      </button>
    </li>
  )
}
