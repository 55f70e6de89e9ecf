/** A trade as the fan of this app sees it. */
import type { Item, Trade } from './api.ts'

export interface Sides {
  /** Whether the fan must answer it while it is open. */
  isIncoming: boolean
  /** Handle of the other fan; null for a fan without a handle, or an erased fan. */
  other: string | null
  /** The items that the fan would get and give. */
  get: Item[]
  lose: Item[]
}

/** `own`: handle of the fan of this app. A fan without one cannot be offered anything. */
export function sidesOf({ from, to, give, want }: Trade, own: string | null): Sides {
  const isIncoming = own !== null && to === own
  return isIncoming
    ? { isIncoming, other: from, get: give, lose: want }
    : { isIncoming, other: to, get: want, lose: give }
}
