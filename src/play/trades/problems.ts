/** Problems of trades and gifts. */
import { defineProblems } from '../../core/problems.ts'
import { Instant, Integer } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const tradeProblems = defineProblems({
  trade_not_found: {
    status: 404,
    title: 'You have no such trade',
    description:
      'No offer with this id was made by or to the caller. Only the fan who received it can accept or decline it, and only the fan who made it can cancel it.',
  },
  trade_changed: {
    status: 409,
    title: 'The offer has changed since you read it',
    description: 'The trade has another `version`. Read it again, show it, and let the user decide again.',
  },
  trade_not_open: {
    status: 409,
    title: 'The offer is not open',
    description: 'It has ended or expired; `detail` states how. Read the trade again.',
  },
  item_resting: {
    status: 409,
    title: 'An item cannot be traded yet',
    description:
      'After a change of owner, an item cannot be traded for `tradeRestHours`. Show which item it is, and try again after `until`.',
    members: Type.Object({
      collectibleId: Type.String({ description: 'Slug of the collectible.' }),
      serialNumber: Integer({ minimum: 1, description: 'Number of the copy.' }),
      until: Instant('When the item can be traded again.'),
    }),
    example: { collectibleId: 'harbour-lights', serialNumber: 17, until: '2026-08-17T09:00:00.000Z' },
  },
  item_not_tradable: {
    status: 409,
    title: 'An item cannot be traded',
    description: 'The club keeps what its pack gave out of trades and gifts. Show which item it is.',
    members: Type.Object({
      collectibleId: Type.String({ description: 'Slug of the collectible.' }),
      serialNumber: Integer({ minimum: 1, description: 'Number of the copy.' }),
    }),
    example: { collectibleId: 'harbour-lights', serialNumber: 17 },
  },
  cannot_trade_with_yourself: {
    status: 409,
    title: 'This is your own handle',
    description: 'A trade is between two fans.',
  },
  fan_cannot_trade: {
    status: 409,
    title: 'The other fan cannot trade now',
    description: 'The other fan cannot trade at the moment. Try again later.',
  },
  too_many_open_trades: {
    status: 409,
    title: 'You have too many open offers',
    description:
      'The caller has reached the maximum number of open offers. Cancel one, or wait until one ends.',
  },
})
