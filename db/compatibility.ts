/**
 * Which older versions run on the schema of a migration. After a migration that only adds, all older versions run, so it
 * needs no entry. `test/db/compatibility.test.ts` defines what "only adds" means, and fails for other migrations without an
 * entry.
 */
export interface Compatibility {
  /**
   * The newest migration that a version must know to run on this schema. If it is this migration itself, no older version
   * runs.
   */
  runsFrom: string
  reason: string
}

/** Triggers of a table to which no older version writes. */
const newTableAppendOnly: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'The triggers are of a table that older versions do not write.',
}

/** No version changes a consent. */
const consentsAppendOnly: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'Versions that write consents only add them.',
}

/** No version truncates. */
const refusesTruncate: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'The triggers refuse TRUNCATE, which no version runs.',
}

/** A nullable column with a foreign key. */
const itemTransfers: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'Older versions leave the new columns null, which the foreign key accepts.',
}

/** Indexes that are replaced by other indexes. */
const otherIndexes: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'Older versions find the same rows by the other indexes, in more time while many wait.',
}

/** The same columns in another order. */
const entryIndex: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'Older versions find an entry by all three columns, which the other index has too.',
}

/** Background tasks of every version fill both columns. */
const emptiesKeys: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'Older versions fill the emptied columns in their way, and newer ones compare the address itself.',
}

/** The columns are null while an older version may run. */
const foldedEvents: Compatibility = {
  runsFrom: '0000_initial',
  reason:
    'Newer versions write the new columns from a day after the migration on, when the release has ended.',
}

/** Of the digests and decisions of events. */
const shortEvents: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'Events are written in short from a day after the migration on, when the release has ended.',
}

/** The trigger refuses what it refused before, until a seam is open. */
const opensForArchive: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'No older version deletes entries, or writes the table that lets the trigger allow it.',
}

/** Numbers of members. */
const numbersMembers: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'Older versions do not read the new columns, and insert members without a number.',
}

/** A unique index over new columns. */
const jokers: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'Older versions leave the new columns as they are: null in what they write first.',
}

/** A unique index over fewer rows. */
const voidJokers: Compatibility = {
  runsFrom: '0000_initial',
  reason:
    'Older versions count the jokers of void predictions as used, and so write no other joker of the round.',
}

/** A trigger that refuses what no version writes. */
const pointsNeverSold: Compatibility = {
  runsFrom: '0000_initial',
  reason: 'No version books points for what is paid with money.',
}

const byMigration = {
  '0003_sanctions-append-only': newTableAppendOnly,
  '0007_item-transfers': itemTransfers,
  '0008_item-transfers-append-only': newTableAppendOnly,
  '0020_cash-append-only': newTableAppendOnly,
  '0022_console-append-only': newTableAppendOnly,
  '0027_webhook-lane-indexes': otherIndexes,
  '0029_catalogue-revisions-append-only': newTableAppendOnly,
  '0033_append-only-truncate': refusesTruncate,
  '0035_email-keys': emptiesKeys,
  '0039_undelivered': otherIndexes,
  '0041_folded-events': foldedEvents,
  '0046_archive-entries': opensForArchive,
  '0050_short-events': shortEvents,
  '0056_accounts-append-only': newTableAppendOnly,
  '0059_consents-append-only': consentsAppendOnly,
  '0064_league-numbers': numbersMembers,
  '0067_jokers': jokers,
  '0070_void-jokers': voidJokers,
  '0076_narrow-entry-index': entryIndex,
  '0081_age-changes-append-only': newTableAppendOnly,
  '0083_live-activities': otherIndexes,
  '0085_receipts-append-only': newTableAppendOnly,
  '0087_points-never-sold': pointsNeverSold,
  '0089_statements-append-only': newTableAppendOnly,
}

/** By engine and name of the migration. */
export const compatibility: Record<'sqlite' | 'postgres', Record<string, Compatibility>> = {
  sqlite: byMigration,
  postgres: byMigration,
}
