/** Sessions that began at the provider of the staff, and that it ends. */
import { and, eq, isNull, lte, or } from 'drizzle-orm'
import type { Transaction } from '../../../../db/index.ts'
import { staffIdOf } from '../staff.ts'

/** At least one of `subject` and `session` is given. */
export interface ProviderLogout {
  /** `sub`: the person. Without `session`, all of their sessions end. */
  subject: string | null
  /** `sid`: one session at the provider. */
  session: string | null
  /** What began later does not end. */
  until: Date
}

/** Sessions that have ended before are not in the result. Those of which no `sid` is known end with any of the person. */
export async function endSessionsAtProvider(
  tx: Transaction,
  { subject, session, until }: ProviderLogout,
): Promise<{ id: string; staffId: string }[]> {
  const { consoleSessions } = tx.tables
  const { id, staffId, providerSession, createdAt, endedAt } = consoleSessions
  const isOfPerson = subject === null ? undefined : eq(staffId, staffIdOf(subject))
  const isOfSession = session === null ? undefined : eq(providerSession, session)
  const isUnknown = isOfPerson && and(isOfPerson, isNull(providerSession))
  return tx
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
}
