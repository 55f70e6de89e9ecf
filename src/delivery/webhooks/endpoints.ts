/** Endpoints: where deliveries are sent, and the secrets that sign them. Operators manage them by `bun run webhooks`. */
import { and, asc, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm'
import { deleteInBatches } from '../../../db/batches.ts'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { bumpVersion } from '../../club/catalogue/versions.ts'
import { MAX_URL_LENGTH } from '../../core/https-url.ts'
import { isInternalHost } from '../../core/ssrf-guard.ts'
import { PREVIOUS_SECRET_MS } from './schedule.ts'
import type { WebhookSecrets } from './secrets.ts'

export type Endpoint = Tables['webhookEndpoints']['$inferSelect']

/** `gone`: the receiver responded with 410. `failing`: no success for five days. */
export type DisabledReason = 'operator' | 'gone' | 'failing'

/** What is wrong with the URL of an endpoint; null if nothing is. */
export function urlFault(text: string, production: boolean): string | null {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL'
  if (url.username || url.password || url.hash) return 'must have no credentials and no fragment'
  if (url.href.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  if (!production) return null
  if (url.protocol !== 'https:') return 'must use https in production'
  return isInternalHost(url.hostname) ? 'must be a public address in production' : null
}

export const listEndpoints = (reader: Reader) => {
  const { webhookEndpoints } = reader.tables
  return reader.select().from(webhookEndpoints).orderBy(asc(webhookEndpoints.id))
}

export async function findEndpoint(reader: Reader, id: string): Promise<Endpoint | undefined> {
  const { webhookEndpoints } = reader.tables
  const [endpoint] = await reader.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
  return endpoint
}

/**
 * Locks one endpoint, or all, until the unit of work ends. Call it before locking several of its lanes, so
 * that two units of work cannot wait for each other.
 */
export const lockEndpoints = prepared((tx: Transaction, id?: string) => {
  const { webhookEndpoints } = tx.tables
  return tx
    .update(webhookEndpoints)
    .set({ url: sql`${webhookEndpoints.url}` })
    .where(id === undefined ? undefined : eq(webhookEndpoints.id, id))
    .returning()
})

/** Receives every event of its types from now on. Returns its secret, which cannot be shown again. */
export async function addEndpoint(
  tx: Transaction,
  secrets: WebhookSecrets,
  { url, types }: { url: string; types: string[] },
): Promise<{ id: string; secret: string }> {
  const id = tx.newId()
  const secret = secrets.generate(tx.randomBytes)
  const encryptedSecret = secrets.encrypt(secret, id, tx.randomBytes)
  const sinceRevision = await bumpVersion(tx)
  await tx
    .insert(tx.tables.webhookEndpoints)
    .values({ id, url, types: types.join(' '), encryptedSecret, createdAt: tx.now(), sinceRevision })
  return { id, secret }
}

/**
 * Changes the types that it receives from now on. Pending deliveries stay. False: there is no such endpoint.
 */
export async function changeTypes(tx: Transaction, id: string, types: string[]): Promise<boolean> {
  const { webhookEndpoints } = tx.tables
  const changed = await tx
    .update(webhookEndpoints)
    .set({ types: types.join(' ') })
    .where(eq(webhookEndpoints.id, id))
    .returning({ id: webhookEndpoints.id })
  // From now on, every process records events for these types.
  await bumpVersion(tx)
  return changed.length > 0
}

/** The previous secret also signs for 24 hours. Returns the new one; undefined: there is no such endpoint. */
export async function rotateSecret(
  tx: Transaction,
  secrets: WebhookSecrets,
  id: string,
): Promise<string | undefined> {
  const { webhookEndpoints } = tx.tables
  const secret = secrets.generate(tx.randomBytes)
  const [rotated] = await tx
    .update(webhookEndpoints)
    .set({
      // The values before the update, so that two rotations at once keep the newer previous secret.
      encryptedPreviousSecret: webhookEndpoints.encryptedSecret,
      previousSecretEndsAt: new Date(tx.now().getTime() + PREVIOUS_SECRET_MS),
      encryptedSecret: secrets.encrypt(secret, id, tx.randomBytes),
    })
    .where(eq(webhookEndpoints.id, id))
    .returning()
  return rotated && secret
}

/** The secrets that sign at a time, the current one first. Empty if none can be decrypted. */
export function signingSecrets(endpoint: Endpoint, secrets: WebhookSecrets, at: Date): string[] {
  const { id, encryptedSecret, encryptedPreviousSecret, previousSecretEndsAt } = endpoint
  const previous = previousSecretEndsAt !== null && at < previousSecretEndsAt ? encryptedPreviousSecret : null
  return [encryptedSecret, previous].flatMap(encrypted => (encrypted && secrets.decrypt(encrypted, id)) ?? [])
}

/**
 * Encrypts secrets again with the current key that were encrypted with an earlier one; otherwise they would
 * be lost with that key. Returns how many secrets it encrypted.
 */
export async function reencryptSecrets(db: Database, secrets: WebhookSecrets): Promise<number> {
  const { webhookEndpoints } = db.tables
  let renewed = 0
  for (const { id, ...endpoint } of await listEndpoints(db.read)) {
    for (const name of ['encryptedSecret', 'encryptedPreviousSecret'] as const) {
      const encrypted = endpoint[name]
      const secret =
        encrypted === null || secrets.isCurrent(encrypted, id) ? null : secrets.decrypt(encrypted, id)
      if (encrypted === null || secret === null) continue
      const changed = await db.write(tx =>
        tx
          .update(webhookEndpoints)
          .set({ [name]: secrets.encrypt(secret, id, tx.randomBytes) })
          .where(and(eq(webhookEndpoints.id, id), eq(webhookEndpoints[name], encrypted)))
          .returning(),
      )
      renewed += changed.length
    }
  }
  return renewed
}

/** Nothing is sent from then on, but its deliveries are kept, and sent in order once it is enabled. False: it was disabled. */
export async function disableEndpoint(tx: Transaction, id: string, reason: DisabledReason): Promise<boolean> {
  const { webhookEndpoints } = tx.tables
  const disabled = await tx
    .update(webhookEndpoints)
    .set({ disabledAt: tx.now(), disabledReason: reason })
    .where(and(eq(webhookEndpoints.id, id), isNull(webhookEndpoints.disabledAt)))
    .returning()
  return disabled.length > 0
}

/** Pending deliveries are attempted at once. False: it was not disabled. */
export async function enableEndpoint(tx: Transaction, id: string): Promise<boolean> {
  const { webhookEndpoints, webhookLanes } = tx.tables
  const enabled = await tx
    .update(webhookEndpoints)
    .set({ disabledAt: null, disabledReason: null, failingSince: null, pausedUntil: null })
    .where(and(eq(webhookEndpoints.id, id), isNotNull(webhookEndpoints.disabledAt)))
    .returning()
  if (enabled.length === 0) return false
  await tx
    .update(webhookLanes)
    .set({ nextAttemptAt: tx.now() })
    .where(and(eq(webhookLanes.endpointId, id), gt(webhookLanes.nextAttemptAt, tx.now())))
  return true
}

/** Its deliveries stay until `removeEndpoint` or `sweepDeliveries` deletes them. False: there is no such endpoint. */
export async function deleteEndpoint(tx: Transaction, id: string): Promise<boolean> {
  const { webhookEndpoints } = tx.tables
  const rows = await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id)).returning()
  await bumpVersion(tx)
  return rows.length > 0
}

/** Deletes the endpoint and all of its deliveries. False: there is no such endpoint. */
export async function removeEndpoint(db: Database, id: string): Promise<boolean> {
  const removed = await db.write(tx => deleteEndpoint(tx, id))
  const { webhookDeliveries, webhookLanes } = db.tables
  await deleteInBatches(db, webhookDeliveries, () => eq(webhookDeliveries.endpointId, id))
  await deleteInBatches(db, webhookLanes, () => eq(webhookLanes.endpointId, id))
  return removed
}
