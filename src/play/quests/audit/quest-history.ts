/** When quests were active and what they required, to check past completions. */
import { asc } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { instantOf } from '../../../club/catalogue/entry.ts'
import type { StoredQuest } from '../quest.ts'

/** A version of a quest, in force from `from` until the next one. */
export interface QuestTerms {
  version: number
  from: Date
  active: boolean
  startsAt: Date | null
  endsAt: Date | null
  requires: string[]
}

/** The versions of each quest, oldest first. */
export type QuestHistory = Map<string, QuestTerms[]>

export async function readQuestHistory(reader: Reader): Promise<QuestHistory> {
  const { questVersions } = reader.tables
  const rows = await reader
    .select()
    .from(questVersions)
    .orderBy(asc(questVersions.questId), asc(questVersions.version))
  const history: QuestHistory = new Map()
  for (const { questId, version, entry, createdAt: from } of rows)
    history.getOrInsertComputed(questId, () => []).push({ version, from, ...termsOf(entry) })
  return history
}

export function termsOf(text: string): Omit<QuestTerms, 'version' | 'from'> {
  // Guarantee: the import validates entries before it stores them.
  const { active = true, startsAt, endsAt, requires = [] } = JSON.parse(text) as StoredQuest
  return { active, startsAt: instantOf(startsAt), endsAt: instantOf(endsAt), requires }
}

/** The versions in force at an instant, plus or minus `marginMs`. The first version also counts before it was written. */
export function termsAt(history: QuestHistory, questId: string, at: Date, marginMs: number): QuestTerms[] {
  const versions = history.get(questId) ?? []
  return versions.filter((version, n) => {
    const next = versions[n + 1]
    const isBegun = n === 0 || version.from.getTime() <= at.getTime() + marginMs
    return isBegun && (!next || next.from.getTime() >= at.getTime() - marginMs)
  })
}
