/** A period of a quest as a fan sees it. */
import { presentText } from '../../club/catalogue/texts.ts'
import type { RequiresCode } from '../eligibility/requires.ts'
import type { Given } from './give-reward.ts'
import { type Period, periodUntil } from './periods.ts'
import type { Quest, QuestReward } from './quest.ts'
import type { ProgressRow } from './rows.ts'
import { earlier, parseCounts, progressOf, stateOf } from './state.ts'
import { presentStreak, type Streak } from './streak.ts'

interface Facts {
  quest: Quest
  row?: ProgressRow | undefined
  /** Default: the period of the row. */
  period?: Period
  /** Quests that the fan has completed; needed while the period is not. */
  completed?: Pick<ReadonlyMap<string, unknown>, 'has'>
  /** What the fan lacks of the other requirements; nothing once the reward is given. */
  unmet?: RequiresCode[] | undefined
  /** With its current run. */
  streak?: Streak | undefined
}

export function presentQuest({ quest, row, streak, ...facts }: Facts, now: Date) {
  const { title, description, imageUrl, kind, requires, sponsorId } = quest.current
  // A cached quest may be a second older than the row.
  const definition = (row && quest.versions.get(row.version)) ?? quest.current
  const { key, startsAt, endsAt } = facts.period ?? periodUntil(definition, row?.endsAt ?? null)
  const until = earlier(endsAt, quest.endsAt)
  const { completedAt = null, claimedAt = null } = row ?? {}
  const missing = completedAt ? [] : requires.filter(id => !facts.completed?.has(id))
  return {
    id: quest.id,
    title: presentText(title),
    description: presentText(description),
    imageUrl,
    kind,
    reward: presentReward(definition.reward),
    claim: definition.claim,
    sponsorId,
    startsAt: quest.startsAt?.toISOString() ?? null,
    endsAt: quest.endsAt?.toISOString() ?? null,
    period: startsAt && until ? { key, startsAt: startsAt.toISOString(), endsAt: until.toISOString() } : null,
    state: stateOf({ completedAt, claimedAt, blockedBy: missing, endsAt: until }, now),
    progress: progressOf(definition.steps, parseCounts(row?.counts ?? '{}')),
    blockedBy: claimedAt ? [] : [...missing, ...(facts.unmet ?? [])],
    completedAt: completedAt?.toISOString() ?? null,
    claimedAt: claimedAt?.toISOString() ?? null,
    given: parseGiven(row?.given ?? null),
    ...(kind === 'streak' ? { streak: presentStreak(streak, definition, now) } : {}),
  }
}

/** Guarantee of the cast: only this room writes the column. */
const parseGiven = (text: string | null) => (text === null ? null : (JSON.parse(text) as Given))

/** Without an account where there is none. */
const presentReward = ({ account, ...reward }: QuestReward) =>
  account === null ? reward : { account, ...reward }
