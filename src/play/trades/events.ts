import type { Transaction } from '../../../db/index.ts'
import { applicationEvent, writeEvents } from '../../economy/events/record-event.ts'

interface TradeOfEvent {
  id: string
  fromId: string
  toId: string
  /** Numbers of items. */
  give: number
  want: number
}

/** Records the event for both fans. */
export async function recordForBoth(
  tx: Transaction,
  type: 'trade.offered' | 'trade.completed',
  { id: tradeId, fromId, toId, give, want }: TradeOfEvent,
): Promise<void> {
  await writeEvents(tx, [
    applicationEvent(tx, {
      userId: fromId,
      type,
      data: { tradeId, role: 'from', give, want },
      senderId: toId,
    }),
    applicationEvent(tx, {
      userId: toId,
      type,
      data: { tradeId, role: 'to', give, want },
      senderId: fromId,
    }),
  ])
}
