/**
 * Which older versions run on the schema of a migration. A migration that only adds needs no entry: all of them do.
 * `test/db/compatibility.test.ts` says what only adds, and refuses others without an entry.
 */
export interface Compatibility {
  /** The newest migration that a version must know to run on this schema; its own name: no older version does. */
  runsFrom: string
  reason: string
}

/** Triggers of a table that no older version writes. */
const sanctionsAppendOnly: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'The triggers are of a table that older versions do not write.',
}

/** By engine and name of the migration. */
export const compatibility: Record<'sqlite' | 'postgres', Record<string, Compatibility>> = {
  sqlite: { '0003_sanctions-append-only': sanctionsAppendOnly },
  postgres: { '0003_sanctions-append-only': sanctionsAppendOnly },
}
