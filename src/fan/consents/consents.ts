/**
 * What a fan agrees to, for each purpose that the club asks for. Nothing is granted until the fan grants it, and a withdrawal is one
 * request too. Each change is a new row, so that the club can prove who agreed to what and when.
 */
import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { readCurrentDocuments } from '../../club/documents/document-kind.ts'
import { TERMS } from '../../club/documents/required-terms.ts'
import type { Viewer } from '../../core/caller.ts'
import { instantIn } from '../../core/instant.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { noteAcceptance, readTerms, withdrawTerms } from '../../identity/public-text/terms.ts'
import { findAge, presentAge, requireGuardian } from '../../identity/users/age.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { consentProblems } from './problems.ts'
import type { ConsentChanges } from './schema.ts'

type ConsentRow = Tables['consents']['$inferSelect']
type CurrentDocument = Awaited<ReturnType<typeof readCurrentDocuments>>[number]

/** For each current document, and for each purpose of an earlier one, what the fan has stated last. */
export async function readConsents(reader: Reader, { userId }: Viewer) {
  const { current, stated } = await readStated(reader, userId)
  const purposes = new Set([...current.keys(), ...stated.keys()])
  return {
    consents: [...purposes]
      .toSorted()
      .map(purpose => present(purpose, current.get(purpose), stated.get(purpose))),
    age: presentAge(await findAge(reader, userId)),
  }
}

/** The current documents, and what the fan has stated last, by purpose. */
async function readStated(reader: Reader, userId: string) {
  const documents = await readCurrentDocuments(reader)
  const current = new Map(documents.map(document => [document.purpose, document]))
  const stated = new Map((await selectLatest(reader, userId)).map(row => [row.purpose, row]))
  const terms = current.get(TERMS)
  if (terms && !stated.has(TERMS)) {
    const before = await readAccepted(reader, userId, terms.id)
    if (before) stated.set(TERMS, before)
  }
  return { current, stated }
}

/** Terms that the fan accepted before the club had a document of them. */
async function readAccepted(reader: Reader, userId: string, documentId: string): Promise<ConsentRow | null> {
  const { accepted } = await readTerms(reader, { userId })
  if (!accepted) return null
  const { version, acceptedAt } = accepted
  const row = { userId, purpose: TERMS, documentId, version, granted: true, source: 'app' }
  return { ...row, seq: 0, changedAt: instantIn(acceptedAt) }
}

function present(purpose: string, document: CurrentDocument | undefined, row: ConsentRow | undefined) {
  return {
    purpose,
    documentId: document?.id ?? null,
    version: document?.version ?? null,
    required: document?.required ?? false,
    granted: row?.granted ?? false,
    grantedVersion: row?.granted ? row.version : null,
    changedAt: row?.changedAt.toISOString() ?? null,
    source: row?.source ?? null,
  }
}

/** The last row of each purpose. */
const selectLatest = prepared((reader: Reader, userId: string) => {
  const { consents } = reader.tables
  const newest = sql`(select max(later.seq) from ${consents} later
    where later.user_id = ${consents.userId} and later.purpose = ${consents.purpose})`
  return reader
    .select()
    .from(consents)
    .where(and(eq(consents.userId, userId), eq(consents.seq, newest)))
})

/** Those of the fans who agree to the purpose now. */
export async function readConsenting(
  reader: Reader,
  userIds: string[],
  purpose: string,
): Promise<ReadonlySet<string>> {
  const rows = await selectLatestOf(reader, toList(userIds), purpose)
  return new Set(rows.flatMap(({ userId, granted }) => (granted ? [userId] : [])))
}

const selectLatestOf = prepared((reader: Reader, userIds: string, purpose: string) => {
  const { consents } = reader.tables
  const newest = sql`(select max(later.seq) from ${consents} later
    where later.user_id = ${consents.userId} and later.purpose = ${purpose})`
  return reader
    .select({ userId: consents.userId, granted: consents.granted })
    .from(consents)
    .where(
      and(
        isListed(reader, consents.userId, userIds),
        eq(consents.purpose, purpose),
        eq(consents.seq, newest),
      ),
    )
})

/** States consents of a fan whose record is locked. What is stated already changes nothing. `source`: where the fan stated it. */
export async function writeConsents(
  tx: Transaction,
  caller: Viewer,
  changes: ConsentChanges,
  source = 'app',
) {
  const { userId } = caller
  // The sequence of a purpose has no gap: units of work of the fan wait for each other here.
  await lockToCount(tx, userId)
  // Without their guardian they can withdraw, and not agree.
  if (Object.values(changes).some(({ granted }) => granted)) await requireGuardian(tx, userId)
  const { current, stated } = await readStated(tx, userId)
  for (const [purpose, { granted, version }] of Object.entries(changes)) {
    const [document, before] = [current.get(purpose), stated.get(purpose)]
    const documentId = document?.id ?? before?.documentId
    if (documentId === undefined || (granted && !document))
      throw new DomainError(consentProblems.document_not_found, { purpose })
    if (granted && document && version !== document.version)
      throw new DomainError(consentProblems.document_version_not_current, {
        purpose,
        version: document.version,
      })
    if (purpose === TERMS) await (granted ? noteAcceptance(tx, userId, version) : withdrawTerms(tx, userId))
    // A withdrawal needs no version: it ends whatever was granted.
    if (granted ? before?.granted && before.version === version : !(before?.granted ?? false)) continue
    await appendConsent(tx, { userId, purpose, granted, documentId, version, source }, before)
  }
  return readConsents(tx, caller)
}

async function appendConsent(
  tx: Transaction,
  row: Omit<ConsentRow, 'seq' | 'changedAt'>,
  before: ConsentRow | undefined,
) {
  await tx.insert(tx.tables.consents).values({ ...row, seq: (before?.seq ?? 0) + 1, changedAt: tx.now() })
  const { userId, purpose, documentId, version, granted } = row
  await recordEvent(tx, { userId, type: 'consent.changed', data: { purpose, documentId, version, granted } })
}

/** Of a fan who accepts the terms by their version: a consent, if it is that of the current document. False: it is not. */
export async function consentToTerms(tx: Transaction, userId: string, version: string): Promise<boolean> {
  await lockToCount(tx, userId)
  const terms = (await readCurrentDocuments(tx)).find(({ purpose }) => purpose === TERMS)
  const before = (await selectLatest(tx, userId)).find(({ purpose }) => purpose === TERMS)
  if (terms?.version !== version) return false
  if (before?.granted && before.version === version) return true
  const stated = { purpose: TERMS, granted: true, documentId: terms.id, version, source: 'app' }
  await appendConsent(tx, { userId, ...stated }, before)
  return true
}

/** Every row, the oldest first: the proof. */
export const exportConsents = (reader: Reader, userId: string) => {
  const { consents } = reader.tables
  const { userId: owner, ...columns } = consents
  const { purpose, seq, granted, documentId, version, source, changedAt } = columns
  return reader
    .select({ purpose, seq, granted, documentId, version, source, changedAt })
    .from(consents)
    .where(eq(owner, userId))
    .orderBy(asc(purpose), desc(seq))
}
