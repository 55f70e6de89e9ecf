/** Keys for the staff search: names without case, accents and repeated spaces, and addresses without case. */
import { sql } from 'drizzle-orm'
import { inBatches } from '../../../db/batches.ts'
import { updateRows } from '../../../db/bulk.ts'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { foldText } from '../../core/name-text.ts'
import { normalizeEmail } from './emails.ts'

/** Characters. An entry of an index has a limit of bytes, and some characters have long compatibility forms. */
const MAX_LENGTH = 64

/** A name without letters has an empty key. */
export const nameKeyOf = (name: string): string =>
  [...foldText(name).replace(/\s+/g, ' ').trim()].slice(0, MAX_LENGTH).join('')

/** What a change of `displayName` writes with it. */
export const nameKeyChange = ({ displayName }: { displayName?: string | null | undefined }) =>
  displayName === undefined ? {} : { nameKey: displayName === null ? null : nameKeyOf(displayName) }

/** Longer ones than RFC 5321 allows are cut. */
export const emailKeyOf = (email: string): string => normalizeEmail(email).slice(0, MAX_EMAIL)

const MAX_EMAIL = 254

/** The search keys of a mirror. */
export const searchKeysOf = ({ name, email }: { name?: string | null; email?: string | null }) => ({
  nameKey: typeof name === 'string' ? nameKeyOf(name) : null,
  emailKey: typeof email === 'string' ? emailKeyOf(email) : null,
})

/**
 * Fills the columns of rows that an earlier version has written, also while it still serves during a release.
 * Returns how many rows changed.
 */
export async function indexSearchKeys(
  { db }: { db: Database },
  stopRequested = () => false,
): Promise<number> {
  const fill = (change: typeof fillUsers) => inBatches(db, change, stopRequested)
  const [user] = await selectUsers(db.read, 1)
  const [mirror] = await selectMirrors(db.read, 1)
  return (user ? await fill(fillUsers) : 0) + (mirror ? await fill(fillMirrors) : 0)
}

/** The condition of the index `users_name_missing`, as it is stated there. */
const lacksName = ({ displayName, nameKey }: Tables['users']) =>
  sql`${displayName} is not null and ${nameKey} is null`

/** That of `identities_keys_missing`. */
const lacksKeys = ({ name, nameKey, email, emailKey }: Tables['identities']) =>
  sql`(${name} is not null and ${nameKey} is null) or (${email} is not null and ${emailKey} is null)`

function selectUsers(reader: Reader, size: number) {
  const { users } = reader.tables
  return reader
    .select({ id: users.id, displayName: users.displayName })
    .from(users)
    .where(lacksName(users))
    .limit(size)
}

function selectMirrors(reader: Reader, size: number) {
  const { identities } = reader.tables
  const { userId, name, email } = identities
  return reader.select({ userId, name, email }).from(identities).where(lacksKeys(identities)).limit(size)
}

async function fillUsers(tx: Transaction, size: number): Promise<number> {
  const missing = await locksForUpdate(tx, selectUsers(tx, size))
  const keys = missing.map(({ id, displayName }) => ({ id, ...nameKeyChange({ displayName }) }))
  await updateRows(tx, tx.tables.users, keys, ['nameKey'])
  return missing.length
}

async function fillMirrors(tx: Transaction, size: number): Promise<number> {
  const missing = await locksForUpdate(tx, selectMirrors(tx, size))
  const keys = missing.map(mirror => ({ userId: mirror.userId, ...searchKeysOf(mirror) }))
  await updateRows(tx, tx.tables.identities, keys, ['nameKey', 'emailKey'])
  return missing.length
}
