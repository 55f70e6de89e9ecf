/** What a fan shows to others. */

import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { fanTag } from '../../platform/cache/tags.ts'
import { lacksGuardian } from '../users/age.ts'
import { DEFAULT_PRIVACY, MOST_FIRST, type Privacy, type PrivacyChange, WIDEST_FIRST } from './schema.ts'

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

/** Whether others see more of the fan after the change. */
const showsMore = (before: Privacy, change: PrivacyChange): boolean =>
  AUDIENCES.some(name => isBefore(WIDEST_FIRST, change[name], before[name])) ||
  isBefore(MOST_FIRST, change.leaderboardName, before.leaderboardName)

const isBefore = (order: readonly string[], one: string | undefined, other: string): boolean =>
  one !== undefined && order.indexOf(one) < order.indexOf(other)

const AUDIENCES = ['profile', 'activity', 'locker'] as const

/** One statement, so that concurrent changes of different members both count. */
export async function changePrivacy(
  tx: Transaction,
  { userId }: Caller,
  change: PrivacyChange,
): Promise<Privacy> {
  if (Object.keys(change).length > 0) {
    if ((await lacksGuardian(tx, userId)) && showsMore(await readPrivacy(tx, { userId }), change))
      throw new DomainError(transportProblems.guardian_consent_required)
    const { privacySettings: settings } = tx.tables
    await tx
      .insert(settings)
      .values({ ...DEFAULT_PRIVACY, ...change, userId })
      .onConflictDoUpdate({ target: settings.userId, set: change })
    tx.invalidate(fanTag(userId))
  }
  return readPrivacy(tx, { userId })
}
