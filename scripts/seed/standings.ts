/** What the database already has of the fans of a seed. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import type { Fan } from '../../mock-idp/users/user.ts'
import { erasedSubject } from '../../src/users/users.ts'

/** A fan of the provider, and the id that the seed draws for their record. */
export interface Member {
  fan: Fan
  index: number
  id: string
}

/**
 * `absent` has no record and gets one. All others are left as they are: `present` is there, by this seed; `taken` has a
 * record of another making under that subject; `erased` was erased; `elsewhere` is there under another provider's name.
 */
export type Standing = 'absent' | 'present' | 'taken' | 'erased' | 'elsewhere'

/** How many fans this run left as they are, by the reason. */
export type Skipped = Record<Exclude<Standing, 'absent'>, number>

export const noneSkipped = (): Skipped => ({ present: 0, taken: 0, erased: 0, elsewhere: 0 })

export function addSkipped(sum: Skipped, more: Skipped): void {
  sum.present += more.present
  sum.taken += more.taken
  sum.erased += more.erased
  sum.elsewhere += more.elsewhere
}

/** By id, since neither an erasure nor another provider's name frees it; and by subject, as sign-ins do. */
export async function readStandings(reader: Reader, provider: string, members: Member[]) {
  const { users } = reader.tables
  const { id, subject, erasedAt } = users
  const names = members.flatMap(({ fan: { sub } }) => [sub, erasedSubject({ provider, subject: sub })])
  const named = await reader
    .select({ id, subject, erasedAt })
    .from(users)
    .where(and(eq(users.provider, provider), inArray(subject, names)))
  const drawn = await reader
    .select({ id, erasedAt })
    .from(users)
    .where(
      inArray(
        id,
        members.map(member => member.id),
      ),
    )
  const bySubject = new Map(named.map(row => [row.subject, row]))
  const byId = new Map(drawn.map(row => [row.id, row]))
  return members.map(({ fan: { sub }, id: drawnId }): Standing => {
    const own = bySubject.get(sub)
    if (own) return own.id === drawnId ? 'present' : 'taken'
    const sameId = byId.get(drawnId)
    if (sameId?.erasedAt || bySubject.has(erasedSubject({ provider, subject: sub }))) return 'erased'
    return sameId ? 'elsewhere' : 'absent'
  })
}

/** Which of their handles somebody has. */
export async function readTakenHandles(reader: Reader, members: Member[]): Promise<Set<string | null>> {
  const { users } = reader.tables
  const handles = members.map(({ fan }) => fan.preferred_username)
  const taken = await reader
    .select({ handle: users.handle })
    .from(users)
    .where(inArray(users.handle, handles))
  return new Set(taken.map(({ handle }) => handle))
}
