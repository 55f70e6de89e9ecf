/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { packProblems } from '../packs/problems.ts'
import { tradeProblems } from './problems.ts'

export const thrownBy = {
  offerTrade: [
    userProblems.fan_not_found,
    tradeProblems.cannot_trade_with_yourself,
    tradeProblems.fan_cannot_trade,
    tradeProblems.too_many_open_trades,
    packProblems.item_not_owned,
    tradeProblems.item_not_tradable,
    tradeProblems.item_resting,
  ],
  readTrade: [tradeProblems.trade_not_found],
  acceptTrade: [
    tradeProblems.trade_not_found,
    tradeProblems.trade_changed,
    tradeProblems.trade_not_open,
    tradeProblems.fan_cannot_trade,
    packProblems.item_not_owned,
    tradeProblems.item_not_tradable,
    tradeProblems.item_resting,
  ],
  declineTrade: [tradeProblems.trade_not_found, tradeProblems.trade_not_open],
  cancelTrade: [tradeProblems.trade_not_found, tradeProblems.trade_not_open],
  listTrades: [transportProblems.invalid_cursor],
} as const
