/** The kinds of the catalogue, and the steps of an import for each record: check, compare, write. */
import type { Reader, Transaction } from '../../../db/index.ts'
import type { EntryKind, WriteOptions, WrittenBefore } from '../../club/catalogue/kind.ts'
import { competitionKind } from '../../club/competitions/competition-kind.ts'
import { documentKind } from '../../club/documents/document-kind.ts'
import { matchKind } from '../../club/matches/match-kind.ts'
import { notificationKind } from '../../club/notifications/notification-kind.ts'
import { playerKind } from '../../club/players/player-kind.ts'
import { seasonKind } from '../../club/seasons/season-kind.ts'
import { segmentKind } from '../../club/segments/segment-kind.ts'
import { settingsKind } from '../../club/settings/settings-kind.ts'
import { sponsorKind } from '../../club/sponsors/sponsor-kind.ts'
import { teamKind } from '../../club/teams/team-kind.ts'
import { Closed } from '../../core/schemas.ts'
import type { TObject } from '../../core/typebox.ts'
import { accountKind } from '../../economy/accounts/account-kind.ts'
import { ruleKind } from '../../economy/rules/rule-kind.ts'
import { campaignKind } from '../codes/campaign-kind.ts'
import { divisionKind } from '../divisions/division-kind.ts'
import { membershipKind } from '../memberships/membership-kind.ts'
import { packKind } from '../packs/pack-kind.ts'
import { questionKind } from '../questions/question-kind.ts'
import { questKind } from '../quests/quest-kind.ts'
import { rewardKind } from '../rewards/reward-kind.ts'
import { setKind } from '../sets/set-kind.ts'
import { productKind } from '../shop/product-kind.ts'

/** In the order of an import: what an entry names comes first. All that is said of the kinds follows from this list. */
export const kinds = [
  teamKind,
  playerKind,
  seasonKind,
  sponsorKind,
  documentKind,
  accountKind,
  segmentKind,
  membershipKind,
  rewardKind,
  packKind,
  competitionKind,
  divisionKind,
  matchKind,
  ruleKind,
  questKind,
  setKind,
  questionKind,
  campaignKind,
  productKind,
  notificationKind,
  settingsKind,
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

/** The schema of an entry in a file, where the only one of its kind has no id. */
export function fileSchemaOf(kind: RecordKind): TObject {
  const { only, schema } = kindNamed(kind)
  const { id: _, ...properties } = schema.properties
  const { title } = schema
  return only === undefined ? schema : Closed(properties, title === undefined ? {} : { title })
}

/** The record of a valid value of a file. Guarantee of the cast: the only entry of a kind gets its id. */
export function recordOf(kind: RecordKind, value: unknown): CatalogueRecord {
  const { only } = kindNamed(kind)
  return { kind, entry: only === undefined ? value : { ...Object(value), id: only } } as CatalogueRecord
}

const kindOf = ({ kind }: CatalogueRecord) => kindNamed(kind)

/** The rules of a record that the schema cannot express. */
export const recordFaults = (record: CatalogueRecord) => kindOf(record).faults(record.entry)

const nameOf: (...of: Parameters<WrittenBefore>) => string = (list, id) => `${list} ${id}`

/** What a record writes, as names for `planRecord`. */
export const namesOf = (record: CatalogueRecord): string[] => [
  nameOf(kindOf(record).list, record.entry.id),
  ...kindOf(record)
    .collectiblesOf(record.entry)
    .map(id => nameOf('collectibles', id)),
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
    isWritten: (list, id) => written?.has(nameOf(list, id)) ?? false,
    isStated: (list, id) => (stated ?? written)?.has(nameOf(list, id)) ?? false,
    force,
  })

/** @throws DomainError `catalogue_conflict`, `revision_conflict` */
export const writeRecord = (tx: Transaction, record: CatalogueRecord, options?: WriteOptions) =>
  kindOf(record).upsert(tx, record.entry, options)
