/** The stored record of a fan, for support: without secrets, and without personal data for roles that may not see it. */
import type { Reader } from '../../../../db/index.ts'
import { findCompletion } from '../../../identity/users/completion.ts'
import { findMirror } from '../../../identity/users/mirror.ts'
import { requireFan } from './head.ts'
import { type PersonalAccess, shownEmail, shownName } from './personal.ts'
import type { FanRecord } from './schema.ts'

type Value = string | number | boolean | null

/** Columns by name. @throws DomainError `fan_not_found` */
export async function readFanRecord(
  reader: Reader,
  fanId: string,
  { personal }: PersonalAccess,
): Promise<typeof FanRecord.static> {
  // The key repeats the name, and the page of the fan shows the limits in words.
  const { nameKey: _n, ownLimits: _l, ...user } = await requireFan(reader, fanId)
  const mirror = await findMirror(reader, fanId)
  return {
    user: plain(user),
    identity: mirror ? plain(presentMirror(mirror, personal)) : null,
    onboarding: (await findCompletion(reader, fanId))?.toISOString() ?? null,
  }
}

function presentMirror(mirror: NonNullable<Awaited<ReturnType<typeof findMirror>>>, personal: boolean) {
  const { nameKey: _n, emailKey: _e, emailHash, picture, ...rest } = mirror
  return {
    ...rest,
    name: shownName(rest.name, personal),
    email: shownEmail(rest.email, personal),
    ...(personal ? { picture } : {}),
    hasEmailHash: emailHash !== null,
  }
}

const plain = (row: Record<string, Value | Date>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  )
