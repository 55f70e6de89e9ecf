/** What requirements ask of others: rooms that stand above, and chains. */
import type { Reader } from '../../../db/index.ts'
import type { Chains } from '../wallets/chains.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly eligibility: ReturnType<typeof createEligibilitySpine>
  }
}

/** Which of these collectibles the fan owns now. In a unit of work it locks a copy of each. */
type FindOwned = (reader: Reader, userId: string, collectibleIds: string[]) => Promise<Set<string>>

type IsCollectible = (reader: Reader, id: string) => Promise<boolean>

/** `chains`: once the dependencies are created. Commands, which claim and buy nothing, have none. */
export const createEligibilitySpine = (facts: { findOwned: FindOwned; isCollectible: IsCollectible }) => ({
  ...facts,
  // Guarantee of the cast: undefined is of the type.
  chains: undefined as Chains | undefined,
})
