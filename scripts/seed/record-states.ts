/** The state of the fans of a seed in the database. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import type { Fan } from '../../mock-idp/users/user.ts'
import { erasedSubject } from '../../src/identity/users/users.ts'

/** A fan of the provider, and the record id that the seed draws. */
export interface SeedFan {
  fan: Fan
  index: number
  id: string
}

/**
 * `absent` fans are written. The others are skipped: `present` by this seed; `taken` if the subject has another record;
 * `erased`; `elsewhere` if the id exists under another provider's name.
 */
export type RecordState = 'absent' | 'present' | 'taken' | 'erased' | 'elsewhere'

/** Number of skipped fans by state. */
export type Skipped = Record<Exclude<RecordState, 'absent'>, number>

export const noneSkipped = (): Skipped => ({ present: 0, taken: 0, erased: 0, elsewhere: 0 })

export function addSkipped(sum: Skipped, more: Skipped): void {
  sum.present += more.present
  sum.taken += more.taken
  sum.erased += more.erased
  sum.elsewhere += more.elsewhere
}

/** Looks fans up by subject, as sign-ins do, and by id, which an erasure or another provider's name keeps. */
export async function readRecordStates(reader: Reader, provider: string, fans: SeedFan[]) {
  const { users } = reader.tables
  const { id, subject, erasedAt } = users
  const names = fans.flatMap(({ fan: { sub } }) => [sub, erasedSubject({ provider, subject: sub })])
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
        fans.map(seedFan => seedFan.id),
      ),
    )
  const bySubject = new Map(named.map(row => [row.subject, row]))
  const byId = new Map(drawn.map(row => [row.id, row]))
  return fans.map(({ fan: { sub }, id: drawnId }): RecordState => {
    const own = bySubject.get(sub)
    if (own) return own.id === drawnId ? 'present' : 'taken'
    const sameId = byId.get(drawnId)
    if (sameId?.erasedAt || bySubject.has(erasedSubject({ provider, subject: sub }))) return 'erased'
    return sameId ? 'elsewhere' : 'absent'
  })
}

/** The handles of these fans that exist already. */
export async function readTakenHandles(reader: Reader, fans: SeedFan[]): Promise<Set<string | null>> {
  const { users } = reader.tables
  const handles = fans.map(({ fan }) => fan.preferred_username)
  const taken = await reader
    .select({ handle: users.handle })
    .from(users)
    .where(inArray(users.handle, handles))
  return new Set(taken.map(({ handle }) => handle))
}
