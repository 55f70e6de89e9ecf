/** The quests of a fan: the current period of each, and completed periods of the past that are still to be claimed. */
import { and, desc, eq, inArray, isNotNull, isNull, or } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import type { Caller } from '../core/caller.ts'
import { getQuestSet } from './definition.ts'
import { currentPeriod } from './periods.ts'
import { presentQuest } from './present.ts'
import { listCompleted, type ProgressRow } from './rows.ts'
import { type StreakRow, selectStreaks } from './update-streak.ts'

interface Sources {
  read: Reader
  cache: ResponseCache
}

/** Further ones are listed once these are claimed. */
const MAX_PAST = 100

/** Quests whose flag is on and that have started, by id; those that have ended as well, until their flag is off. */
export async function listQuests({ read, cache }: Sources, { userId }: Pick<Caller, 'userId'>) {
  const now = read.now()
  const { byId } = await getQuestSet(read, cache)
  const shown = [...byId.values()]
    .filter(({ active, startsAt }) => active && (!startsAt || startsAt <= now))
    .map(quest => ({ quest, period: currentPeriod(quest.current, quest.endsAt, now) }))
  const { rows, streaks, completed } = await readOwn(read, userId, {
    periods: unique(shown.map(({ period }) => period.key)),
    requires: unique(shown.flatMap(({ quest }) => quest.current.requires)),
    hasStreaks: [...byId.values()].some(({ current }) => current.kind === 'streak'),
  })

  const rest = new Map(rows.map(row => [`${row.questId} ${row.period}`, row]))
  const current = shown.map(({ quest, period }) => {
    const name = `${quest.id} ${period.key}`
    const row = rest.get(name)
    rest.delete(name)
    return presentQuest({ quest, period, completed, row, streak: streaks.get(quest.id) }, now)
  })
  const past = [...rest.values()]
    .filter(({ completedAt, claimedAt }) => completedAt && !claimedAt)
    .slice(0, MAX_PAST)
    .flatMap(row => {
      const quest = byId.get(row.questId)
      return quest ? [presentQuest({ quest, row, streak: streaks.get(quest.id) }, now)] : []
    })
  return { quests: [...current, ...past] }
}

const unique = (values: string[]) => [...new Set(values)].toSorted()

interface Wanted {
  periods: string[]
  /** Quests that others require. */
  requires: string[]
  hasStreaks: boolean
}

interface Own {
  rows: ProgressRow[]
  completed: Set<string>
  streaks: Map<string, StreakRow>
}

/** One statement; another one if any quest requires others, and one if there are streaks. */
async function readOwn(read: Reader, userId: string | undefined, wanted: Wanted): Promise<Own> {
  if (userId === undefined) return NOTHING
  const { periods, requires, hasStreaks } = wanted
  const [rows, completed, streaks] = await Promise.all([
    selectOwn(read, { userId, periods }),
    listCompleted(read, userId, requires),
    hasStreaks ? selectStreaks(read, userId) : [],
  ])
  return { rows, completed, streaks: new Map(streaks.map(streak => [streak.questId, streak])) }
}

/** Of a fan without a record. */
const NOTHING: Own = { rows: [], completed: new Set(), streaks: new Map() }

/** The fan's rows of these periods, and those to be claimed, newest completion first. */
const selectOwn = prepared((reader: Reader, { userId, periods }: { userId: string; periods: string[] }) => {
  const { questProgress } = reader.tables
  const { completedAt, claimedAt, period, questId } = questProgress
  const isClaimable = and(isNotNull(completedAt), isNull(claimedAt))
  return reader
    .select()
    .from(questProgress)
    .where(and(eq(questProgress.userId, userId), or(inArray(period, periods), isClaimable)))
    .orderBy(desc(completedAt), questId)
})
