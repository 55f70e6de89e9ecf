/** What instances share about the identity provider. */
import type { ColumnKit } from '../columns.ts'

export function defineIdentityProviderTables(kit: ColumnKit) {
  const { table, id, text, timestamp } = kit

  /** The signing keys that were fetched last: a start while the provider is down uses them. */
  const providerKeys = table('provider_keys', {
    /** The URL of the keys, or the issuer whose discovery names it. */
    source: id().primaryKey(),
    /** JSON: a list of JWKs. */
    keys: text().notNull(),
    fetchedAt: timestamp().notNull(),
    /** Keyed hash of the other columns: who can write into the database cannot add a key. */
    mac: id().notNull(),
  })

  return { providerKeys }
}
