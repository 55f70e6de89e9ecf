/** Links to the cart and to the orders of the fan. */
import { useEffect, useState } from 'preact/hooks'
import { type CartLine, readCart, watchCart } from '../cart.ts'
import { text } from '../lang/lang.ts'
import { addressOf, Link } from '../router.tsx'

/** Draws again when the cart changes. */
export function useCart(): CartLine[] {
  const [lines, setLines] = useState(readCart)
  useEffect(() => watchCart(() => setLines(readCart())), [])
  return lines
}

export function CartLink() {
  const count = useCart().reduce((sum, { quantity }) => sum + quantity, 0)
  return (
    <p class="ways">
      <Link to={addressOf('cart')} class="button small">
        {text.shop.cart(count)}
      </Link>
      <Link to={addressOf('orders')} class="button plain small">
        {text.shop.orders}
      </Link>
    </p>
  )
}
