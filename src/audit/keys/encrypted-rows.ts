/**
 * Encrypted columns, and whether the configured keys can read them. After a rotation, a key is needed until no row names it,
 * and a backup needs the keys of its time.
 */
import { and, gt, isNotNull, like, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database, Reader } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { countRows } from '../../../db/pages.ts'
import type { RotatingEncryption } from '../../core/encryption.ts'
import { differs, type Finding } from '../../core/finding.ts'
import { createDeviceEncryption } from '../../delivery/push/tokens.ts'
import { listEndpoints } from '../../delivery/webhooks/endpoints.ts'
import { createWebhookSecrets, type WebhookSecrets } from '../../delivery/webhooks/secrets.ts'
import { createExportEncryption } from '../../fan/account/exports.ts'
import type { Config } from '../../platform/config/config.ts'
import { ENCRYPTED } from '../../platform/http/idempotency/stored-response.ts'
import { createAddressEncryption, decryptAddress } from '../../play/shop/addresses.ts'

export interface EncryptionKeys {
  addressEncryption: RotatingEncryption
  deviceEncryption: RotatingEncryption
  exportEncryption: RotatingEncryption
  webhookSecrets: WebhookSecrets
}

/** All encryption keys, derived from the signing keys of native tokens. */
export const encryptionKeysOf = (keys: Config['nativeTokens']): EncryptionKeys => ({
  addressEncryption: createAddressEncryption(keys),
  deviceEncryption: createDeviceEncryption(keys),
  exportEncryption: createExportEncryption(keys),
  webhookSecrets: createWebhookSecrets(keys),
})

type Count = (reader: Reader, keys: EncryptionKeys) => Promise<number>

/** Whether the encrypted text names an unknown key. All names have the same length. */
const isUnread = (encrypted: SQL, { prefixes }: RotatingEncryption) =>
  notInArray(sql`substr(${encrypted}, 1, ${prefixes[0]?.length ?? 0})`, [...prefixes])

/**
 * Counts by column. Sign-in tokens (`native_sessions`, `deferred_syncs`) are left out: they expire with the provider's
 * token, and the fan's next request brings a new one.
 */
const COLUMNS: Record<string, Count> = {
  'orders.address'(reader, { addressEncryption }) {
    const { orders } = reader.tables
    const unread = isUnread(sql`${orders.address}`, addressEncryption)
    return countRows(reader, orders, and(isNotNull(orders.address), unread) ?? sql`true`)
  },
  'devices.encrypted_token'(reader, { deviceEncryption }) {
    const { devices } = reader.tables
    return countRows(reader, devices, isUnread(sql`${devices.encryptedToken}`, deviceEncryption))
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

/** Counts of rows that live for a day or a week. There may be many and they have no index, so a running server does not count them. */
const SHORT_LIVED: Record<string, Count> = {
  'idempotency_keys.response'(reader, { addressEncryption }) {
    const { idempotencyKeys: keys } = reader.tables
    const unread = isUnread(sql`substr(${keys.response}, ${ENCRYPTED.length + 1})`, addressEncryption)
    const isLive = gt(keys.expiresAt, reader.now())
    return countRows(reader, keys, and(like(keys.response, `${ENCRYPTED}%`), unread, isLive) ?? sql`true`)
  },
  'data_export_parts.content'(reader, { exportEncryption }) {
    const { dataExportParts: parts } = reader.tables
    return countRows(reader, parts, isUnread(sql`${parts.content}`, exportEncryption))
  },
}

/** The number of rows that no configured key can read, by column, including zeros. */
export const countUnreadable = (reader: Reader, keys: EncryptionKeys) => countIn(COLUMNS, reader, keys)

async function countIn(columns: Record<string, Count>, reader: Reader, keys: EncryptionKeys) {
  const counts: { column: string; rows: number }[] = []
  for (const [column, count] of Object.entries(columns))
    counts.push({ column, rows: await count(reader, keys) })
  return counts
}

/** Finds unreadable rows, including rows that name a known key but were changed. */
export async function findUnreadable(reader: Reader, keys: EncryptionKeys): Promise<Finding[]> {
  const counts = await countIn({ ...COLUMNS, ...SHORT_LIVED }, reader, keys)
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
      userId: null,
      what: `${column} of rows that no configured key reads`,
      expected: 0,
      actual: rows,
    }))
  return [...unreadable, ...damaged]
}

/** Logs columns with rows that need a removed key: only with that key can they be read again. */
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
