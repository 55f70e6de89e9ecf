/** What the units of work of this process tell about points. */
import { createSignal } from '../core/signal.ts'

interface BookedEntry {
  /** One of `POINTS_REASONS`. */
  reason: string
  /** Negative for points that are spent or taken back. */
  delta: number
}

/** An entry was appended to a ledger. */
export const entryBooked = createSignal<BookedEntry>()
