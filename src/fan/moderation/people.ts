/** Which moderators may be one person: an appeal is decided by another one than the sanction. */
import type { Reader } from '../../../db/index.ts'
import { isSameName } from '../../core/name-text.ts'
import type { Deciding } from '../../identity/sanctions/spine.ts'
import { readInviters } from '../../identity/staff/sessions/inviters.ts'

/**
 * Compares by the rule of approvals: two people are the same also if one could have used the link of the other. Commands know
 * only names, so these are compared by name. `earlier`: the decisions that are compared.
 */
export async function readSamePerson(
  reader: Reader,
  earlier: Deciding[],
): Promise<(one: Deciding, other: Deciding) => boolean> {
  const times = earlier.map(({ createdAt }) => createdAt.getTime())
  const { areTwo } = await readInviters(reader, new Date(Math.min(reader.now().getTime(), ...times)))
  return (one, other) =>
    one.decidedById == null || other.decidedById == null
      ? isSameName(one.decidedBy, other.decidedBy)
      : !areTwo({ id: one.decidedById, at: one.createdAt }, { id: other.decidedById, at: other.createdAt })
}
