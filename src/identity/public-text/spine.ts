/** The rules for public texts of fans: one policy for each database. */
import type { Transaction } from '../../../db/index.ts'
import type { IsReservedName } from './reserved-names.ts'
import type { TextFilter } from './text-filter.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly publicText: ReturnType<typeof createPublicTextSpine>
  }
}

export interface PublicTextPolicy {
  filter: TextFilter | null
  termsVersion: string | null
  /** Where the terms are. */
  termsUrl?: string | null
  /** Names that fans do not give to themselves. */
  isReserved?: IsReservedName
}

/** Called in the unit of work of the write, with the texts that the filter matches. */
type Flag = (tx: Transaction, userId: string, texts: string[]) => Promise<void>

/** `policy` is that of the configuration, once the dependencies are created. Commands, which write no texts of fans, have none. */
export const createPublicTextSpine = (flag: Flag) => ({
  flag,
  policy: { filter: null, termsVersion: null } as PublicTextPolicy,
})
