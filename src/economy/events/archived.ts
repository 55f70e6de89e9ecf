/** Events of other systems whose rows are in the archive. A hash of their ids stays, so that none of them is counted again. */
import { hash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { rowsByKeys } from '../../../db/keys.ts'
import { prepared } from '../../../db/prepared.ts'
import { type EventKey, nameOf } from './event-rows.ts'

/** 16 bytes, in base64url. */
export const archiveKeyOf = (key: EventKey): string =>
  hash('sha256', nameOf(key), 'buffer').subarray(0, 16).toString('base64url')

const selectArchived = rowsByKeys('archivedEvents', ['key'])

/** Which of these events are archived: the fan of each, by the name of the event. */
export async function readArchived(reader: Reader, keys: EventKey[]): Promise<Map<string, string>> {
  const rows = await selectArchived(
    reader,
    keys.map(key => ({ key: archiveKeyOf(key) })),
  )
  const fans = new Map(rows.map(({ key, userId }) => [key, userId]))
  return new Map(
    keys.flatMap(key => {
      const userId = fans.get(archiveKeyOf(key))
      return userId === undefined ? [] : [[nameOf(key), userId] as const]
    }),
  )
}

/** The fan of an event that is archived. */
export const findArchived = async (reader: Reader, key: EventKey): Promise<string | undefined> =>
  (await readArchived(reader, [key])).get(nameOf(key))

/** For the erasure of a fan, whose events are ignored if they are repeated. */
export const deleteArchivedIds = prepared((tx: Transaction, userId: string) => {
  const { archivedEvents } = tx.tables
  return tx.delete(archivedEvents).where(eq(archivedEvents.userId, userId))
})
