/** Accounts: points that fans keep and never spend, with tiers. Their entries are in the tables of points. */
import type { ColumnKit } from '../columns.ts'

export function defineAccountsTables(kit: ColumnKit) {
  const { table, id, text, boolean, timestamp } = kit

  /** What the catalogue states. The importer sets the id, a slug. */
  const accounts = table('accounts', {
    id: id().primaryKey(),
    name: text().notNull(),
    unit: text().notNull(),
    /** JSON: the number of seasons that count. Null: all. */
    window: text(),
    public: boolean().notNull(),
    /** JSON: an array of tiers. */
    tiers: text().notNull(),
    /** JSON: the texts that exist in several languages. Their columns have the default. */
    translations: text(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  return { accounts }
}
