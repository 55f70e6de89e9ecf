/**
 * Finds fans by e-mail, if the operator turns it on. The column contains a keyed hash of each verified
 * address, so that it neither shows an address nor can be searched by guessing without the key. A task fills
 * it after each write of the mirror.
 */
import { createHmac, hash } from 'node:crypto'
import { and, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { inBatches } from '../../../db/batches.ts'
import { updateRows } from '../../../db/bulk.ts'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { isSameSecret } from '../../core/constant-time.ts'
import { deriveKey } from '../../core/derived-key.ts'
import type { Config } from '../../platform/config/config.ts'

/** Maximum fans that are found for one address. */
const MAX_SAME = 20

/**
 * The form in which addresses are compared: the case of ASCII letters and surrounding spaces do not matter.
 * Other letters are not folded, because providers treat such addresses as different, and the lower case of
 * some is an ASCII letter: for the Kelvin sign it is k.
 */
export function normalizeEmail(email: string): string {
  let [start, end] = [0, email.length]
  while (start < end && isSpace(email, start)) start++
  while (start < end && isSpace(email, end - 1)) end--
  return email.slice(start, end).replace(/[A-Z]/g, letter => letter.toLowerCase())
}

const isSpace = (text: string, index: number) => '\t\n\r '.includes(text.charAt(index))

export interface FanEmails {
  /** Begins with the mark of the key. Of the normalized address. */
  hashOf(email: string): string
  /** Hashes outside of it have another key. */
  ownHashes: OwnHashes
}

/** A range of hashes. */
interface OwnHashes {
  from: string
  before: string
}

export function createFanEmails(key: Buffer): FanEmails {
  const hmac = (text: string) => createHmac('sha256', key).update(text).digest('hex')
  const mark = hmac('mark').slice(0, 8)
  return {
    hashOf: email => `${mark}:${hmac(`email ${normalizeEmail(email)}`)}`,
    // `;` follows `:`, so that these are two ranges of the index.
    ownHashes: { from: `${mark}:`, before: `${mark};` },
  }
}

/** Null if the operator has not turned it on. */
export const fanEmailsOf = ({
  fansByEmail,
  nativeTokens: { key },
}: Pick<Config, 'fansByEmail'> & { nativeTokens: Pick<Config['nativeTokens'], 'key'> }): FanEmails | null =>
  fansByEmail ? createFanEmails(deriveKey(key.d ?? '', 'fans by e-mail')) : null

/** Fans who are not erased, at most `MAX_SAME` an address: their ids by hash. */
export async function findByEmails(
  reader: Reader,
  emails: FanEmails,
  hashes: string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  if (hashes.length === 0) return found
  const rows = await selectByEmails(reader, hashes)
  for (const { hash, email, userId } of rows) {
    // A version that folded more letters may have stored the hash of another address.
    if (hash === null || email === null || emails.hashOf(email) !== hash) continue
    // A fan who was merged may have the address at each sign-in.
    found.set(hash, [...new Set([...(found.get(hash) ?? []), userId])])
  }
  return found
}

/** Exported for tests of its plan. */
export function selectByEmails(reader: Reader, hashes: string[]) {
  const { identities, users } = reader.tables
  return reader
    .select({
      hash: identities.emailHash,
      email: identities.email,
      userId: sql<string>`coalesce(${users.mergedIntoId}, ${identities.userId})`,
    })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(inArray(identities.emailHash, hashes), isNull(users.erasedAt)))
    .orderBy(identities.userId)
    .limit(MAX_SAME * hashes.length)
}

/**
 * Whether the provider has verified this address of a fan, at any of their sign-ins. Takes the same time and statements for an unknown
 * or erased fan, a fan without an address, and another address.
 */
export async function isVerifiedEmail(reader: Reader, userId: string, email: string): Promise<boolean> {
  const given = digestOf(email)
  const known = await selectVerified(reader, userId)
  // At least one comparison, of which the empty text never succeeds: no address is empty.
  const same = [...known, { email: '' }].map(one => isSameSecret(digestOf(one.email ?? ''), given))
  return normalizeEmail(email) !== '' && same.includes(true)
}

/** All have the same length. */
const digestOf = (email: string) => hash('sha256', normalizeEmail(email), 'buffer')

/** Two lookups by an index each. */
const selectVerified = prepared((reader: Reader, userId: string) => {
  const { identities, users } = reader.tables
  const verified = (condition: ReturnType<typeof eq>) =>
    reader
      .select({ email: identities.email })
      .from(users)
      .innerJoin(identities, eq(identities.userId, users.id))
      .where(and(condition, isNull(users.erasedAt), eq(identities.emailVerified, true)))
  return verified(eq(users.id, userId)).unionAll(verified(eq(users.mergedIntoId, userId)))
})

/** Fills what is missing, and replaces hashes of an earlier key. Without `emails` it deletes all. Returns how many rows changed. */
export async function indexEmails(
  { db, fanEmails }: { db: Database; fanEmails: FanEmails | null },
  stopRequested = () => false,
) {
  const own = fanEmails?.ownHashes ?? null
  const clear = (tx: Transaction, size: number) => clearHashes(tx, isStale(tx.tables.identities, own), size)
  // Only reads while there is nothing to do.
  const cleared = (await selectStale(db.read, own)) ? await inBatches(db, clear, stopRequested) : 0
  if (!fanEmails || !(await selectMissing(db.read))) return cleared
  return cleared + (await inBatches(db, (tx, size) => fillHashes(tx, fanEmails, size), stopRequested))
}

/** `own`: null if there is no key, and every hash is stale. */
const isStale = ({ emailHash }: Tables['identities'], own: OwnHashes | null) =>
  own ? or(sql`${emailHash} < ${own.from}`, sql`${emailHash} >= ${own.before}`) : isNotNull(emailHash)

const selectStale = preparedRow((reader: Reader, own: OwnHashes | null) => {
  const { identities } = reader.tables
  return reader
    .select({ userId: identities.userId })
    .from(identities)
    .where(isStale(identities, own))
    .limit(1)
})

const selectMissing = preparedRow((reader: Reader) => {
  const { identities } = reader.tables
  return reader.select({ userId: identities.userId }).from(identities).where(isMissing(identities)).limit(1)
})

/** The condition of the index `identities_email_missing`, as it is stated there. */
const isMissing = ({ email, emailHash, emailVerified }: Tables['identities']) =>
  sql`${emailVerified} and ${email} is not null and ${emailHash} is null`

async function clearHashes(tx: Transaction, condition: ReturnType<typeof or>, size: number) {
  const { identities } = tx.tables
  const some = tx.select({ userId: identities.userId }).from(identities).where(condition).limit(size)
  const cleared = await tx
    .update(identities)
    .set({ emailHash: null })
    .where(inArray(identities.userId, some))
    .returning()
  return cleared.length
}

async function fillHashes(tx: Transaction, emails: FanEmails, size: number): Promise<number> {
  const { identities } = tx.tables
  const { email, userId } = identities
  const select = tx.select({ userId, email }).from(identities).where(isMissing(identities)).limit(size)
  const missing = await locksForUpdate(tx, select)
  const hashes = missing.flatMap(row =>
    row.email === null ? [] : { userId: row.userId, emailHash: emails.hashOf(row.email) },
  )
  await updateRows(tx, identities, hashes, ['emailHash'])
  return missing.length
}
