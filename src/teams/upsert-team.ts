/** Teams as an importer states them. */
import { and, eq } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { teamsTag } from '../cache/tags.ts'
import {
  compareEntries,
  type EntryChange,
  type EntryFault,
  slugFaults,
  urlFaults,
} from '../catalogue/entry.ts'
import { isCountry } from '../core/country.ts'
import type { TeamEntry } from './entry-schema.ts'

/** What the schema cannot say. */
export function teamFaults({ id, country, crestUrl }: TeamEntry): EntryFault[] {
  const known = country == null || isCountry(country)
  return [
    ...slugFaults(id),
    ...(known ? [] : [{ pointer: '/country', message: 'must be an ISO 3166-1 alpha-2 code in capitals' }]),
    ...urlFaults('/crestUrl', crestUrl),
  ]
}

/** What an upsert would do. */
export async function planTeam(reader: Reader, entry: TeamEntry): Promise<EntryChange> {
  const { teams } = reader.tables
  const [row] = await reader.select().from(teams).where(eq(teams.id, entry.id))
  return changeOf(row, entry)
}

export async function upsertTeam(tx: Transaction, entry: TeamEntry): Promise<EntryChange> {
  const { teams } = tx.tables
  const change = await planTeam(tx, entry)
  if (change.outcome === 'unchanged') return change
  const set = { ...columnsOf(entry), updatedAt: tx.now() }
  tx.invalidate(teamsTag)
  await tx
    .insert(teams)
    .values({ ...set, id: entry.id, createdAt: tx.now() })
    .onConflictDoUpdate({ target: teams.id, set })
  return change
}

export async function listActiveTeams(reader: Reader): Promise<string[]> {
  const { teams } = reader.tables
  return (await reader.select({ id: teams.id }).from(teams).where(eq(teams.active, true))).map(({ id }) => id)
}

/** Fans who follow the team keep it. */
export async function deactivateTeam(tx: Transaction, id: string): Promise<void> {
  const { teams } = tx.tables
  tx.invalidate(teamsTag)
  await tx
    .update(teams)
    .set({ active: false, updatedAt: tx.now() })
    .where(and(eq(teams.id, id), eq(teams.active, true)))
}

type Row = Tables['teams']['$inferSelect']

function changeOf(row: Row | undefined, entry: TeamEntry): EntryChange {
  return compareEntries(row, columnsOf(entry))
}

function columnsOf(entry: TeamEntry) {
  const { name, shortName, city, country, primaryColor, secondaryColor, crestUrl, active } = entry
  return {
    name,
    shortName,
    city: city ?? null,
    country: country ?? null,
    primaryColor: primaryColor ?? null,
    secondaryColor: secondaryColor ?? null,
    crestUrl: crestUrl ?? null,
    active: active ?? true,
  }
}
