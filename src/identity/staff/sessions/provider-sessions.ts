/** Sessions that began at the provider of the staff, and that the provider can end. */
import { and, eq, isNull, lte, or } from 'drizzle-orm'
import type { Transaction } from '../../../../db/index.ts'
import { endRequestsOf } from '../approvals/end-requests.ts'
import { PROVIDER } from '../staff.ts'

/** At least one of `person` and `session` is given. */
export interface ProviderLogout {
  /** The id of the person, from `iss` and `sub`. Without `session`, all sessions of the person end. */
  person: string | null
  /** `sid`: one session at the provider. */
  session: string | null
  /** Sessions that began later do not end. */
  until: Date
}

/**
 * The result does not include sessions that had already ended. Sessions without a known `sid` end with any session of the
 * person. Approval requests of these people end too.
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
