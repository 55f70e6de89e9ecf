import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import type { AppSources } from '../../core/sources.ts'
import { type FanDeps, fans, optionalFans } from '../../identity/auth/groups.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import type { Config } from '../../platform/config/config.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import type { Payments } from '../purchases/gateways/create.ts'
import { examplePreparedPayment, PreparedPayment } from '../purchases/gateways/gateway.ts'
import type { PurchaseKind } from '../purchases/kind.ts'
import { keepOwnLimits } from '../purchases/own-limits.ts'
import { cancelPayment } from '../purchases/pay.ts'
import * as example from './examples.ts'
import { listCollection, listUserPacks } from './inventory.ts'
import { openPack, readProof } from './open-pack.ts'
import { getPack, getPacks, readPackFor, readPacksFor } from './packs.ts'
import {
  cancelPurchase,
  completePaidPurchase,
  holdPackCash,
  preparePackPayment,
  verifyPayment,
} from './pay.ts'
import { thrownBy } from './problems.generated.ts'
import { readProvenance } from './provenance.ts'
import { Provenance, SerialParams } from './provenance-schema.ts'
import { listPurchases, readPurchase } from './purchases.ts'
import * as schema from './schema.ts'
import { startPurchase } from './start-purchase.ts'

type PackDeps = FanDeps & {
  config: Config
  cursors: Cursors
  log: Logger
  now: AppSources['now']
  payments: Payments
  publicReads: PublicReads
  /** The kinds of purchases on this server: a limit of the fan counts them all. */
  purchaseKinds: readonly PurchaseKind[]
}

const TAG = 'Packs'

const publicRoutes = (deps: PackDeps) =>
  optionalFans(deps, { prefix: '/api/packs', tag: TAG })
    .get(
      '',
      ({ caller, readPublic }) =>
        readPublic(source => (caller ? readPacksFor(source, caller) : getPacks(source))),
      operation({
        id: 'listPacks',
        summary: 'List the packs on sale',
        description: 'With price, supply and odds. With a token, each with what you lack of `requires`.',
        conditional: true,
        query: Closed(LanguageQuery),
        responses: { 200: schema.Packs },
        examples: { 200: { packs: [example.examplePack] } },
      }),
    )
    .get(
      '/:packId',
      ({ caller, params: { packId }, readPublic }) =>
        readPublic(source => (caller ? readPackFor(source, caller, packId) : getPack(source, packId))),
      operation({
        id: 'readPack',
        summary: 'Read a pack and its items',
        description: 'The pack as in the list, with the weight of each item in the draw.',
        conditional: true,
        params: schema.PackParams,
        query: Closed(LanguageQuery),
        responses: { 200: schema.PackWithItems },
        problems: thrownBy.readPack,
        examples: { 200: example.examplePackWithItems },
      }),
    )

const proofRoutes = (deps: PackDeps) =>
  publicReaders(deps, { prefix: '/api/packs/proofs', tag: TAG }).get(
    '/:userPackId',
    ({ params, readPublic }) => readPublic(({ read }) => readProof(read, params.userPackId)),
    operation({
      id: 'readProof',
      summary: 'Read the proof of an opened pack',
      description: 'Public. The proof reveals the server seed, so that everyone can repeat the draw offline.',
      // Not `immutable`: the proof contains a seed that the fan chose, which caches must not keep after an erasure.
      conditional: true,
      params: schema.ProofParams,
      responses: { 200: schema.Proof },
      problems: thrownBy.readProof,
      examples: { 200: example.exampleProof },
    }),
  )

const itemRoutes = (deps: PackDeps) =>
  optionalFans(deps, { prefix: '/api/collectibles', tag: TAG }).get(
    '/:collectibleId/serials/:serialNumber/provenance',
    ({ params, readPublic, viewer }) => readPublic(({ read }) => readProvenance(read, viewer, params)),
    operation({
      id: 'readProvenance',
      summary: 'Read the history of an item',
      description:
        'Public: the origin of the item, and each change of owner. Each link contains the hash of the previous one. The handle is missing for fans who do not show their profile to you, are anonymous on leaderboards, or are hidden by a block.',
      query: Closed(LanguageQuery),
      params: SerialParams,
      responses: { 200: Provenance },
      problems: thrownBy.readProvenance,
      examples: { 200: example.exampleProvenance },
    }),
  )

const purchaseRoutes = (deps: PackDeps) =>
  fans(deps, { prefix: '/api/packs', tag: TAG })
    .post(
      '/purchase',
      ({ body, status, write }) =>
        write(
          async (tx, fan) => {
            const purchase = await startPurchase(tx, fan, body, await settingsOf(tx))
            await keepOwnLimits(tx, deps.purchaseKinds, fan, purchase.price)
            return status(201, purchase)
          },
          { toCount: true },
        ),
      operation({
        id: 'startPurchase',
        limit: 'purchases',
        summary: 'Start a purchase',
        description:
          'Holds one pack for 15 minutes, freezes price and odds, and publishes the hash of the server seed.',
        body: schema.StartPurchase,
        responses: { 201: schema.Purchase },
        problems: thrownBy.startPurchase,
        examples: { body: { packId: 'starter' }, 201: example.examplePurchase },
      }),
    )
    .put(
      '/purchase',
      ({ body, caller, write }) =>
        write((tx, fan, payment) => completePaidPurchase(tx, deps, fan, body, payment), {
          prepare: () => verifyPayment(deps, caller, body),
        }),
      operation({
        id: 'completePurchase',
        limit: 'purchases',
        summary: 'Complete a purchase',
        description:
          'With points, pays from your ledger. With money, verifies with the payment gateway that `paymentReference` paid this purchase in full. A repeat returns the same purchase.',
        body: schema.CompletePurchase,
        responses: { 200: schema.Purchase },
        problems: thrownBy.completePurchase,
        examples: { body: { purchaseId: example.examplePurchase.id }, 200: example.exampleCompleted },
      }),
    )
    .get(
      '/purchases',
      ({ caller, query }) => listPurchases(deps.db.read, deps.cursors, caller, pageOf(query)),
      operation({
        id: 'listPurchases',
        summary: 'List your purchases',
        description: 'Newest first, in every status.',
        query: Closed(PageQuery),
        responses: { 200: schema.Purchases },
        problems: thrownBy.listPurchases,
        examples: { 200: { purchases: [example.exampleCompleted], nextCursor: null } },
      }),
    )
    .get(
      '/purchases/:purchaseId',
      ({ caller, params }) => readPurchase(deps.db.read, caller, params.purchaseId),
      operation({
        id: 'readPurchase',
        summary: 'Read a purchase',
        description: 'The purchase in its current status, with its price, and its pack once it is completed.',
        params: schema.PurchaseParams,
        responses: { 200: schema.Purchase },
        problems: thrownBy.readPurchase,
        examples: { 200: example.exampleCompleted },
      }),
    )
    .post(
      '/purchases/:purchaseId/cancel',
      ({ params, write }) =>
        write((tx, fan) => cancelPurchase(tx, fan, params.purchaseId, charge => cancelPayment(deps, charge))),
      operation({
        id: 'cancelPurchase',
        limit: 'purchases',
        summary: 'Cancel a pending purchase',
        description:
          'Ends the hold immediately, so that the pack can be sold to others. A repeat returns the same purchase. Its payment is cancelled at the gateway; a payment that was already made is refunded.',
        params: schema.PurchaseParams,
        body: Nothing,
        responses: { 200: schema.Purchase },
        problems: thrownBy.cancelPurchase,
        examples: { 200: { ...example.examplePurchase, status: 'cancelled' } },
      }),
    )
    .post(
      '/open',
      ({ body, write }) => write((tx, fan) => openPack(tx, fan, body)),
      operation({
        id: 'openPack',
        limit: 'purchases',
        summary: 'Open a pack',
        description:
          'Draws once; a repeat returns the same items. The response contains the proof of the draw.',
        query: Closed(LanguageQuery),
        body: schema.OpenPack,
        responses: { 200: schema.OpenedPack },
        problems: thrownBy.openPack,
        examples: {
          body: { userPackId: example.exampleUserPack.id, clientSeed: 'up the harbour' },
          200: example.exampleOpened,
        },
      }),
    )

const paymentRoutes = (deps: PackDeps) =>
  fans(deps, { prefix: '/api/packs/purchase', tag: TAG }).post(
    '/payment',
    ({ body, caller, set, write }) => {
      set.headers['Cache-Control'] = 'no-store'
      const { purchaseId, method = 'gateway' } = body
      return write(
        async (tx, fan, prepared) =>
          prepared ?? holdPackCash(tx, fan, purchaseId, deps.config.cashCurrencies),
        {
          prepare: async () => (method === 'gateway' ? preparePackPayment(deps, caller, body) : undefined),
          secret: true,
        },
      )
    },
    operation({
      id: 'preparePayment',
      limit: 'purchases',
      summary: 'Prepare the payment of a purchase',
      description:
        'For a pending purchase with a price in money. Returns the data that the payment gateway’s client library needs; a repeat returns the same data. With `method` `cash`, the price is held in your cash until the purchase expires: complete the purchase without a payment reference. `no_payment_needed`: the purchase is paid, free or priced in points, and is completed without a payment reference.',
      body: schema.PreparePayment,
      responses: { 200: PreparedPayment },
      problems: thrownBy.preparePayment,
      examples: {
        body: { purchaseId: example.examplePurchase.id },
        200: examplePreparedPayment,
      },
    }),
  )

const inventoryRoutes = (deps: PackDeps) =>
  fans(deps, { prefix: '/api/user', tag: TAG })
    .get(
      '/packs',
      ({ caller, query }) => listUserPacks(deps.db.read, deps.cursors, caller, pageOf(query)),
      operation({
        id: 'listUserPacks',
        summary: 'List your packs',
        description: 'Newest first.',
        query: Closed(PageQuery),
        responses: { 200: schema.UserPacks },
        problems: thrownBy.listUserPacks,
        examples: { 200: { packs: [example.exampleUserPack], nextCursor: null } },
      }),
    )
    .get(
      '/collection',
      async ({ caller, query }) => {
        const { tradeRestHours } = await settingsOf(deps.db.read)
        return listCollection(deps.db.read, deps.cursors, caller, pageOf(query), tradeRestHours)
      },
      operation({
        id: 'readCollection',
        summary: 'Read your collection',
        description:
          'The collectibles of the fan, ordered by id, each with its count and serial numbers. A copy that has changed owner cannot be traded until the time in `until`.',
        query: Closed({ ...PageQuery, ...LanguageQuery }),
        responses: { 200: schema.Collection },
        problems: thrownBy.readCollection,
        examples: { 200: example.exampleCollection },
      }),
    )

export const packsRoutes = (deps: PackDeps) =>
  new Elysia({ name: 'matchday/packs-routes' })
    .use(publicRoutes(deps))
    .use(proofRoutes(deps))
    .use(itemRoutes(deps))
    .use(purchaseRoutes(deps))
    .use(paymentRoutes(deps))
    .use(inventoryRoutes(deps))
