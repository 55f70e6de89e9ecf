/** What accounts need of the rooms above: that tiers of fans are events, and the lock of a fan's ledgers. */
import type { Deferred, Reader, Transaction } from '../../../db/index.ts'
import type { TierChange } from './tiers.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly accounts: ReturnType<typeof createAccountsSpine>
  }
}

export interface ToldTier extends Omit<TierChange, 'type'> {
  type: TierChange['type'] | 'at_risk'
  userId: string
  accountId: string
  /** With the other members it identifies the change: it is told once. */
  seq: number
  /** For a tier at risk: the end of the season. */
  endsAt?: Date
}

type Recorder = (tx: Transaction, changes: ToldTier[]) => Promise<void>

/** Locks all ledgers of fans with entries in accounts until the unit of work ends, by the rows of their points. */
type Locker = (tx: Transaction, userIds: string[]) => Promise<void>

/** An active entry that names an account, and the tiers of it that it names. */
export interface AccountUse {
  kind: string
  id: string
  tiers: string[]
}

export const createAccountsSpine = (
  recordTiers: Recorder,
  lockLedgers: Locker,
  listUses: (reader: Reader, accountId: string) => Promise<AccountUse[]>,
) => ({ recordTiers, lockLedgers, listUses })

/** Recorded at the end of the unit of work, for all fans together. */
export function tellTier(tx: Transaction, change: ToldTier): void {
  tx.deferred(told).push(change)
}

const told: Deferred<ToldTier[]> = {
  // Rows of one fan: before those that fans share.
  order: -1,
  start: () => [],
  async write(tx, changes) {
    await tx.spine.accounts.recordTiers(tx, changes)
    return []
  },
}
