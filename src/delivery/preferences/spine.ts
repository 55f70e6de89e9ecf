/** What a room above knows, and preferences depend on. */
import type { Reader, Transaction } from '../../../db/index.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly preferences: ReturnType<typeof createPreferencesSpine>
  }
}

/**
 * `readConsenting`: those of the fans who consent to a purpose now. `decideAgain`: what quiet hours of the fan hold is decided
 * by the preferences of now.
 */
export const createPreferencesSpine = (
  readConsenting: (reader: Reader, userIds: string[], purpose: string) => Promise<ReadonlySet<string>>,
  decideAgain: (tx: Transaction, fanId: string) => Promise<void>,
) => ({ readConsenting, decideAgain })
