/** Who saw the secrets of which links, so that one person cannot act as two. */
import { and, gte, isNotNull } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { compareStaff } from '../../../core/staff-ids.ts'

/** A person of the staff, and when they acted. */
export interface Acting {
  id: string
  at: Date
}

export interface Inviters {
  /**
   * Whether two ids prove two people. A person may have both a provider account and a link under any name, so both must come
   * from the same way of sign-in. A person who invites another by a link could use the link themselves, so neither they nor
   * anybody who invited them may be among the people of the other id.
   */
  areTwo(one: Acting, other: Acting): boolean
}

/** How long after its end a link can matter. Longer than a session and a request for approval together. */
export const LINK_MATTERS_MS = 48 * 3_600_000

/** `since`: the earliest time at which someone acted. `sweepConsole` keeps the used links of all times. */
export async function readInviters(reader: Reader, since: Date): Promise<Inviters> {
  const { staffId, invitedById, usedAt, expiresAt } = reader.tables.consoleLinks
  const rows = await reader
    .select({ staffId, invitedById, usedAt, expiresAt })
    .from(reader.tables.consoleLinks)
    .where(and(isNotNull(usedAt), isNotNull(invitedById), gte(expiresAt, endOf(since))))
  const links = Map.groupBy(rows, row => row.staffId)
  /** The person, and everybody who could be acting as them at that time. */
  function behind({ id, at }: Acting): Set<string> {
    const found = new Set([id])
    // A set is iterated with what is added meanwhile.
    for (const one of found)
      for (const { invitedById, usedAt, expiresAt } of links.get(one) ?? [])
        if (invitedById !== null && usedAt !== null && usedAt <= at && expiresAt >= endOf(at))
          found.add(invitedById)
    return found
  }
  return {
    areTwo: (one, other) => {
      const others = [...behind(other)]
      return [...behind(one)].every(a => others.every(b => compareStaff(a, b) === 'different'))
    },
  }
}

/** Links that ended before this time no longer mattered at `at`. */
const endOf = (at: Date) => new Date(at.getTime() - LINK_MATTERS_MS)
