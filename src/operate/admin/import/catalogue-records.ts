/** The steps of a catalogue import for each kind of record: check, compare, write, deactivate. */
import { inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../../db/index.ts'
import type { EntryFault } from '../../../club/catalogue/entry.ts'
import type { EntryKind, WriteOptions } from '../../../club/catalogue/kind.ts'
import type { KindName } from '../../../club/catalogue/kinds.ts'
import { matchKind, teamsOf } from '../../../club/matches/upsert-match.ts'
import { teamKind } from '../../../club/teams/upsert-team.ts'
import { ruleKind } from '../../../economy/rules/upsert-rule.ts'
import { packKind } from '../../../play/packs/upsert-pack.ts'
import { questKind } from '../../../play/quests/upsert-quest.ts'
import { rewardKind } from '../../../play/rewards/upsert-reward.ts'
import { setKind } from '../../../play/sets/upsert-set.ts'
import { productKind } from '../../../play/shop/upsert-product.ts'

export const entryKinds = {
  team: teamKind,
  reward: rewardKind,
  pack: packKind,
  match: matchKind,
  rule: ruleKind,
  quest: questKind,
  set: setKind,
  product: productKind,
} satisfies Record<KindName, unknown>

export type RecordKind = KindName

type EntryOf<Kind extends RecordKind> = Parameters<(typeof entryKinds)[Kind]['upsert']>[1]

export type CatalogueRecord = { [Kind in RecordKind]: { kind: Kind; entry: EntryOf<Kind> } }[RecordKind]

/** Guarantee of the cast: callers pass entries of the kind. */
export const kindNamed = (kind: RecordKind) => entryKinds[kind] as EntryKind<CatalogueRecord['entry']>

const kindOf = ({ kind }: CatalogueRecord) => kindNamed(kind)

/** The rules of a record that the schema cannot express. */
export const recordFaults = (record: CatalogueRecord) => kindOf(record).faults(record.entry)

/** Teams that the record names and that are neither stored nor in `stated`. */
export async function findMissingTeams(
  reader: Reader,
  { kind, entry }: CatalogueRecord,
  stated: Set<string>,
): Promise<EntryFault[]> {
  const named = kind === 'match' ? teamsOf(entry).filter(({ id }) => !stated.has(id)) : []
  if (named.length === 0) return []
  const { teams } = reader.tables
  const ids = named.map(({ id }) => id)
  const rows = await reader.select({ id: teams.id }).from(teams).where(inArray(teams.id, ids))
  return named
    .filter(({ id }) => rows.every(row => row.id !== id))
    .map(({ pointer }) => ({ pointer, message: 'must be a team of the catalogue' }))
}

const nameOf = (kind: string, id: string) => `${kind} ${id}`

/** What a record writes, as names for `planRecord`. */
export function namesOf({ kind, entry }: CatalogueRecord): string[] {
  const items = kind === 'pack' ? entry.items.map(({ id }) => nameOf('collectible', id)) : []
  return [nameOf(kind, entry.id), ...items]
}

interface PlanOptions {
  /** Names of what the same import writes before. */
  written?: Set<string>
  force?: boolean
}

/** @throws DomainError `catalogue_conflict` */
export const planRecord = (reader: Reader, record: CatalogueRecord, { written, force }: PlanOptions = {}) =>
  kindOf(record).plan(reader, record.entry, {
    isWritten: (kind, id) => written?.has(nameOf(kind, id)) ?? false,
    force,
  })

/** @throws DomainError `catalogue_conflict`, `revision_conflict` */
export const writeRecord = (tx: Transaction, record: CatalogueRecord, options?: WriteOptions) =>
  kindOf(record).upsert(tx, record.entry, options)
