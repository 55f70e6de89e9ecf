/** What a room above knows, and preferences depend on. */
import type { Reader } from '../../../db/index.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly preferences: ReturnType<typeof createPreferencesSpine>
  }
}

/** `readConsenting`: those of the fans who consent to a purpose now. */
export const createPreferencesSpine = (
  readConsenting: (reader: Reader, userIds: string[], purpose: string) => Promise<ReadonlySet<string>>,
) => ({ readConsenting })
