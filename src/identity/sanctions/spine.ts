/** The functions that record events for decisions of moderators, in the unit of work of the decision. */
import type { Transaction } from '../../../db/index.ts'
import type { Appeal } from './appeals.ts'
import type { Decision } from './decisions.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly sanctions: SanctionsSpine
  }
}

interface SanctionsSpine {
  recordSanction(tx: Transaction, sanction: Decision): Promise<void>
  /** `lift` ends the sanction. */
  recordLift(tx: Transaction, lift: Decision, sanction: Decision): Promise<void>
  /** The appeal as it is decided. */
  recordAppeal(tx: Transaction, appeal: Appeal): Promise<void>
}

export const createSanctionsSpine = (recorders: SanctionsSpine): SanctionsSpine => recorders
