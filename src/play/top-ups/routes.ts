import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import type { AppSources } from '../../core/sources.ts'
import { listCashEntries } from '../../economy/cash/balances.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { Config } from '../../platform/config/config.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import type { Payments } from '../purchases/gateways/create.ts'
import { examplePreparedPayment, PreparedPayment } from '../purchases/gateways/gateway.ts'
import type { PurchaseKind } from '../purchases/kind.ts'
import { keepOwnLimits } from '../purchases/own-limits.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'
import { completeTopUp, listTopUps, prepareTopUp, readTopUp, startTopUp, verifyTopUp } from './top-ups.ts'

type CashDeps = FanDeps & {
  config: Pick<Config, 'cashCurrencies'>
  cursors: Cursors
  log: Logger
  now: AppSources['now']
  payments: Payments
  /** The kinds of purchases on this server: a limit of the fan counts them all. */
  purchaseKinds: readonly PurchaseKind[]
}

const TAG = 'Cash'

const topUpRoutes = (deps: CashDeps) =>
  fans(deps, { prefix: '/api/cash/top-ups', tag: TAG })
    .post(
      '',
      ({ body, status, write }) =>
        write(
          async (tx, fan) => {
            const topUp = await startTopUp(tx, fan, body, deps.config.cashCurrencies)
            await keepOwnLimits(tx, deps.purchaseKinds, fan, body)
            return status(201, topUp)
          },
          { toCount: true },
        ),
      operation({
        id: 'startTopUp',
        limit: 'purchases',
        summary: 'Start a top-up',
        description: 'Pay it within 30 minutes, in the same way as a purchase with a price in money.',
        body: schema.StartTopUp,
        responses: { 201: schema.TopUp },
        problems: thrownBy.startTopUp,
        examples: { body: { amount: 2000, currency: 'EUR' }, 201: schema.exampleTopUp },
      }),
    )
    .put(
      '',
      ({ body, caller, write }) =>
        write((tx, fan, payment) => completeTopUp(tx, deps, fan, body, payment), {
          prepare: () => verifyTopUp(deps, caller, body),
        }),
      operation({
        id: 'completeTopUp',
        limit: 'purchases',
        summary: 'Complete a top-up',
        description:
          'Verifies with the payment gateway that `paymentReference` paid this top-up in full, and credits the cash once. A repeat returns the same top-up.',
        body: schema.CompleteTopUp,
        responses: { 200: schema.TopUp },
        problems: thrownBy.completeTopUp,
        examples: {
          body: { topUpId: schema.exampleTopUp.id, paymentReference: 'pi_3PqR' },
          200: schema.exampleCredited,
        },
      }),
    )
    .post(
      '/payment',
      ({ body, caller, set, write }) => {
        set.headers['Cache-Control'] = 'no-store'
        return write(async (_tx, _fan, prepared) => prepared, {
          prepare: () => prepareTopUp(deps, caller, body.topUpId),
          secret: true,
        })
      },
      operation({
        id: 'prepareTopUpPayment',
        limit: 'purchases',
        summary: 'Prepare the payment of a top-up',
        description:
          'Returns the data that the payment gateway’s client library needs; a repeat returns the same data.',
        body: schema.TopUpReference,
        responses: { 200: PreparedPayment },
        problems: thrownBy.prepareTopUpPayment,
        examples: {
          body: { topUpId: schema.exampleTopUp.id },
          200: examplePreparedPayment,
        },
      }),
    )
    .get(
      '',
      ({ caller, query }) => listTopUps(deps.db.read, deps.cursors, caller, pageOf(query)),
      operation({
        id: 'listTopUps',
        summary: 'List your top-ups',
        description: 'Newest first, in every status.',
        query: schema.CashQuery,
        responses: { 200: schema.TopUps },
        problems: thrownBy.listTopUps,
        examples: { 200: { topUps: [schema.exampleCredited], nextCursor: null } },
      }),
    )

/** Not below `/api/cash/top-ups`: such a path with an id would also match `/api/cash/:currency/entries`. */
const ownTopUpRoutes = (deps: CashDeps) =>
  fans(deps, { prefix: '/api/user/top-ups', tag: TAG }).get(
    '/:topUpId',
    ({ caller, params }) => readTopUp(deps.db.read, caller, params.topUpId),
    operation({
      id: 'readTopUp',
      summary: 'Read a top-up',
      description: 'A top-up that you started, in its current status.',
      params: schema.TopUpParams,
      responses: { 200: schema.TopUp },
      problems: thrownBy.readTopUp,
      examples: { 200: schema.exampleCredited },
    }),
  )

const entryRoutes = (deps: CashDeps) =>
  fans(deps, { prefix: '/api/cash/:currency/entries', tag: TAG }).get(
    '',
    ({ caller, params, query }) =>
      listCashEntries(deps.db.read, deps.cursors, caller, { ...params, ...pageOf(query) }),
    operation({
      id: 'listCashEntries',
      summary: 'List the entries of your cash',
      description: 'Newest first. Cash held for purchases has no entry until the purchase completes.',
      params: schema.CashParams,
      query: schema.CashQuery,
      responses: { 200: schema.CashEntries },
      problems: thrownBy.listCashEntries,
      examples: { 200: { entries: [schema.exampleEntry], nextCursor: null } },
    }),
  )

export const cashRoutes = (deps: CashDeps) =>
  new Elysia({ name: 'matchday/cash-routes' })
    .use(topUpRoutes(deps))
    .use(ownTopUpRoutes(deps))
    .use(entryRoutes(deps))
