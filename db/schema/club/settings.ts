/** Settings of the club. */
import type { ColumnKit } from '../columns.ts'

export function defineSettingsTables(kit: ColumnKit) {
  const { table, id, text, timestamp } = kit

  /** What the club's staff decide. At most one row, `club`. */
  const settings = table('settings', {
    id: id().primaryKey(),
    /** JSON: the settings that are stated, by name. The others have their defaults. */
    stated: text().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  return { settings }
}
