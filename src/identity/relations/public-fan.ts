/** A fan as everyone sees them, for pages that the fan shares. */
import { and, eq, type SQL } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { NOBODY } from '../../core/caller.ts'
import { publicFans } from '../users/public-profile.ts'
import { isNamed, isShown, isVisible } from './visibility.ts'

export interface PublicFan {
  userId: string
  /** Null: the fan is anonymous, or shows nobody the profile. */
  handle: string | null
  displayName: string | null
  avatarUrl: string | null
  /** Whether everyone sees what the fan does. */
  showsActivity: boolean
}

/** Null for a fan who is erased, or hidden by a moderator. */
export async function findPublicFan(reader: Reader, userId: string): Promise<PublicFan | null> {
  return present(await selectById(reader, userId))
}

/** Null also for a handle that nobody has. */
export async function findPublicFanByHandle(reader: Reader, handle: string): Promise<PublicFan | null> {
  return present(await selectByHandle(reader, handle))
}

function present(row: Awaited<ReturnType<typeof selectById>>): PublicFan | null {
  if (!row) return null
  const { userId, showsActivity, isNamed, ...names } = row
  return {
    userId,
    showsActivity,
    ...(isNamed ? names : { handle: null, displayName: null, avatarUrl: null }),
  }
}

const selectById = preparedRow((reader: Reader, userId: string) =>
  selectFan(reader, fan => eq(fan.userId, userId)),
)

const selectByHandle = preparedRow((reader: Reader, handle: string) =>
  selectFan(reader, fan => eq(fan.handle, handle)),
)

const fansOf = (reader: Reader) => publicFans(reader).as('fan')

function selectFan(reader: Reader, isWanted: (fan: ReturnType<typeof fansOf>) => SQL) {
  const fan = fansOf(reader)
  const { userId, handle, displayName, avatarUrl } = fan
  return reader
    .select({
      userId,
      handle,
      displayName,
      avatarUrl,
      isNamed: isNamed(reader, NOBODY, userId).as('is_named'),
      showsActivity: isShown(reader, 'activity', NOBODY, userId).as('shows_activity'),
    })
    .from(fan)
    .where(and(isWanted(fan), isVisible(reader, NOBODY, userId)))
}
