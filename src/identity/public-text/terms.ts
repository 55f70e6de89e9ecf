/** The terms of the club, and which of their versions a fan has accepted. */
import { and, desc, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { policyOf } from './policy.ts'
import { publicTextProblems } from './problems.ts'

/** What the fan has accepted last and not withdrawn, and what texts for others require. */
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
    .where(and(eq(accepted.userId, userId), isNull(accepted.withdrawnAt)))
    .orderBy(desc(accepted.acceptedAt), desc(accepted.version))
    .limit(1)
})

/** Current are the version of the settings and that of the document, required or not. Accepting a version again keeps the time of the first acceptance. */
export async function acceptTerms(tx: Transaction, { userId }: Caller, { version }: { version: string }) {
  const isOfDocument = await tx.spine.publicText.consentToTerms(tx, userId, version)
  if (!isOfDocument && version !== (await policyOf(tx)).termsVersion)
    throw new DomainError(publicTextProblems.terms_version_not_current)
  await noteAcceptance(tx, userId, version)
  return readTerms(tx, { userId })
}

/** The time stays, unless the fan had withdrawn it. */
export async function noteAcceptance(tx: Transaction, userId: string, version: string): Promise<void> {
  const { termsAcceptances: accepted } = tx.tables
  const again = { acceptedAt: tx.now(), withdrawnAt: null }
  await tx
    .insert(accepted)
    .values({ userId, version, acceptedAt: tx.now() })
    .onConflictDoUpdate({
      target: [accepted.userId, accepted.version],
      set: again,
      setWhere: isNotNull(accepted.withdrawnAt),
    })
}

/** Of all versions: texts for others then require that the fan accepts the terms again. */
export async function withdrawTerms(tx: Transaction, userId: string): Promise<void> {
  const { termsAcceptances: accepted } = tx.tables
  await tx
    .update(accepted)
    .set({ withdrawnAt: tx.now() })
    .where(and(eq(accepted.userId, userId), isNull(accepted.withdrawnAt)))
}

/** The fan has accepted this version, and not withdrawn it. */

export const hasAccepted = async (reader: Reader, userId: string, version: string): Promise<boolean> =>
  (await selectAcceptance(reader, userId, version)) !== undefined

const selectAcceptance = preparedRow((reader: Reader, userId: string, version: string) => {
  const { termsAcceptances: accepted } = reader.tables
  return reader
    .select({ acceptedAt: accepted.acceptedAt })
    .from(accepted)
    .where(and(eq(accepted.userId, userId), eq(accepted.version, version), isNull(accepted.withdrawnAt)))
})

export async function exportTerms(reader: Reader, userId: string) {
  const { termsAcceptances: accepted } = reader.tables
  const { version, acceptedAt, withdrawnAt } = accepted
  return reader
    .select({ version, acceptedAt, withdrawnAt })
    .from(accepted)
    .where(eq(accepted.userId, userId))
    .orderBy(acceptedAt, version)
}
