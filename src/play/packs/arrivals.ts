/** The items that fans get in a unit of work: passed on at its end, those of all fans together. */
import type { Deferred, Transaction } from '../../../db/index.ts'

export interface Arrival {
  /** Who owns the item now. */
  userId: string
  collectibleId: string
}

declare module '../../../db/types.ts' {
  interface Spine {
    readonly items: ReturnType<typeof createItemsSpine>
  }
}

type Receiver = (tx: Transaction, arrivals: Arrival[]) => Promise<void>

export const createItemsSpine = (onArrived: Receiver) => ({ onArrived })

/** Every place that gives a fan an item calls it. */
export function noteArrival(tx: Transaction, { userId, collectibleId }: Arrival): void {
  tx.deferred(arrivals).push({ userId, collectibleId })
}

const arrivals: Deferred<Arrival[]> = {
  // Before all others: what an item brings about books points and takes from stocks.
  order: -2,
  start: () => [],
  async write(tx, arrivals) {
    await tx.spine.items.onArrived(tx, arrivals)
    return []
  },
}
