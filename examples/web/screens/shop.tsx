/** The products of the club's shop. */
import { type Product, readProducts } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded } from '../load.tsx'
import { CartLink } from '../parts/cart-link.tsx'
import { Empty, Screen } from '../parts/layout.tsx'
import { MoreButton, useMore } from '../parts/more.tsx'
import { Picture } from '../parts/picture.tsx'
import { PresentedBy } from '../parts/presented-by.tsx'
import { addressOf, Link } from '../router.tsx'
import { priceOf } from './packs.tsx'

export function Shop() {
  const list = useLoaded('products', () => readProducts())
  const more = useMore(list, readProducts, (page, next) => ({
    ...next,
    products: [...page.products, ...next.products],
  }))
  return (
    <Screen title={text.shop.title} lead={text.shop.lead}>
      <CartLink />
      <Loading of={list} skeleton={<Bones kind="tile" count={6} />}>
        {({ products, nextCursor }) =>
          products.length === 0 ? (
            <Empty>{text.shop.empty}</Empty>
          ) : (
            <>
              <ul class="tiles">
                {products.map(product => (
                  <li key={product.id}>
                    <ProductTile product={product} />
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

export function ProductTile({ product }: { product: Product }) {
  const { id, name, description, images, kind, active } = product
  return (
    <Link to={addressOf('shop', id)} class="tile">
      <Picture src={images[0] ?? null} class="tile-picture" />
      <span class="tile-badge">{text.shop.kinds[kind]}</span>
      <span class="tile-text">
        <strong>{name}</strong>
        <span class="quiet clamp">{description}</span>
        <span class="tile-foot">
          <span class="pill strong">{priceOf(product)}</span>
          {(!active || isSoldOut(product)) && (
            <small class="quiet">{active ? text.shop.soldOut : text.shop.notOnSale}</small>
          )}
        </span>
        {product.lowestPrice && (
          <small class="quiet">{text.shop.lowestPrice(priceOf({ price: product.lowestPrice }))}</small>
        )}
        <PresentedBy sponsor={product.sponsor} plain />
      </span>
    </Link>
  )
}

export const isSoldOut = ({ variants }: Product) =>
  variants.every(({ stockRemaining }) => stockRemaining === 0)
