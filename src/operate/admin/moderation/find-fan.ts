/** A fan as moderators name them: by user id, by handle, or by a report or appeal about them. */
import { eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { userProblems } from '../../../identity/users/problems.ts'

/** Handles are shorter. */
const ID_LENGTH = 36

export interface NamedFan {
  id: string
  handle: string | null
}

/** The user id of the fan with this handle; an id stays as it is. @throws DomainError `fan_not_found` */
export async function resolveHandle(reader: Reader, named: string): Promise<string> {
  if (named.length === ID_LENGTH) return named
  const { users } = reader.tables
  const [fan] = await reader.select({ id: users.id }).from(users).where(eq(users.handle, named.toLowerCase()))
  if (!fan) throw new DomainError(userProblems.fan_not_found, { detail: `No fan has the handle ${named}.` })
  return fan.id
}

/** @throws DomainError `fan_not_found` if there is no such fan, case or appeal */
export async function findFan(reader: Reader, named: string): Promise<NamedFan> {
  const about = await resolveHandle(reader, named)
  const { users, reports, appeals } = reader.tables
  const [report] = await reader.select({ fanId: reports.fanId }).from(reports).where(eq(reports.id, about))
  const [appeal] = await reader.select({ fanId: appeals.fanId }).from(appeals).where(eq(appeals.id, about))
  const [fan] = await reader
    .select({ id: users.id, handle: users.handle })
    .from(users)
    .where(eq(users.id, report?.fanId ?? appeal?.fanId ?? about))
  if (!fan)
    throw new DomainError(userProblems.fan_not_found, {
      detail: `There is no fan, case or appeal ${named}.`,
    })
  return fan
}

/** By user id. Null: without a handle. */
export async function readHandles(reader: Reader, fanIds: string[]): Promise<Map<string, string | null>> {
  if (fanIds.length === 0) return new Map()
  const { users } = reader.tables
  const rows = await reader
    .select({ id: users.id, handle: users.handle })
    .from(users)
    .where(inArray(users.id, [...new Set(fanIds)]))
  return new Map(rows.map(({ id, handle }) => [id, handle]))
}

/** The fan of a case; undefined for an id that no report has. */
export async function findFanOfCase(reader: Reader, caseId: string): Promise<string | undefined> {
  const { reports } = reader.tables
  const [row] = await reader.select({ fanId: reports.fanId }).from(reports).where(eq(reports.id, caseId))
  return row?.fanId
}
