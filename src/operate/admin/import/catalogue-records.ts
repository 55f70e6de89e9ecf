/** The kinds of the catalogue, and the steps of an import for each record: check, compare, write. */
import type { Reader, Transaction } from '../../../../db/index.ts'
import type { EntryKind, WriteOptions } from '../../../club/catalogue/kind.ts'
import { matchKind } from '../../../club/matches/upsert-match.ts'
import { seasonKind } from '../../../club/seasons/season-kind.ts'
import { sponsorKind } from '../../../club/sponsors/sponsor-kind.ts'
import { teamKind } from '../../../club/teams/team-kind.ts'
import { ruleKind } from '../../../economy/rules/upsert-rule.ts'
import { packKind } from '../../../play/packs/upsert-pack.ts'
import { questKind } from '../../../play/quests/upsert-quest.ts'
import { rewardKind } from '../../../play/rewards/upsert-reward.ts'
import { setKind } from '../../../play/sets/upsert-set.ts'
import { productKind } from '../../../play/shop/upsert-product.ts'

/** In the order of an import: what an entry names comes first. All that is said of the kinds follows from this list. */
export const kinds = [
  teamKind,
  seasonKind,
  sponsorKind,
  rewardKind,
  packKind,
  matchKind,
  ruleKind,
  questKind,
  setKind,
  productKind,
] as const

type Kind = (typeof kinds)[number]
export type RecordKind = Kind['kind']
export type ListName = Kind['list']

type Names<Kinds extends readonly { kind: string }[]> = { [At in keyof Kinds]: Kinds[At]['kind'] }
/** Guarantee of the cast: the name of each kind, in their order. */
export const kindNames = kinds.map(({ kind }) => kind) as unknown as Names<typeof kinds>

/** Guarantee of the cast: each kind has its own name. */
export const entryKinds = Object.fromEntries(kinds.map(kind => [kind.kind, kind])) as {
  [Name in RecordKind]: Extract<Kind, { kind: Name }>
}

export const isRecordKind = (name: unknown): name is RecordKind => kinds.some(({ kind }) => kind === name)

type EntryOf<Name extends RecordKind> = Parameters<(typeof entryKinds)[Name]['upsert']>[1]

export type CatalogueRecord = { [Name in RecordKind]: { kind: Name; entry: EntryOf<Name> } }[RecordKind]

/** Guarantee of the cast: callers pass entries of the kind. */
export const kindNamed = (kind: RecordKind) => entryKinds[kind] as EntryKind<CatalogueRecord['entry']>

const kindOf = ({ kind }: CatalogueRecord) => kindNamed(kind)

/** The rules of a record that the schema cannot express. */
export const recordFaults = (record: CatalogueRecord) => kindOf(record).faults(record.entry)

const nameOf = (kind: string, id: string) => `${kind} ${id}`

/** What a record writes, as names for `planRecord`. */
export const namesOf = (record: CatalogueRecord): string[] => [
  nameOf(record.kind, record.entry.id),
  ...kindOf(record)
    .collectiblesOf(record.entry)
    .map(id => nameOf('collectible', id)),
]

interface PlanOptions {
  /** Names of what the same import writes before. */
  written?: Set<string>
  /** Names of all that the same import writes. Default: those of `written`. */
  stated?: Set<string>
  force?: boolean
}

/** @throws DomainError `catalogue_conflict` */
export const planRecord = (
  reader: Reader,
  record: CatalogueRecord,
  { written, stated, force }: PlanOptions = {},
) =>
  kindOf(record).plan(reader, record.entry, {
    isWritten: (kind, id) => written?.has(nameOf(kind, id)) ?? false,
    isStated: (kind, id) => (stated ?? written)?.has(nameOf(kind, id)) ?? false,
    force,
  })

/** @throws DomainError `catalogue_conflict`, `revision_conflict` */
export const writeRecord = (tx: Transaction, record: CatalogueRecord, options?: WriteOptions) =>
  kindOf(record).upsert(tx, record.entry, options)
