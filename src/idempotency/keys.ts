/** What is kept of mutations under an `Idempotency-Key`: for 24 hours, in the unit of work of the effect. */
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { Database, Reader, Tables, Transaction } from '../../db/index.ts'

const KEPT_MS = 86_400_000
/** Rows of one unit of work, so that no writer waits long. */
const BATCH = 200

/** What a key is unique within, and the key. */
export type KeyScope = Pick<
  Tables['idempotencyKeys']['$inferSelect'],
  'provider' | 'subject' | 'route' | 'key'
>
export type KeyRecord = Tables['idempotencyKeys']['$inferSelect']

/** Undefined also when it has expired, swept or not. */
export async function findRecord(reader: Reader, scope: KeyScope): Promise<KeyRecord | undefined> {
  const { idempotencyKeys } = reader.tables
  const [record] = await reader
    .select()
    .from(idempotencyKeys)
    .where(and(ofScope(reader, scope), gt(idempotencyKeys.expiresAt, reader.now())))
  return record
}

/**
 * Takes the key for this unit of work; false when it is taken. On PostgreSQL this waits for another process's
 * unit of work under the same key, and takes it when that one comes to nothing.
 */
export async function takeKey(tx: Transaction, scope: KeyScope, fingerprint: string): Promise<boolean> {
  const { idempotencyKeys } = tx.tables
  const fresh = {
    fingerprint,
    status: null,
    answer: null,
    expiresAt: new Date(tx.now().getTime() + KEPT_MS),
  }
  const { provider, subject, route, key, expiresAt } = idempotencyKeys
  const [taken] = await tx
    .insert(idempotencyKeys)
    .values({ ...scope, ...fresh })
    .onConflictDoUpdate({
      target: [provider, subject, route, key],
      set: fresh,
      setWhere: lte(expiresAt, tx.now()),
    })
    .returning({ key })
  return taken !== undefined
}

/** `answer` is JSON text; null keeps the fact alone. */
export async function keepAnswer(
  tx: Transaction,
  scope: KeyScope,
  { status, answer }: { status: number; answer: string | null },
): Promise<void> {
  await tx.update(tx.tables.idempotencyKeys).set({ status, answer }).where(ofScope(tx, scope))
}

/** What is refused is judged anew when it is asked again. */
export async function releaseKey(tx: Transaction, scope: KeyScope): Promise<void> {
  await tx.delete(tx.tables.idempotencyKeys).where(ofScope(tx, scope))
}

/** Answers hold what the fan's profile held: they go with the fan. */
export async function forgetKeys(
  tx: Transaction,
  { provider, subject }: Pick<KeyScope, 'provider' | 'subject'>,
): Promise<void> {
  const { idempotencyKeys } = tx.tables
  await tx
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.provider, provider), eq(idempotencyKeys.subject, subject)))
}

/** Takes away what has expired. Answers how many rows went. */
export async function sweepIdempotencyKeys(db: Database): Promise<number> {
  let swept = 0
  let gone: number
  do {
    gone = await db.write(sweepBatch)
    swept += gone
  } while (gone === BATCH)
  return swept
}

async function sweepBatch(tx: Transaction): Promise<number> {
  const { idempotencyKeys } = tx.tables
  const { provider, subject, route, key, expiresAt } = idempotencyKeys
  const expired = tx
    .select({ provider, subject, route, key })
    .from(idempotencyKeys)
    .where(lte(expiresAt, tx.now()))
    .limit(BATCH)
  const swept = await tx
    .delete(idempotencyKeys)
    .where(sql`(${provider}, ${subject}, ${route}, ${key}) in ${expired}`)
    .returning({ key })
  return swept.length
}

function ofScope({ tables }: Reader, { provider, subject, route, key }: KeyScope) {
  const { idempotencyKeys } = tables
  return and(
    eq(idempotencyKeys.provider, provider),
    eq(idempotencyKeys.subject, subject),
    eq(idempotencyKeys.route, route),
    eq(idempotencyKeys.key, key),
  )
}
