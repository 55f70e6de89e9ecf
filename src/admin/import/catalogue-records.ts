/** The steps of a catalogue import for each kind of record: check, compare, write, deactivate. */
import type { Reader, Transaction } from '../../../db/index.ts'
import type { EntryChange, EntryFault } from '../../catalogue/entry.ts'
import type { PackEntry } from '../../packs/entry-schema.ts'
import { deactivatePack, listActivePacks, packFaults, planPack, upsertPack } from '../../packs/upsert-pack.ts'
import type { RewardEntry } from '../../rewards/entry-schema.ts'
import {
  deactivateReward,
  listActiveRewards,
  planReward,
  rewardFaults,
  upsertReward,
} from '../../rewards/upsert-reward.ts'
import type { TeamEntry } from '../../teams/entry-schema.ts'
import { deactivateTeam, listActiveTeams, planTeam, teamFaults, upsertTeam } from '../../teams/upsert-team.ts'

export type CatalogueRecord =
  | { kind: 'team'; entry: TeamEntry }
  | { kind: 'reward'; entry: RewardEntry }
  | { kind: 'pack'; entry: PackEntry }

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
  }
}

/** @throws DomainError `catalogue_conflict` */
export function planRecord(reader: Reader, { kind, entry }: CatalogueRecord): Promise<EntryChange> {
  switch (kind) {
    case 'team':
      return planTeam(reader, entry)
    case 'reward':
      return planReward(reader, entry)
    case 'pack':
      return planPack(reader, entry)
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
  }
}

export const listActive: Record<RecordKind, (reader: Reader) => Promise<string[]>> = {
  team: listActiveTeams,
  reward: listActiveRewards,
  pack: listActivePacks,
}

export const deactivate: Record<RecordKind, (tx: Transaction, id: string) => Promise<void>> = {
  team: deactivateTeam,
  reward: deactivateReward,
  pack: deactivatePack,
}
