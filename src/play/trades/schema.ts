import { isValid } from '../../core/formats.ts'
import type { FieldError } from '../../core/problems.ts'
import { Closed, Id, IdReference, Instant, Integer, NextCursor, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

const MAX_ITEMS = 10

const serialNumber = Integer({ minimum: 1, description: 'Number of the copy.' })

/** An item in a request. */
const OfferedItem = Closed(
  { collectibleId: IdReference('Slug of the collectible.', 'harbour-lights'), serialNumber },
  { title: 'OfferedItem', description: 'One copy of a collectible.' },
)

const TradeItem = Closed(
  {
    collectibleId: Type.String({ description: 'Slug of the collectible.' }),
    serialNumber,
    name: Type.String({ description: 'Name of the collectible.' }),
    imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
    rarity: Type.String({ description: 'Rarity: any text of the catalogue.' }),
  },
  { title: 'TradeItem', description: 'One copy of a collectible.' },
)
export type TradeItem = typeof TradeItem.static

export const TradeOffer = Closed({
  to: IdReference('Handle of the other fan.', 'calebe'),
  give: Type.Array(OfferedItem, { minItems: 1, maxItems: MAX_ITEMS, description: 'Your items.' }),
  want: Type.Optional(
    Type.Array(OfferedItem, {
      maxItems: MAX_ITEMS,
      description: 'Items of the other fan. A gift asks for nothing in return.',
    }),
  ),
})
export type TradeOffer = typeof TradeOffer.static

/** An item that is listed twice. */
export function findRepeatedItems({ body }: { body: unknown }): FieldError[] {
  if (!isValid(TradeOffer, body)) return []
  const seen = new Set<string>()
  return (['give', 'want'] as const).flatMap(side =>
    (body[side] ?? []).flatMap(({ collectibleId, serialNumber }, index) => {
      const name = JSON.stringify([collectibleId, serialNumber])
      if (seen.has(name)) return [{ pointer: `/${side}/${index}`, message: 'must not be listed twice' }]
      seen.add(name)
      return []
    }),
  )
}

export const TradeParams = Closed({ tradeId: IdReference('The trade.') })

export const TradeAcceptance = Closed({
  version: Integer({ minimum: 1, description: 'The `version` of the trade that the user has seen.' }),
})
export type TradeAcceptance = typeof TradeAcceptance.static

const Handle = (description: string) =>
  Nullable(Type.String(), { description: `${description} Null for a fan without a handle, or erased.` })

export const Trade = Closed(
  {
    id: Id('The trade.'),
    from: Handle('Handle of the fan who made the offer.'),
    to: Handle('Handle of the fan who received it.'),
    give: Type.Array(TradeItem, { description: 'What `from` gives.' }),
    want: Type.Array(TradeItem, { description: 'What `to` gives; empty for a gift.' }),
    status: OneOf(['open', 'completed', 'declined', 'cancelled', 'expired', 'void'], {
      description:
        '`expired`: not accepted in 7 days. `void`: an item had left before the offer was accepted, or a fan deleted the account.',
    }),
    version: Integer({
      minimum: 1,
      description: 'Changes when the trade changes. Required to accept the trade.',
    }),
    createdAt: Instant('When the offer was made.'),
    expiresAt: Instant('When an open offer expires.'),
    endedAt: Nullable(Instant('When the trade was completed, declined, cancelled or voided.')),
  },
  { title: 'Trade', description: 'An offer of items for items, or of a gift.' },
)
export type Trade = typeof Trade.static

export const Trades = Closed(
  { trades: Type.Array(Trade, { description: 'Newest first.' }), nextCursor: NextCursor },
  { title: 'Trades' },
)

export const exampleTrade: Trade = {
  id: '01981e2c-7c1f-7000-8000-000000000009',
  from: 'calebe',
  to: 'ines',
  give: [
    {
      collectibleId: 'harbour-lights',
      serialNumber: 17,
      name: 'Harbour lights',
      imageUrl: null,
      rarity: 'common',
    },
  ],
  want: [
    {
      collectibleId: 'goalkeeper-gloves',
      serialNumber: 42,
      name: 'Goalkeeper gloves',
      imageUrl: null,
      rarity: 'rare',
    },
  ],
  status: 'open',
  version: 1,
  createdAt: '2026-08-16T09:00:00.000Z',
  expiresAt: '2026-08-23T09:00:00.000Z',
  endedAt: null,
}

export const exampleTradeOffer: TradeOffer = {
  to: 'ines',
  give: [{ collectibleId: 'harbour-lights', serialNumber: 17 }],
  want: [{ collectibleId: 'goalkeeper-gloves', serialNumber: 42 }],
}

export const exampleCompletedTrade: Trade = {
  ...exampleTrade,
  status: 'completed',
  version: 2,
  endedAt: '2026-08-17T09:00:00.000Z',
}
