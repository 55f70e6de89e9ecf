/** Which kinds of entries decide what fans get. A new kind does not compile without its line. */
import type { KindName } from '../../../club/catalogue/kinds.ts'

const GIVES_VALUE: Record<KindName, boolean> = {
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
export const givesValue = (kind: KindName): boolean => GIVES_VALUE[kind]
