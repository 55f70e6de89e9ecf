/** One product: its variants, its requirements, and a button to add it to the cart. */
import { useState } from 'preact/hooks'
import { hasCode, type Product as ProductData, readProduct } from '../api.ts'
import { MAX_QUANTITY, quantityOf, setQuantity } from '../cart.ts'
import { countryName, formatMoment, text } from '../lang/lang.ts'
import { Bones, isAhead, Loading, useLoaded } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { CartLink, useCart } from '../parts/cart-link.tsx'
import { Choice, NotFound, Screen } from '../parts/layout.tsx'
import { Picture } from '../parts/picture.tsx'
import { PresentedBy } from '../parts/presented-by.tsx'
import { addressOf } from '../router.tsx'
import { priceOf } from './packs.tsx'
import { isSoldOut } from './shop.tsx'

export function Product({ id }: { id: string }) {
  const loaded = useLoaded(`product ${id}`, () => readProduct(id))
  if (hasCode(loaded.error, 'product_not_found')) return <NotFound />
  return (
    <Screen title={loaded.data?.name ?? text.shop.title} up={addressOf('shop')} bare>
      <Loading of={loaded} skeleton={<Bones kind="card" count={1} />}>
        {product => <Detail product={product} />}
      </Loading>
    </Screen>
  )
}

function Detail({ product }: { product: ProductData }) {
  const { id: productId, name, description, images, kind, variants, maxPerFan, shipsTo, requires } = product
  const [variantId, setVariant] = useState(
    (variants.find(({ stockRemaining }) => stockRemaining !== 0) ?? variants[0])?.id ?? '',
  )
  useCart()
  const variant = variants.find(({ id }) => id === variantId)
  const stock = variant?.stockRemaining ?? null
  const inCart = quantityOf({ productId, variantId })
  const most = Math.min(stock ?? MAX_QUANTITY, maxPerFan ?? MAX_QUANTITY, MAX_QUANTITY)
  const inAll = variants.reduce((sum, { id }) => sum + quantityOf({ productId, variantId: id }), 0)
  const canAdd = inCart < most && (maxPerFan === null || inAll < maxPerFan)
  return (
    <article class="detail">
      <Picture src={images[0] ?? null} class="detail-picture" />
      <div class="detail-text">
        <p class="kicker">{text.shop.kinds[kind]}</p>
        <h1>{name}</h1>
        <p>{description}</p>
        <PresentedBy sponsor={product.sponsor} />
        <p class="price">{priceOf(product)}</p>
        {product.lowestPrice && (
          <p class="quiet">{text.shop.lowestPrice(priceOf({ price: product.lowestPrice }))}</p>
        )}
        {variants.length > 1 && (
          <Choice
            label={text.shop.variant}
            names={Object.fromEntries(variants.map(({ id, name }) => [id, name]))}
            value={variantId}
            onChange={setVariant}
          />
        )}
        <ul class="facts quiet">
          {stock !== null && <li>{stock === 0 ? text.shop.soldOut : text.rewards.stock(stock)}</li>}
          {maxPerFan !== null && <li>{text.shop.maxPerFan(maxPerFan)}</li>}
          {requires.points !== undefined && <li>{text.shop.needsPoints(requires.points)}</li>}
          {requires.collectibleId !== undefined && <li>{text.problems.collectible_required}</li>}
          {kind === 'physical' && shipsTo !== null && (
            <li>{text.shop.shipsTo(shipsTo.map(countryName).join(', '))}</li>
          )}
        </ul>
        {!product.active || isSoldOut(product) ? (
          <p class="panel">
            {product.active && text.shop.soldOut}
            {!product.active &&
              (isAhead(product.startsAt)
                ? text.packs.from(formatMoment(product.startsAt))
                : text.shop.notOnSale)}
          </p>
        ) : (
          <Button
            disabled={!canAdd}
            label={text.shop.addOf(name)}
            onClick={() => setQuantity({ productId, variantId }, inCart + 1)}
          >
            {text.shop.add}
          </Button>
        )}
        <p role="status" class="quiet">
          {inCart > 0 && text.shop.inCart(inCart)}
        </p>
        <CartLink />
      </div>
    </article>
  )
}
