/** Fans' progress and streaks in memory: rows are read together, changed by events in their order, and written together. */
import { deleteRows, insertRows } from '../../../db/bulk.ts'
import type { Tables, Transaction } from '../../../db/index.ts'
import { rowsByKeys } from '../../../db/keys.ts'
import { boundedPeriodUntil } from './periods.ts'
import type { PeriodKey, ProgressRow, QuestKey } from './rows.ts'
import { endOfStreak, extendStreak, type StreakRules, streakOf } from './streak.ts'

type StreakRow = Tables['questStreaks']['$inferSelect']

/** Requires that the accounts of the fans are locked. Data that was not loaded is read when it is needed. */
export interface Progress {
  load(keys: PeriodKey[]): Promise<void>
  find(key: PeriodKey): Promise<ProgressRow | undefined>
  /** Loads all periods of these quests. */
  loadQuests(keys: QuestKey[]): Promise<void>
  /** All periods of a quest that have progress. */
  listPeriods(key: QuestKey): Promise<ProgressRow[]>
  add(row: ProgressRow): void
  change(row: ProgressRow, change: Partial<ProgressRow>): void
  loadStreaks(keys: QuestKey[]): Promise<void>
  /** After a period was completed (`endsAt`) or reopened (null). Returns the length of the latest run. */
  updateStreak(key: QuestKey, rules: StreakRules, endsAt: Date | null): Promise<number>
  write(): Promise<void>
}

const ofQuest = ({ userId, questId }: QuestKey): QuestKey => ({ userId, questId })
const questName = ({ userId, questId }: QuestKey) => `${userId} ${questId}`
const periodName = (key: PeriodKey) => `${questName(key)} ${key.period}`

const selectPeriods = rowsByKeys('questProgress', ['userId', 'questId', 'period'])
const selectQuests = rowsByKeys('questProgress', ['userId', 'questId'])
const selectStreaks = rowsByKeys('questStreaks', ['userId', 'questId'])

/** The keys that are not loaded yet, each once. */
function missing<Key>(
  keys: Key[],
  nameOf: (key: Key) => string,
  known: { has(name: string): boolean },
): Key[] {
  return [...new Map(keys.filter(key => !known.has(nameOf(key))).map(key => [nameOf(key), key])).values()]
}

export function openProgress(tx: Transaction): Progress {
  /** By period; null where there is none. */
  const rows = new Map<string, ProgressRow | null>()
  const byQuest = new Map<string, ProgressRow[]>()
  const wholeQuests = new Set<string>()
  const changed = new Set<ProgressRow>()
  /** By quest; null where there is none. */
  const streaks = new Map<string, StreakRow | null>()
  const changedStreaks = new Map<string, { before: StreakRow | null; after: StreakRow | null }>()

  function keep(row: ProgressRow) {
    rows.set(periodName(row), row)
    byQuest.getOrInsertComputed(questName(row), () => []).push(row)
  }

  async function load(keys: PeriodKey[]) {
    const wanted = missing(keys, periodName, rows)
    for (const row of await selectPeriods(tx, wanted)) keep(row)
    for (const key of wanted) rows.getOrInsert(periodName(key), null)
  }

  async function loadQuests(keys: QuestKey[]) {
    const wanted = missing(keys.map(ofQuest), questName, wholeQuests)
    // Rows in memory are newer.
    for (const row of await selectQuests(tx, wanted)) if (!rows.get(periodName(row))) keep(row)
    for (const key of wanted) wholeQuests.add(questName(key))
  }

  async function listPeriods(key: QuestKey) {
    await loadQuests([key])
    return [...(byQuest.get(questName(key)) ?? [])]
  }

  async function loadStreaks(keys: QuestKey[]) {
    const wanted = missing(keys.map(ofQuest), questName, streaks)
    for (const row of await selectStreaks(tx, wanted)) streaks.set(questName(row), row)
    for (const key of wanted) streaks.getOrInsert(questName(key), null)
  }

  return {
    load,
    loadQuests,
    listPeriods,
    loadStreaks,
    async find(key) {
      await load([key])
      return rows.get(periodName(key)) ?? undefined
    },
    add(row) {
      keep(row)
      changed.add(row)
    },
    change(row, change) {
      changed.add(Object.assign(row, change))
    },
    async updateStreak(key, rules, endsAt) {
      await loadStreaks([key])
      const before = streaks.get(questName(key)) ?? null
      const next = endsAt && boundedPeriodUntil(rules, endsAt)
      const isLatest = next && (!before || before.lastEndsAt < next.endsAt)
      const extended = isLatest ? extendStreak(before ?? undefined, next, rules) : null
      const streak = extended ?? streakOf(await listEnds(key), rules)
      const after = streak ? { ...ofQuest(key), ...streak, endsAt: endOfStreak(streak, rules) } : null
      streaks.set(questName(key), after)
      const first = changedStreaks.get(questName(key))
      changedStreaks.set(questName(key), { before: first ? first.before : before, after })
      return after?.current ?? 0
    },
    async write() {
      const { questProgress, questStreaks } = tx.tables
      await insertRows(tx, questProgress, [...changed], {
        set: ['counts', 'completedAt', 'completionId', 'claimedAt', 'given'],
      })
      const all = [...changedStreaks.values()]
      await insertRows(
        tx,
        questStreaks,
        all.flatMap(({ after }) => after ?? []),
        {
          set: ['current', 'best', 'graceLeft', 'lastEndsAt', 'endsAt'],
        },
      )
      await deleteRows(
        tx,
        questStreaks,
        all.flatMap(({ before, after }) => (after ? [] : (before ?? []))),
      )
    },
  }

  /** The ends of a fan's completed periods, in order. */
  async function listEnds(key: QuestKey): Promise<Date[]> {
    const completed = (await listPeriods(key)).filter(({ completedAt }) => completedAt !== null)
    return completed.flatMap(({ endsAt }) => endsAt ?? []).toSorted((a, b) => a.getTime() - b.getTime())
  }
}
