/** Devices of fans: registered by apps, removed by them, by an erasure, or when their service says that they are gone. */
import { ECDH } from 'node:crypto'
import { and, asc, eq, or, sql } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { findMatch } from '../../club/matches/matches.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import type { Encryption } from '../../core/encryption.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { refuseField, transportProblems } from '../../core/transport-problems.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { urlFault } from '../webhooks/endpoints.ts'
import { LIVE_ACTIVITY, LIVE_SERVICE, queueActivities } from './activities.ts'
import type { DeviceInput, DeviceKind } from './schema.ts'
import { encryptToken, hashOfToken } from './tokens.ts'

export type DeviceRow = Tables['devices']['$inferSelect']

/** Of a fan. One more replaces the one that was used least recently. */
export const MAX_DEVICES = 20

interface Registering {
  deviceEncryption: Encryption
  production: boolean
}

/** A token that another fan, or another device of the fan, has registered moves: a device has one owner. */
export async function putDevice(
  tx: Transaction,
  { deviceEncryption, production }: Registering,
  { userId }: Caller,
  deviceId: string,
  input: DeviceInput,
) {
  const { kind } = input
  const { token, service } = readTarget(input, production)
  await lockToCount(tx, userId)
  const tokenHash = hashOfToken(kind, token)
  const encryptedToken = encryptToken(deviceEncryption, tx, tokenHash, token)
  const matchId = input.matchId ?? null
  if (matchId !== null && !(await findMatch(tx, matchId))?.active)
    refuseField({ pointer: '/matchId', message: 'must be an active match' })
  const [known] = await selectDevice(tx, userId, deviceId)
  // Another token is another device to its service: what waits for the old one is not for it.
  if (known && known.tokenHash !== tokenHash) await deletePushes(tx, userId, deviceId)
  await insertRows(tx, tx.tables.pushServices, [{ name: service }], 'skip')
  const device = { userId, deviceId, kind, service, matchId, tokenHash, encryptedToken }
  const row = { ...device, createdAt: known?.createdAt ?? tx.now(), lastUsedAt: tx.now() }
  await write(tx, row)
  if (!known) await removeOldest(tx, userId)
  if (matchId !== null && known?.tokenHash !== tokenHash) await queueFirst(tx, row, matchId)
  return { created: !known, device: presentDevice(row) }
}

/** The match may have changed since the app has started the activity. Nothing else waits for this token. */
async function queueFirst(tx: Transaction, device: DeviceRow, matchId: string): Promise<void> {
  const match = await findMatch(tx, matchId)
  if (match) await queueActivities(tx, match, [device], { again: true })
}

/** Whole bytes. Apple does not say how many. */
const HEXADECIMAL = /^(?:[0-9A-Fa-f]{2})+$/

/** What the sender needs, and which service it is. @throws DomainError `validation_failed` */
function readTarget({ kind, token, subscription, matchId }: DeviceInput, production: boolean) {
  const isWebPush = kind === 'webpush'
  const endpointFault = subscription ? urlFault(subscription.endpoint, production) : null
  const errors: FieldError[] = [
    ...(isWebPush && !subscription ? [{ pointer: '/subscription', message: 'is required by webpush' }] : []),
    ...(!isWebPush && subscription ? [{ pointer: '/subscription', message: 'is for webpush only' }] : []),
    ...(!isWebPush && token === undefined ? [{ pointer: '/token', message: `is required by ${kind}` }] : []),
    ...(isWebPush && token !== undefined ? [{ pointer: '/token', message: 'is not for webpush' }] : []),
    ...(kind !== 'live_activity' && (matchId ?? null) !== null
      ? [{ pointer: '/matchId', message: 'is for live_activity only' }]
      : []),
    ...(subscription && !isPoint(subscription.keys.p256dh)
      ? [{ pointer: '/subscription/keys/p256dh', message: 'is not a public key of P-256' }]
      : []),
    ...((kind === 'apns' || kind === LIVE_ACTIVITY) && token !== undefined && !HEXADECIMAL.test(token)
      ? [{ pointer: '/token', message: 'must be in hexadecimal' }]
      : []),
    ...(endpointFault === null ? [] : [{ pointer: '/subscription/endpoint', message: endpointFault }]),
  ]
  if (errors.length > 0) throw new DomainError(transportProblems.validation_failed, { errors })
  if (subscription) {
    const { endpoint, keys } = subscription
    const { host } = new URL(endpoint)
    return { token: JSON.stringify({ endpoint, keys } satisfies Subscription), service: `webpush:${host}` }
  }
  return { token: token ?? '', service: kind === LIVE_ACTIVITY ? LIVE_SERVICE : kind }
}

/** Each attempt with another key would fail, as if its service did not answer. */
function isPoint(key: string): boolean {
  try {
    return ECDH.convertKey(key, 'prime256v1', 'base64url').length > 0
  } catch {
    return false
  }
}

/** The subscription of a browser, as it is stored. */
export interface Subscription {
  endpoint: string
  keys: { p256dh: string; auth: string }
}

/** Another fan may register the token at the same time: the unique index decides, and the last one to register it has it. */
async function write(tx: Transaction, device: DeviceRow): Promise<void> {
  for (;;) {
    for (const other of await deleteReplaced(tx, device))
      if (other.userId !== device.userId || other.deviceId !== device.deviceId)
        await deletePushes(tx, other.userId, other.deviceId)
    if ((await insertDevice(tx, device)).length > 0) return
  }
}

const selectDevice = prepared((reader: Reader, userId: string, deviceId: string) => {
  const { devices } = reader.tables
  return reader
    .select()
    .from(devices)
    .where(and(eq(devices.userId, userId), eq(devices.deviceId, deviceId)))
})

const deleteReplaced = prepared((tx: Transaction, { userId, deviceId, tokenHash }: DeviceRow) => {
  const { devices } = tx.tables
  return tx
    .delete(devices)
    .where(
      or(eq(devices.tokenHash, tokenHash), and(eq(devices.userId, userId), eq(devices.deviceId, deviceId))),
    )
    .returning({ userId: devices.userId, deviceId: devices.deviceId })
})

const insertDevice = prepared((tx: Transaction, device: DeviceRow) =>
  tx
    .insert(tx.tables.devices)
    .values(device)
    .onConflictDoNothing()
    .returning({ deviceId: tx.tables.devices.deviceId }),
)

async function removeOldest(tx: Transaction, userId: string): Promise<void> {
  const own = await selectOwn(tx, userId)
  const oldest = own.toSorted((a, b) => a.lastUsedAt.getTime() - b.lastUsedAt.getTime())
  for (const { deviceId } of oldest.slice(0, Math.max(0, own.length - MAX_DEVICES)))
    await removeDevice(tx, userId, deviceId)
}

/** Does nothing if the fan has no such device. What waits for it is deleted. */
export async function removeDevice(tx: Transaction, userId: string, deviceId: string): Promise<void> {
  await deleteDevice(tx, userId, deviceId)
  await deletePushes(tx, userId, deviceId)
}

const deleteDevice = prepared((tx: Transaction, userId: string, deviceId: string) => {
  const { devices } = tx.tables
  return tx.delete(devices).where(and(eq(devices.userId, userId), eq(devices.deviceId, deviceId)))
})

const deletePushes = prepared((tx: Transaction, userId: string, deviceId: string) => {
  const { pushDeliveries } = tx.tables
  const isOf = and(eq(pushDeliveries.userId, userId), eq(pushDeliveries.deviceId, deviceId))
  return tx.delete(pushDeliveries).where(and(isOf, isWaiting(tx)))
})

/** Literal: a parameter would not match the partial index. */
export const isWaiting = ({ tables }: Pick<Reader, 'tables'>) =>
  sql`${tables.pushDeliveries.state} = 'pending'`

/** Its service says that it is gone. Another token that the app has registered meanwhile stays. */
export async function deleteDeadDevice(tx: Transaction, dead: Pick<DeviceRow, 'tokenHash'>): Promise<void> {
  const { devices } = tx.tables
  await tx.delete(devices).where(eq(devices.tokenHash, dead.tokenHash))
}

/** The oldest first. */
export const listDevices = async (reader: Reader, { userId }: Viewer) =>
  (await selectOwn(reader, userId)).map(presentDevice)

const selectOwn = prepared((reader: Reader, userId: string) => {
  const { devices } = reader.tables
  return reader
    .select()
    .from(devices)
    .where(eq(devices.userId, userId))
    .orderBy(asc(devices.createdAt), asc(devices.deviceId))
})

const presentDevice = ({ deviceId, kind, matchId, createdAt, lastUsedAt }: DeviceRow) => ({
  deviceId,
  // Guarantee of the cast: the table checks it.
  kind: kind as DeviceKind,
  matchId,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt.toISOString(),
})
