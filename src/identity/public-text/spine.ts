/** What the check of public texts needs of higher rooms. */
import type { Transaction } from '../../../db/index.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly publicText: ReturnType<typeof createPublicTextSpine>
  }
}

/** Called in the unit of work of the write, with the texts that the filter matches. */
type Flag = (tx: Transaction, userId: string, texts: string[]) => Promise<void>

/** Called in the unit of work in which a fan accepts a version of the terms. False: it is not that of the current document. */
type ConsentToTerms = (tx: Transaction, userId: string, version: string) => Promise<boolean>

/** `isApplied`: whether texts are checked, as the API does. Commands, which write no texts of fans, do not. */
export const createPublicTextSpine = (rooms: { flag: Flag; consentToTerms: ConsentToTerms }) => ({
  ...rooms,
  isApplied: false,
})
