import type { Cursors } from '../../core/pagination.ts'
import { Closed } from '../../core/schemas.ts'
import { type FanDeps, optionalFans } from '../../identity/auth/groups.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { thrownBy } from './problems.generated.ts'
import { getProduct, getProducts, readProductFor, readProductsFor } from './products.ts'
import * as schema from './schema.ts'

type ShopDeps = FanDeps & { cursors: Cursors; publicReads: PublicReads }

export const productsRoutes = (deps: ShopDeps) =>
  optionalFans(deps, { prefix: '/api/products', tag: 'Shop' })
    .get(
      '',
      ({ caller, query, readPublic }) =>
        readPublic(({ read, cache }) => {
          const source = { read, cache, cursors: deps.cursors }
          return caller ? readProductsFor(source, caller, query) : getProducts(source, query)
        }),
      operation({
        id: 'listProducts',
        summary: 'List the products on sale',
        description:
          'Ordered by id, with the variants and their remaining stock. With a token, each with what you lack of `requires`.',
        conditional: true,
        query: Closed({ ...schema.ProductsQuery.properties, ...LanguageQuery }),
        responses: { 200: schema.Products },
        problems: thrownBy.listProducts,
        examples: { 200: { products: [schema.exampleProduct], nextCursor: null } },
      }),
    )
    .get(
      '/:productId',
      ({ caller, params: { productId }, readPublic }) =>
        readPublic(source =>
          caller ? readProductFor(source, caller, productId) : getProduct(source, productId),
        ),
      operation({
        id: 'readProduct',
        summary: 'Read a product',
        description: 'The product as in the list, even while it is not on sale.',
        conditional: true,
        params: schema.ProductParams,
        query: Closed(LanguageQuery),
        responses: { 200: schema.Product },
        problems: thrownBy.readProduct,
        examples: { 200: schema.exampleProduct },
      }),
    )
