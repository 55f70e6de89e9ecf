/** Teams as an importer states them. */
import { eq, inArray } from 'drizzle-orm'
import { isCountry } from '../../core/country.ts'
import { teamsTag } from '../../platform/cache/tags.ts'
import { compareEntries, completeEntry } from '../catalogue/entry.ts'
import { declareKind, type EntryKind } from '../catalogue/kind.ts'
import { columnsOfTexts, statedTexts } from '../catalogue/texts.ts'
import { TeamEntry } from './entry-schema.ts'

export const teamKind: EntryKind<TeamEntry, 'team', 'teams'> = declareKind({
  kind: 'team',
  list: 'teams',
  about: 'A club that fans can follow, and that plays matches.',
  schema: TeamEntry,
  givesValue: false,
  table: ({ teams }) => teams,
  faults: ({ country }) =>
    country == null || isCountry(country)
      ? []
      : [{ pointer: '/country', message: 'must be an ISO 3166-1 alpha-2 code in capitals, or XK' }],
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
  async read(reader, ids) {
    const { teams } = reader.tables
    const rows = await reader.select().from(teams).where(inArray(teams.id, ids))
    // Guarantee of the cast: only valid entries are written.
    return rows.map(row => completeEntry(TeamEntry, statedTexts(row) as TeamEntry))
  },
})

function membersOf(entry: TeamEntry) {
  const { id: _, ...members } = completeEntry(TeamEntry, entry)
  return members
}
