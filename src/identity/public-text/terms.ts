/** The terms of the club, and which of their versions a fan has accepted. */
import { and, desc, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { policyOf } from './policy.ts'
import { publicTextProblems } from './problems.ts'

/** What the fan has accepted last, and what texts for others require. */
export async function readTerms(reader: Reader, { userId }: Viewer) {
  const accepted = await selectLatest(reader, userId)
  const { termsVersion: required, termsUrl: url } = await policyOf(reader)
  return {
    required,
    url,
    accepted: accepted ? { version: accepted.version, acceptedAt: accepted.acceptedAt.toISOString() } : null,
  }
}

const selectLatest = preparedRow((reader: Reader, userId: string) => {
  const { termsAcceptances: accepted } = reader.tables
  return reader
    .select()
    .from(accepted)
    .where(eq(accepted.userId, userId))
    .orderBy(desc(accepted.acceptedAt), desc(accepted.version))
    .limit(1)
})

/** Accepting a version again keeps the time of the first acceptance. */
export async function acceptTerms(tx: Transaction, { userId }: Caller, { version }: { version: string }) {
  if (version !== (await policyOf(tx)).termsVersion)
    throw new DomainError(publicTextProblems.terms_version_not_current)
  const { termsAcceptances } = tx.tables
  await tx.insert(termsAcceptances).values({ userId, version, acceptedAt: tx.now() }).onConflictDoNothing()
  return readTerms(tx, { userId })
}

export const hasAccepted = async (reader: Reader, userId: string, version: string): Promise<boolean> =>
  (await selectAcceptance(reader, userId, version)) !== undefined

const selectAcceptance = preparedRow((reader: Reader, userId: string, version: string) => {
  const { termsAcceptances: accepted } = reader.tables
  return reader
    .select({ acceptedAt: accepted.acceptedAt })
    .from(accepted)
    .where(and(eq(accepted.userId, userId), eq(accepted.version, version)))
})

export async function exportTerms(reader: Reader, userId: string) {
  const { termsAcceptances: accepted } = reader.tables
  const { version, acceptedAt } = accepted
  return reader
    .select({ version, acceptedAt })
    .from(accepted)
    .where(eq(accepted.userId, userId))
    .orderBy(acceptedAt, version)
}
