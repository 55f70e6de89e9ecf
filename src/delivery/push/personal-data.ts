import { asc, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { listDevices } from './devices.ts'

/** Without tokens, which only the services can use. */
export const exportDevices = (reader: Reader, userId: string) => listDevices(reader, { userId })

/** Which messages were sent to which device, or why not. */
export function exportPushes(reader: Reader, userId: string) {
  const { pushDeliveries } = reader.tables
  const { deviceId, messageId, category, state, reason, createdAt, endedAt } = pushDeliveries
  return reader
    .select({ deviceId, messageId, category, state, reason, createdAt, endedAt })
    .from(pushDeliveries)
    .where(eq(pushDeliveries.userId, userId))
    .orderBy(asc(deviceId), asc(messageId))
}

/** For an erasure. What an attempt has read may still arrive. */
export async function deletePushesOf(tx: Transaction, userId: string): Promise<void> {
  const { devices, pushDeliveries } = tx.tables
  await tx.delete(devices).where(eq(devices.userId, userId))
  await tx.delete(pushDeliveries).where(eq(pushDeliveries.userId, userId))
}
