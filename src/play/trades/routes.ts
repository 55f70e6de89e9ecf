import { Elysia } from 'elysia'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { acceptTrade } from './accept.ts'
import { cancelTrade, declineTrade } from './end.ts'
import { offerTrade } from './offer.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'
import { listTrades, readTrade } from './trades.ts'

type TradeDeps = FanDeps & { cursors: Cursors }

const TAG = 'Trades'

const tradeRoutes = (deps: TradeDeps) =>
  fans(deps, { prefix: '/api/trades', tag: TAG })
    .post(
      '',
      ({ body, status, write }) =>
        write(async (tx, fan) => status(201, await offerTrade(tx, fan, body, await settingsOf(tx)))),
      operation({
        id: 'offerTrade',
        limit: 'trades',
        summary: 'Offer a trade or a gift',
        description:
          'Open for 7 days. The items stay with their owners until the offer is accepted. After a change of owner, an item cannot be traded for a day.',
        query: Closed(LanguageQuery),
        body: schema.TradeOffer,
        findErrors: schema.findRepeatedItems,
        responses: { 201: schema.Trade },
        problems: thrownBy.offerTrade,
        examples: { body: schema.exampleTradeOffer, 201: schema.exampleTrade },
      }),
    )
    .get(
      '/:tradeId',
      ({ caller, params }) => readTrade(deps.db.read, caller, params.tradeId),
      operation({
        id: 'readTrade',
        summary: 'Read a trade',
        description: 'A trade that you offered, or that was offered to you.',
        params: schema.TradeParams,
        query: Closed(LanguageQuery),
        responses: { 200: schema.Trade },
        problems: thrownBy.readTrade,
        examples: { 200: schema.exampleTrade },
      }),
    )
    .post(
      '/:tradeId/accept',
      ({ body, params, write }) =>
        write(async (tx, fan) => acceptTrade(tx, fan, params.tradeId, body, await settingsOf(tx))),
      operation({
        id: 'acceptTrade',
        limit: 'trades',
        summary: 'Accept a trade',
        description:
          'All items change owner, or none. If an item has another owner by then, the offer becomes void. A repeat returns the completed trade.',
        params: schema.TradeParams,
        query: Closed(LanguageQuery),
        body: schema.TradeAcceptance,
        responses: { 200: schema.Trade },
        problems: thrownBy.acceptTrade,
        examples: { body: { version: 1 }, 200: schema.exampleCompletedTrade },
      }),
    )
    .post(
      '/:tradeId/decline',
      ({ params, write }) => write((tx, fan) => declineTrade(tx, fan, params.tradeId)),
      operation({
        id: 'declineTrade',
        limit: 'trades',
        summary: 'Decline a trade',
        description: 'Ends an offer that was made to you. A repeat returns the same trade.',
        params: schema.TradeParams,
        query: Closed(LanguageQuery),
        body: Nothing,
        responses: { 200: schema.Trade },
        problems: thrownBy.declineTrade,
        examples: { 200: { ...schema.exampleCompletedTrade, status: 'declined' } },
      }),
    )
    .post(
      '/:tradeId/cancel',
      ({ params, write }) => write((tx, fan) => cancelTrade(tx, fan, params.tradeId)),
      operation({
        id: 'cancelTrade',
        limit: 'trades',
        summary: 'Cancel a trade',
        description: 'Ends an offer that you made. A repeat returns the same trade.',
        params: schema.TradeParams,
        query: Closed(LanguageQuery),
        body: Nothing,
        responses: { 200: schema.Trade },
        problems: thrownBy.cancelTrade,
        examples: { 200: { ...schema.exampleCompletedTrade, status: 'cancelled' } },
      }),
    )

const listRoutes = (deps: TradeDeps) =>
  fans(deps, { prefix: '/api/user/trades', tag: TAG }).get(
    '',
    ({ caller, query }) => listTrades(deps.db.read, deps.cursors, caller, pageOf(query)),
    operation({
      id: 'listTrades',
      summary: 'List your trades',
      description: 'Trades that you offered or that were offered to you, newest first.',
      query: Closed({ ...PageQuery, ...LanguageQuery }),
      responses: { 200: schema.Trades },
      problems: thrownBy.listTrades,
      examples: { 200: { trades: [schema.exampleTrade], nextCursor: null } },
    }),
  )

export const tradesRoutes = (deps: TradeDeps) =>
  new Elysia({ name: 'matchday/trades-routes' }).use(tradeRoutes(deps)).use(listRoutes(deps))
