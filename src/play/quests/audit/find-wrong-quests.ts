/** Compares the columns and requirements of each quest with its current version. */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import type { QuestFinding } from './facts.ts'
import { termsOf } from './quest-history.ts'

export async function findWrongQuests(reader: Reader): Promise<QuestFinding[]> {
  const { quests, questVersions, questRequirements } = reader.tables
  const isCurrent = and(eq(questVersions.questId, quests.id), eq(questVersions.version, quests.version))
  const rows = await reader
    .select({ quest: quests, entry: questVersions.entry })
    .from(quests)
    .leftJoin(questVersions, isCurrent)
    .orderBy(asc(quests.id))
  const versions = Map.groupBy(
    await reader
      .select({ questId: questVersions.questId, version: questVersions.version })
      .from(questVersions)
      .orderBy(asc(questVersions.version)),
    ({ questId }) => questId,
  )
  const required = Map.groupBy(await reader.select().from(questRequirements), ({ questId }) => questId)
  return rows.flatMap(({ quest, entry }) => {
    const { id, version, active, startsAt, endsAt } = quest
    const found = (what: string, expected: string | number | null, actual: string | number | null) =>
      expected === actual ? [] : [{ userId: null, questId: id, period: null, what, expected, actual }]
    if (entry === null) return found('quest_versions.row', version, null)
    const numbers = (versions.get(id) ?? []).map(({ version: number }) => number)
    const terms = termsOf(entry)
    const requires = (required.get(id) ?? []).map(({ requiredId }) => requiredId)
    return [
      ...found('quests.version', numbers.at(-1) ?? null, version),
      ...found('quests.active', String(terms.active), String(active)),
      ...found('quests.starts_at', terms.startsAt?.toISOString() ?? null, startsAt?.toISOString() ?? null),
      ...found('quests.ends_at', terms.endsAt?.toISOString() ?? null, endsAt?.toISOString() ?? null),
      ...found('quest_requirements', terms.requires.toSorted().join(', '), requires.toSorted().join(', ')),
    ]
  })
}
