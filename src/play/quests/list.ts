/** The quests of a fan: the current period of each, and past periods that are completed but not yet claimed. */
import { and, desc, eq, inArray, or } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { readUnmet } from '../eligibility/eligibility.ts'
import { currentPeriod } from './periods.ts'
import { presentQuest } from './present.ts'
import { getQuestSet, type Quest } from './quest.ts'
import { isClaimable, type ProgressRow, readCompletions } from './rows.ts'
import type { Streak } from './streak.ts'
import { readRun, selectStreaks } from './streaks.ts'

/** Further past periods appear after these are claimed. */
const MAX_PAST = 100

/** Active quests that have started, by id, without those for a segment that the fan is not in. Ended quests are included while they are active. */
export async function listQuests({ read, cache }: ReadSource, { userId }: Viewer) {
  const now = read.now()
  const { byId } = await getQuestSet(read, cache)
  const shown = [...byId.values()]
    .filter(({ active, startsAt }) => active && (!startsAt || startsAt <= now))
    .map(quest => ({ quest, period: currentPeriod(quest.current, quest.endsAt, now) }))
  const periods = unique(shown.map(({ period }) => period.key))
  const requires = unique(shown.flatMap(({ quest }) => quest.current.requires))
  const hasStreaks = [...byId.values()].some(({ current }) => current.kind === 'streak')
  // One statement. Another one if a quest requires others, one if there are streaks, and one for each run that became
  // shorter.
  const [rows, completed, ownStreaks] = await Promise.all([
    selectOwn(read, userId, periods),
    readCompletions(read, userId, requires),
    hasStreaks ? selectStreaks(read, userId) : [],
  ])
  const streaks = new Map<string, Streak | undefined>()
  for (const row of ownStreaks) {
    const rules = byId.get(row.questId)?.current
    if (rules) streaks.set(row.questId, await readRun(read, row, rules, now))
  }

  // The quests apart.
  const asked = new Set([...shown.map(({ quest }) => quest), ...claimable(rows, byId)])
  const unmet = await readUnmet(
    read,
    { userId },
    [...asked].map(({ id, current }) => ({ id, requires: current.eligibility })),
  )
  const rest = new Map(rows.map(row => [`${row.questId} ${row.period}`, row]))
  const current = shown.flatMap(({ quest, period }) => {
    const name = `${quest.id} ${period.key}`
    const row = rest.get(name)
    rest.delete(name)
    const blockers = unmet.get(quest.id)
    // What the fan has completed stays, also after leaving the segment.
    if (!row?.completedAt && blockers?.includes('not_in_segment')) return []
    const facts = { quest, period, completed, row, streak: streaks.get(quest.id), unmet: blockers }
    return [presentQuest(facts, now)]
  })
  const past = [...rest.values()]
    .filter(({ completedAt, claimedAt }) => completedAt && !claimedAt)
    .slice(0, MAX_PAST)
    .flatMap(row => {
      const quest = byId.get(row.questId)
      const facts = { row, streak: streaks.get(row.questId), unmet: unmet.get(row.questId) }
      return quest ? [presentQuest({ quest, ...facts }, now)] : []
    })
  return { quests: [...current, ...past] }
}

const claimable = (rows: ProgressRow[], quests: Map<string, Quest>) =>
  rows.flatMap(({ questId, completedAt, claimedAt }) =>
    completedAt && !claimedAt ? (quests.get(questId) ?? []) : [],
  )

const unique = (values: string[]) => [...new Set(values)].toSorted()

/** The fan's rows of these periods, and of periods to claim, newest completion first. */
const selectOwn = prepared((reader: Reader, userId: string, periods: string[]) => {
  const { questProgress } = reader.tables
  const { completedAt, period, questId } = questProgress
  return reader
    .select()
    .from(questProgress)
    .where(and(eq(questProgress.userId, userId), or(inArray(period, periods), isClaimable(questProgress))))
    .orderBy(desc(completedAt), questId)
})
