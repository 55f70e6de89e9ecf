/** Collects the items that fans get in a unit of work, and reports the items of all fans together at its end. */
import type { Deferred, Transaction } from '../../../db/index.ts'

export interface Arrival {
  /** The new owner. */
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

/** Called wherever a fan gets an item. */
export function noteArrival(tx: Transaction, { userId, collectibleId }: Arrival): void {
  tx.deferred(arrivals).push({ userId, collectibleId })
}

const arrivals: Deferred<Arrival[]> = {
  // First of all kinds: completed sets book points and take from stocks.
  order: -2,
  start: () => [],
  async write(tx, arrivals) {
    await tx.spine.items.onArrived(tx, arrivals)
    return []
  },
}
