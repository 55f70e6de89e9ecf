/** The steps of a catalogue import for each kind of record: check, compare, write, deactivate. */
import { inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import type { EntryChange, EntryFault } from '../../catalogue/entry.ts'
import type { MatchEntry } from '../../matches/entry-schema.ts'
import {
  deactivateMatch,
  listActiveMatches,
  matchFaults,
  planMatch,
  teamsOf,
  upsertMatch,
} from '../../matches/upsert-match.ts'
import type { PackEntry } from '../../packs/entry-schema.ts'
import { deactivatePack, listActivePacks, packFaults, planPack, upsertPack } from '../../packs/upsert-pack.ts'
import type { QuestEntry } from '../../quests/entry-schema.ts'
import {
  deactivateQuest,
  listActiveQuests,
  planQuest,
  questFaults,
  upsertQuest,
} from '../../quests/upsert-quest.ts'
import type { RewardEntry } from '../../rewards/entry-schema.ts'
import {
  deactivateReward,
  listActiveRewards,
  planReward,
  rewardFaults,
  upsertReward,
} from '../../rewards/upsert-reward.ts'
import type { RuleEntry } from '../../rules/entry-schema.ts'
import { deactivateRule, listActiveRules, planRule, ruleFaults, upsertRule } from '../../rules/upsert-rule.ts'
import type { TeamEntry } from '../../teams/entry-schema.ts'
import { deactivateTeam, listActiveTeams, planTeam, teamFaults, upsertTeam } from '../../teams/upsert-team.ts'

export type CatalogueRecord =
  | { kind: 'team'; entry: TeamEntry }
  | { kind: 'reward'; entry: RewardEntry }
  | { kind: 'pack'; entry: PackEntry }
  | { kind: 'match'; entry: MatchEntry }
  | { kind: 'rule'; entry: RuleEntry }
  | { kind: 'quest'; entry: QuestEntry }

export type RecordKind = CatalogueRecord['kind']

/** The rules of a record that the schema cannot express. */
export function recordFaults({ kind, entry }: CatalogueRecord): EntryFault[] {
  switch (kind) {
    case 'team':
      return teamFaults(entry)
    case 'reward':
      return rewardFaults(entry)
    case 'pack':
      return packFaults(entry)
    case 'match':
      return matchFaults(entry)
    case 'rule':
      return ruleFaults(entry)
    case 'quest':
      return questFaults(entry)
  }
}

/** Teams that the record names and that are neither stored nor in `stated`. */
export async function findMissingTeams(
  reader: Reader,
  { kind, entry }: CatalogueRecord,
  stated: Set<string>,
): Promise<EntryFault[]> {
  const named = kind === 'match' ? teamsOf(entry).filter(({ id }) => !stated.has(id)) : []
  if (named.length === 0) return []
  const { teams } = reader.tables
  const rows = await reader
    .select({ id: teams.id })
    .from(teams)
    .where(
      inArray(
        teams.id,
        named.map(({ id }) => id),
      ),
    )
  return named
    .filter(({ id }) => rows.every(row => row.id !== id))
    .map(({ pointer }) => ({ pointer, message: 'must be a team of the catalogue' }))
}

const nameOf = (kind: RecordKind | 'collectible', id: string) => `${kind} ${id}`

/** What a record writes, as names for `planRecord`. */
export function namesOf({ kind, entry }: CatalogueRecord): string[] {
  const items = kind === 'pack' ? entry.items.map(({ id }) => nameOf('collectible', id)) : []
  return [nameOf(kind, entry.id), ...items]
}

/** `written`: names of what the same import writes before. @throws DomainError `catalogue_conflict` */
export function planRecord(
  reader: Reader,
  { kind, entry }: CatalogueRecord,
  written?: Set<string>,
): Promise<EntryChange> {
  switch (kind) {
    case 'team':
      return planTeam(reader, entry)
    case 'reward':
      return planReward(reader, entry)
    case 'pack':
      return planPack(reader, entry)
    case 'match':
      return planMatch(reader, entry)
    case 'rule':
      return planRule(reader, entry)
    case 'quest':
      return planQuest(reader, entry, (kind, id) => written?.has(nameOf(kind, id)) ?? false)
  }
}

/** @throws DomainError `catalogue_conflict` */
export function writeRecord(tx: Transaction, { kind, entry }: CatalogueRecord): Promise<EntryChange> {
  switch (kind) {
    case 'team':
      return upsertTeam(tx, entry)
    case 'reward':
      return upsertReward(tx, entry)
    case 'pack':
      return upsertPack(tx, entry)
    case 'match':
      return upsertMatch(tx, entry)
    case 'rule':
      return upsertRule(tx, entry)
    case 'quest':
      return upsertQuest(tx, entry)
  }
}

export const listActive: Record<RecordKind, (reader: Reader) => Promise<string[]>> = {
  team: listActiveTeams,
  reward: listActiveRewards,
  pack: listActivePacks,
  match: listActiveMatches,
  rule: listActiveRules,
  quest: listActiveQuests,
}

export const deactivate: Record<RecordKind, (tx: Transaction, id: string) => Promise<void>> = {
  team: deactivateTeam,
  reward: deactivateReward,
  pack: deactivatePack,
  match: deactivateMatch,
  rule: deactivateRule,
  quest: deactivateQuest,
}
