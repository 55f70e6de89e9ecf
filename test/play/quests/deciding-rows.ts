/** Rows that decide whether a fan is eligible. */
import { type SQL, sql } from 'drizzle-orm'

/** Changes and so locks the fan's rows, as a verb does that changes what they say. */
export function changeRows(table: string, userId: string): SQL {
  const key = sql.identifier(table === 'users' ? 'id' : 'user_id')
  const time = sql.identifier(table === 'wallets' ? 'linked_at' : 'created_at')
  return sql`update ${sql.identifier(table)} set ${time} = ${time} where ${key} = ${userId}`
}
