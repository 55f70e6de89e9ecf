/** Data about the identity provider that instances share. */
import type { ColumnKit } from '../columns.ts'

export function defineIdentityProviderTables(kit: ColumnKit) {
  const { table, id, text, timestamp } = kit

  /** The signing keys that were fetched last, for a start while the provider is down. */
  const providerKeys = table('provider_keys', {
    /** The URL of the keys, or the issuer whose discovery names it. */
    source: id().primaryKey(),
    /** JSON: a list of JWKs. */
    keys: text().notNull(),
    fetchedAt: timestamp().notNull(),
    /** Keyed hash of the other columns, so that write access to the database is not enough to add a key. */
    mac: id().notNull(),
  })

  return { providerKeys }
}
