/** Which kinds of entries decide what fans get. A new kind does not compile without its line. */
import type { RecordKind } from '../../admin/import/catalogue-records.ts'

const GIVES_VALUE: Record<RecordKind, boolean> = {
  team: false,
  // A result settles predictions.
  match: true,
  reward: true,
  pack: true,
  product: true,
  set: true,
  rule: true,
  quest: true,
}

/** Whether entries of the kind give points, cash or goods. */
export const givesValue = (kind: RecordKind): boolean => GIVES_VALUE[kind]
