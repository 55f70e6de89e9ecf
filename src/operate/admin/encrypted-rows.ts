/**
 * What the database keeps encrypted, and whether the configured keys read it: after a rotation a key is needed until nothing names it,
 * and a backup is of no use without the keys of its time.
 */
import { and, isNotNull, notInArray, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database, Reader } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { countRows } from '../../../db/pages.ts'
import type { RotatingEncryption } from '../../core/encryption.ts'
import { listEndpoints } from '../../delivery/webhooks/endpoints.ts'
import { createWebhookSecrets, type WebhookSecrets } from '../../delivery/webhooks/secrets.ts'
import type { Config } from '../../platform/config/config.ts'
import { createAddressEncryption, decryptAddress } from '../../play/shop/addresses.ts'
import { differs, type Finding } from './audit/finding.ts'

export interface EncryptionKeys {
  addressEncryption: RotatingEncryption
  webhookSecrets: WebhookSecrets
}

/** Of the signing keys of native tokens, from which all are derived. */
export const encryptionKeysOf = (keys: Config['nativeTokens']): EncryptionKeys => ({
  addressEncryption: createAddressEncryption(keys),
  webhookSecrets: createWebhookSecrets(keys),
})

/**
 * By column. Sign-in tokens (`native_sessions`, `deferred_syncs`) are not in it: they end with the token of the provider, and the
 * fan's next request brings another.
 */
const COLUMNS: Record<string, (reader: Reader, keys: EncryptionKeys) => Promise<number>> = {
  'orders.address'(reader, { addressEncryption: { prefixes } }) {
    const { orders } = reader.tables
    // A prefix has one length.
    const used = sql`substr(${orders.address}, 1, ${prefixes[0]?.length ?? 0})`
    return countRows(
      reader,
      orders,
      and(isNotNull(orders.address), notInArray(used, [...prefixes])) ?? sql`true`,
    )
  },
  async 'webhook_endpoints.encrypted_secret'(reader, { webhookSecrets }) {
    const endpoints = await listEndpoints(reader)
    return endpoints.filter(
      ({ id, encryptedSecret, encryptedPreviousSecret: previous }) =>
        webhookSecrets.decrypt(encryptedSecret, id) === null ||
        (previous !== null && webhookSecrets.decrypt(previous, id) === null),
    ).length
  },
}

/** Rows that no configured key reads, by column; those with none included. */
export async function countUnreadable(
  reader: Reader,
  keys: EncryptionKeys,
): Promise<{ column: string; rows: number }[]> {
  const counts: { column: string; rows: number }[] = []
  for (const [column, count] of Object.entries(COLUMNS))
    counts.push({ column, rows: await count(reader, keys) })
  return counts
}

/** Also rows of which a key reads the name and not the rest: they were changed. */
export async function findUnreadable(reader: Reader, keys: EncryptionKeys): Promise<Finding[]> {
  const counts = await countUnreadable(reader, keys)
  const { orders } = reader.tables
  const addresses = eachRow({ id: orders.id }, after =>
    reader
      .select({ id: orders.id, address: orders.address })
      .from(orders)
      .where(and(isNotNull(orders.address), after)),
  )
  const damaged: Finding[] = []
  const { prefixes } = keys.addressEncryption
  for await (const { id, address } of addresses)
    if (
      prefixes.some(prefix => address?.startsWith(prefix)) &&
      !decryptAddress(keys.addressEncryption, { id, address })
    )
      damaged.push(...differs(null, `orders.address of ${id}`, 'as it was encrypted', 'changed'))
  const unreadable = counts
    .filter(({ rows }) => rows > 0)
    .map(({ column, rows }) => ({
      ...{ userId: null, what: `${column} of rows that no configured key reads` },
      ...{ expected: 0, actual: rows },
    }))
  return [...unreadable, ...damaged]
}

/** Logs columns of which a key that is still needed was dropped: what they have can be read again only with it. */
export async function warnOfUnreadable({
  db,
  log,
  ...keys
}: EncryptionKeys & { db: Pick<Database, 'read'>; log: Logger }) {
  for (const { column, rows } of await countUnreadable(db.read, keys))
    if (rows > 0)
      log.error(
        { column, rows },
        'no configured key reads these rows: put the private key of their time into NATIVE_TOKEN_PREVIOUS_KEYS',
      )
}
