/** Handles as staff use them, also those of fans whose profile is hidden. */
import { eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import { userProblems } from './problems.ts'

/** Of a user id. Handles are shorter. */
const ID_LENGTH = 36

/** The user id of the fan with this handle; an id is returned unchanged. @throws DomainError `fan_not_found` */
export async function resolveHandle(reader: Reader, named: string): Promise<string> {
  if (named.length === ID_LENGTH) return named
  const { users } = reader.tables
  const [fan] = await reader.select({ id: users.id }).from(users).where(eq(users.handle, named.toLowerCase()))
  if (!fan) throw new DomainError(userProblems.fan_not_found, { detail: `No fan has the handle ${named}.` })
  return fan.id
}

/** By user id, of the fans that exist. Null: without a handle. */
export async function readHandles(reader: Reader, fanIds: string[]): Promise<Map<string, string | null>> {
  if (fanIds.length === 0) return new Map()
  const { users } = reader.tables
  const rows = await reader
    .select({ id: users.id, handle: users.handle })
    .from(users)
    .where(inArray(users.id, [...new Set(fanIds)]))
  return new Map(rows.map(({ id, handle }) => [id, handle]))
}
