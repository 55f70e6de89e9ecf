/** The languages of fans. */
import { and, isNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'

/** By fan; a fan who is erased, merged or unknown has no entry. Null: the fan has chosen none. */
export const readLocales = async (reader: Reader, userIds: string[]): Promise<Map<string, string | null>> =>
  new Map((await selectLocales(reader, toList(userIds))).map(({ id, locale }) => [id, locale]))

const selectLocales = prepared((reader: Reader, userIds: string) => {
  const { users } = reader.tables
  return reader
    .select({ id: users.id, locale: users.locale })
    .from(users)
    .where(and(isListed(reader, users.id, userIds), isNull(users.erasedAt), isNull(users.mergedIntoId)))
})
