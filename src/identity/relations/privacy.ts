/** What a fan shows to others. */

import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { fanTag } from '../../platform/cache/tags.ts'
import { DEFAULT_PRIVACY, type Privacy, type PrivacyChange } from './schema.ts'

export async function readPrivacy(reader: Reader, { userId }: Viewer): Promise<Privacy> {
  const row = await selectPrivacy(reader, userId)
  if (!row) return DEFAULT_PRIVACY
  const { userId: _, ...settings } = row
  // Guarantee of the cast: only `changePrivacy` writes the row.
  return { ...settings, locker: settings.locker ?? DEFAULT_PRIVACY.locker } as Privacy
}

const selectPrivacy = preparedRow((reader: Reader, userId: string) => {
  const { privacySettings: settings } = reader.tables
  return reader.select().from(settings).where(eq(settings.userId, userId))
})

/** One statement, so that concurrent changes of different members both count. */
export async function changePrivacy(
  tx: Transaction,
  { userId }: Caller,
  change: PrivacyChange,
): Promise<Privacy> {
  if (Object.keys(change).length > 0) {
    const { privacySettings: settings } = tx.tables
    await tx
      .insert(settings)
      .values({ ...DEFAULT_PRIVACY, ...change, userId })
      .onConflictDoUpdate({ target: settings.userId, set: change })
    tx.invalidate(fanTag(userId))
  }
  return readPrivacy(tx, { userId })
}
