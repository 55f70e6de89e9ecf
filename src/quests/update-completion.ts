/**
 * Completes a period whose steps are full and whose requirements are met, or takes a completion back that is not claimed.
 * A completion is an event, which may move further quests. This ends, since a period is completed once.
 */
import type { Transaction } from '../../db/index.ts'
import { recordEvent } from '../events/record-event.ts'
import { voidEvent } from '../events/void-event.ts'
import { type QuestDefinition, type QuestSet, versionOf } from './definition.ts'
import { giveQuestReward } from './give-reward.ts'
import {
  findProgress,
  listCompleted,
  type PeriodKey,
  type ProgressRow,
  selectUnclaimed,
  updateClaimable,
  updateCompleted,
} from './rows.ts'
import { isFull, parseCounts } from './state.ts'
import { updateStreak } from './update-streak.ts'

/** Needs the fan's account to be locked. */
export async function updateCompletion(tx: Transaction, set: QuestSet, key: PeriodKey): Promise<void> {
  const quest = set.byId.get(key.questId)
  const row = await findProgress(tx, key)
  if (!quest || !row || row.claimedAt) return
  const definition = versionOf(quest, row.version)
  const { requires } = quest.current
  const complete =
    isFull(definition, parseCounts(row.counts)) &&
    (await listCompleted(tx, key.userId, requires)).size === requires.length
  if (complete === (row.completedAt !== null)) return
  await (complete ? completePeriod(tx, row, definition) : reopenPeriod(tx, row, definition))
  for (const { id: questId } of set.dependents.get(key.questId) ?? [])
    for (const { period } of await selectUnclaimed(tx, { userId: key.userId, questId }))
      await updateCompletion(tx, set, { userId: key.userId, questId, period })
}

async function completePeriod(tx: Transaction, row: ProgressRow, definition: QuestDefinition) {
  const { userId, questId, period, endsAt } = row
  const { kind, reward, claim } = definition
  const key = { userId, questId, period }
  const completedAt = tx.now()
  const completionId = tx.newId()
  const given = claim === 'auto' ? await giveQuestReward(tx, key, reward) : null
  const claimed = { claimedAt: given && completedAt, given: given && JSON.stringify(given) }
  const [completed] = await updateCompleted(tx, key, { completedAt, completionId, ...claimed })
  if (!completed) throw new Error('a period was completed twice under the lock of its fan')
  const streak =
    kind === 'streak' ? await updateStreak(tx, { userId, questId }, definition, { endsAt }) : null
  const data = { questId, kind, period, streak }
  await recordEvent(tx, { userId, type: 'quest.completed', eventId: completionId, data })
}

async function reopenPeriod(tx: Transaction, row: ProgressRow, definition: QuestDefinition) {
  const { userId, questId, period, completionId } = row
  const before = { completedAt: null, completionId: null }
  const [reopened] = await updateClaimable(tx, { userId, questId, period }, before)
  if (!reopened || completionId === null) return
  if (definition.kind === 'streak') await updateStreak(tx, { userId, questId }, definition, null)
  await voidEvent(tx, { source: 'matchday', eventId: completionId })
}
