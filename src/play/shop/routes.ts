import type { Cursors } from '../../core/pagination.ts'
import { Closed } from '../../core/schemas.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { getProduct, getProducts } from './catalogue.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type ShopDeps = Parameters<typeof publicReaders>[0] & { cursors: Cursors; publicReads: PublicReads }

export const productsRoutes = (deps: ShopDeps) =>
  publicReaders(deps, { prefix: '/api/products', tag: 'Shop' })
    .get(
      '',
      ({ query, readPublic }) =>
        readPublic(source => getProducts({ ...source, cursors: deps.cursors }, query)),
      operation({
        id: 'listProducts',
        summary: 'List the products on sale',
        description: 'Ordered by id, with the variants and their remaining stock.',
        conditional: true,
        query: Closed({ ...schema.ProductsQuery.properties, ...LanguageQuery }),
        responses: { 200: schema.Products },
        problems: thrownBy.listProducts,
        examples: { 200: { products: [schema.exampleProduct], nextCursor: null } },
      }),
    )
    .get(
      '/:productId',
      ({ params, readPublic }) => readPublic(source => getProduct(source, params.productId)),
      operation({
        id: 'readProduct',
        summary: 'Read a product',
        description: 'The product as in the list, also while it is not on sale.',
        conditional: true,
        params: schema.ProductParams,
        query: Closed(LanguageQuery),
        responses: { 200: schema.Product },
        problems: thrownBy.readProduct,
        examples: { 200: schema.exampleProduct },
      }),
    )
