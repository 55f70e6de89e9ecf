/** The functions that record events for decisions of moderators, in the unit of work of the decision, and that compare moderators. */
import type { Reader, Transaction } from '../../../db/index.ts'
import type { Appeal } from './appeals.ts'
import type { Decision, Moderator } from './decisions.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly sanctions: SanctionsSpine
  }
}

/** A moderator, and when they decided. */
export type Deciding = Moderator & { createdAt: Date }

interface SanctionsSpine {
  recordSanction(tx: Transaction, sanction: Decision): Promise<void>
  /** `lift` ends the sanction. */
  recordLift(tx: Transaction, lift: Decision, sanction: Decision): Promise<void>
  /** The appeal as it is decided. */
  recordAppeal(tx: Transaction, appeal: Appeal): Promise<void>
  /** Whether two moderators may be one person. `earlier`: the decisions that are compared. */
  readSamePerson(reader: Reader, earlier: Deciding[]): Promise<(one: Deciding, other: Deciding) => boolean>
}

export const createSanctionsSpine = (functions: SanctionsSpine): SanctionsSpine => functions
