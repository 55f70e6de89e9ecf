/** Teams as an importer states them. */
import { eq } from 'drizzle-orm'
import { isCountry } from '../../core/country.ts'
import { teamsTag } from '../../platform/cache/tags.ts'
import {
  compareEntries,
  completeEntry,
  deactivateEntry,
  type EntryKind,
  listActive,
  pictureFaults,
  slugFaults,
} from '../catalogue/entry.ts'
import { columnsOfTexts, statedTexts, textFaults } from '../catalogue/texts.ts'
import { TeamEntry } from './entry-schema.ts'

export const teamKind: EntryKind<TeamEntry> = {
  faults({ id, country, crestUrl, name, shortName, city }) {
    const known = country == null || isCountry(country)
    return [
      ...slugFaults(id),
      ...(known ? [] : [{ pointer: '/country', message: 'must be an ISO 3166-1 alpha-2 code in capitals' }]),
      ...pictureFaults('/crestUrl', crestUrl),
      ...textFaults({ name, shortName, city }),
    ]
  },
  async plan(reader, entry) {
    const { teams } = reader.tables
    const [row] = await reader.select().from(teams).where(eq(teams.id, entry.id))
    return compareEntries(row && statedTexts(row), membersOf(entry))
  },
  async upsert(tx, entry) {
    const { teams } = tx.tables
    const change = await teamKind.plan(tx, entry)
    if (change.outcome === 'unchanged') return change
    const set = { ...columnsOfTexts(membersOf(entry)), updatedAt: tx.now() }
    tx.invalidate(teamsTag)
    await tx
      .insert(teams)
      .values({ ...set, id: entry.id, createdAt: tx.now() })
      .onConflictDoUpdate({ target: teams.id, set })
    return change
  },
  listActive: reader => listActive(reader, reader.tables.teams),
  /** Fans who follow the team keep it. */
  deactivate: (tx, id) => deactivateEntry(tx, tx.tables.teams, teamsTag, id),
}

function membersOf(entry: TeamEntry) {
  const { id: _, ...members } = completeEntry(TeamEntry, entry)
  return members
}
