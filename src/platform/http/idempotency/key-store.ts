/** Responses stored under an `Idempotency-Key`: for 24 hours, in the unit of work of the effect. */
import { and, eq, gt, lte } from 'drizzle-orm'
import { deleteInBatches } from '../../../../db/batches.ts'
import type { Database, Reader, Tables, Transaction } from '../../../../db/index.ts'
import { prepared } from '../../../../db/prepared.ts'
import type { Subject } from '../../../core/caller.ts'
import { eachFan } from '../../../core/pagination.ts'

const STORED_MS = 86_400_000

export type KeyRecord = Tables['idempotencyKeys']['$inferSelect']
/** A key and the scope in which it is unique. */
export type KeyScope = Pick<KeyRecord, 'provider' | 'subject' | 'route' | 'key'>

/** When the request of a record was first made: `now()` of its unit of work. */
export const firstMadeAt = ({ expiresAt }: KeyRecord) => new Date(expiresAt.getTime() - STORED_MS)

/** Undefined if the key is unknown or has expired. */
export async function findRecord(reader: Reader, scope: KeyScope): Promise<KeyRecord | undefined> {
  const [record] = await selectLive(reader, { ...scope, now: reader.now() })
  return record
}

const selectLive = prepared((reader: Reader, values: KeyScope & { now: Date }) => {
  const { idempotencyKeys } = reader.tables
  const isLive = gt(idempotencyKeys.expiresAt, values.now)
  return reader
    .select()
    .from(idempotencyKeys)
    .where(and(ofScope(reader, values), isLive))
})

/**
 * Reserves the key for this unit of work; false if it is already reserved. On PostgreSQL this waits for a unit of work of
 * another process under the same key, and reserves the key if that one is rolled back.
 */
export async function reserveKey(tx: Transaction, scope: KeyScope, fingerprint: string): Promise<boolean> {
  const now = tx.now()
  const expiresAt = new Date(now.getTime() + STORED_MS)
  const [taken] = await upsertKey(tx, { ...scope, fingerprint, expiresAt, now })
  return taken !== undefined
}

type FreshKey = KeyScope & { fingerprint: string; expiresAt: Date; now: Date }

const upsertKey = prepared((tx: Transaction, { fingerprint, expiresAt, now, ...scope }: FreshKey) => {
  const { idempotencyKeys: keys } = tx.tables
  const fresh = { fingerprint, status: null, response: null, expiresAt }
  return tx
    .insert(keys)
    .values({ ...scope, ...fresh })
    .onConflictDoUpdate({
      target: [keys.provider, keys.subject, keys.route, keys.key],
      set: fresh,
      setWhere: lte(keys.expiresAt, now),
    })
    .returning({ key: keys.key })
})

/** `response` is JSON text; null stores that the key was used, without a response. */
export const storeResponse = prepared(
  (tx: Transaction, scope: KeyScope, { status, response }: { status: number; response: string | null }) =>
    tx.update(tx.tables.idempotencyKeys).set({ status, response }).where(ofScope(tx, scope)),
)

/** Deletes the reservation after a refusal, so that a repeat runs again. */
export const releaseKey = prepared((tx: Transaction, scope: KeyScope) =>
  tx.delete(tx.tables.idempotencyKeys).where(ofScope(tx, scope)),
)

/** Fans who have stored responses. */
export const listKeyOwners = (reader: Reader) => eachFan(reader, reader.tables.idempotencyKeys)

/** Stored responses contain profile data: erasing a fan deletes them. */
export async function deleteKeysOf(tx: Transaction, { provider, subject }: Subject): Promise<void> {
  const { idempotencyKeys } = tx.tables
  await tx
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.provider, provider), eq(idempotencyKeys.subject, subject)))
}

/** Deletes expired rows. Resolves to their number. */
export function sweepIdempotencyKeys(db: Database): Promise<number> {
  const { idempotencyKeys } = db.tables
  return deleteInBatches(db, idempotencyKeys, tx => lte(idempotencyKeys.expiresAt, tx.now()))
}

function ofScope({ tables }: Reader, scope: KeyScope) {
  const { idempotencyKeys } = tables
  return and(
    eq(idempotencyKeys.provider, scope.provider),
    eq(idempotencyKeys.subject, scope.subject),
    eq(idempotencyKeys.route, scope.route),
    eq(idempotencyKeys.key, scope.key),
  )
}
