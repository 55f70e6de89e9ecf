/** Sessions that began at the provider of the staff, and that it ends. */
import { and, eq, isNull, lte, or } from 'drizzle-orm'
import type { Transaction } from '../../../../db/index.ts'
import { endRequestsOf } from '../approvals/end-requests.ts'
import { PROVIDER } from '../staff.ts'

/** At least one of `person` and `session` is given. */
export interface ProviderLogout {
  /** Of `iss` and `sub`: the id of the person. Without `session`, all of their sessions end. */
  person: string | null
  /** `sid`: one session at the provider. */
  session: string | null
  /** What began later does not end. */
  until: Date
}

/**
 * Sessions that have ended before are not in the result. Those of which no `sid` is known end with any of the person. Requests of
 * those whose sessions end do so as well.
 */
export async function endSessionsAtProvider(
  tx: Transaction,
  { person, session, until }: ProviderLogout,
): Promise<{ id: string; staffId: string }[]> {
  const { consoleSessions } = tx.tables
  const { id, staffId, providerSession, createdAt, endedAt } = consoleSessions
  const isOfPerson = person === null ? undefined : eq(staffId, person)
  const isOfSession = session === null ? undefined : eq(providerSession, session)
  const isUnknown = isOfPerson && and(isOfPerson, isNull(providerSession))
  const ended = await tx
    .update(consoleSessions)
    .set({ endedAt: tx.now() })
    .where(
      and(
        isOfSession ? or(and(isOfSession, isOfPerson), isUnknown) : isOfPerson,
        isNull(endedAt),
        lte(createdAt, until),
      ),
    )
    .returning({ id, staffId })
  for (const one of new Set(ended.map(row => row.staffId))) await endRequestsOf(tx, one, PROVIDER)
  return ended
}
