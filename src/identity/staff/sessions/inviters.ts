/** Who saw the secrets of which links, so that one person cannot act as two. */
import { and, isNotNull } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { compareStaff } from '../../../core/staff-ids.ts'

export interface Inviters {
  /**
   * Whether two ids prove two people. A person may have both a provider account and a link under any name, so both must come
   * from the same way of sign-in. A person who invites another by a link could use the link themselves, so neither they nor
   * anybody who invited them may be among the people of the other id.
   */
  areTwo(one: string, other: string): boolean
}

/** The used links: `sweepConsole` keeps them for longer than anything that began with them. */
export async function readInviters(reader: Reader): Promise<Inviters> {
  const { staffId, invitedById, usedAt } = reader.tables.consoleLinks
  const rows = await reader
    .selectDistinct({ staffId, invitedById })
    .from(reader.tables.consoleLinks)
    .where(and(isNotNull(usedAt), isNotNull(invitedById)))
  const inviters = Map.groupBy(rows, row => row.staffId)
  /** The person, and everybody who could be acting as them. */
  function behind(id: string): Set<string> {
    const found = new Set([id])
    // A set is iterated with what is added meanwhile.
    for (const one of found)
      for (const row of inviters.get(one) ?? []) if (row.invitedById !== null) found.add(row.invitedById)
    return found
  }
  return {
    areTwo: (one, other) => {
      const others = [...behind(other)]
      return [...behind(one)].every(a => others.every(b => compareStaff(a, b) === 'different'))
    },
  }
}
