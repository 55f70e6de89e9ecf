/** Moves quests by the events of fans, in the unit of work that records or voids the event. */
import type { Transaction } from '../../db/index.ts'
import { isWithin } from '../catalogue/availability.ts'
import type { RecordedEvent } from '../events/event.ts'
import type { EventReader } from '../events/readers.ts'
import { lockAccount } from '../points/ledger.ts'
import { countEvent } from './count-event.ts'
import { deleteCounted, listUnclaimed, recount, selectUnclaimedOf } from './counted.ts'
import { type QuestSet, readQuestSet, versionOf } from './definition.ts'
import { periodAt } from './periods.ts'
import { findProgress, type PeriodKey, selectPeriods, updateCounts } from './rows.ts'
import { isFull } from './state.ts'
import { updateCompletion } from './update-completion.ts'

export const questReader: EventReader = {
  async load(tx) {
    const set = await readQuestSet(tx)
    return {
      listensTo: type => set.byEventType.has(type),
      onEvent: (tx, event) => advanceQuests(tx, set, event),
    }
  },
  onVoid: takeBack,
  listTaken: listUnclaimed,
}

/** Counts the event for every quest that is available when it occurred, and completes what is full then. */
async function advanceQuests(tx: Transaction, set: QuestSet, event: RecordedEvent): Promise<void> {
  const { userId, type, occurredAt } = event
  const quests = (set.byEventType.get(type) ?? []).filter(quest => isWithin(quest, occurredAt))
  if (quests.length === 0) return
  await lockAccount(tx, userId)
  const keys = quests.map(({ current }) => periodAt(current, occurredAt).key)
  const rows = await selectPeriods(tx, userId, [...new Set(keys)].toSorted())
  const full: PeriodKey[] = []
  for (const [at, quest] of quests.entries()) {
    const row = rows.find(({ questId, period }) => questId === quest.id && period === keys[at])
    const counted = await countEvent(tx, quest, event, row)
    if (counted && !row?.completedAt && isFull(counted.definition, counted.counts))
      full.push({ userId, questId: quest.id, period: counted.period.key })
  }
  // Afterwards: a completion may move the other quests.
  for (const key of full) await updateCompletion(tx, set, key)
}

/** Takes the event out of periods that are not claimed, whether or not their quests are active. */
async function takeBack(tx: Transaction, { userId, source, eventId }: RecordedEvent): Promise<void> {
  await lockAccount(tx, userId)
  const counted = await selectUnclaimedOf(tx, { userId, source, eventId })
  if (counted.length === 0) return
  const set = await readQuestSet(tx)
  for (const { questId, period } of counted) {
    const key = { userId, questId, period }
    await deleteCounted(tx, key, { source, eventId })
    const row = await findProgress(tx, key)
    const quest = set.byId.get(questId)
    if (!row || !quest) continue
    await updateCounts(tx, key, JSON.stringify(await recount(tx, key, versionOf(quest, row.version))))
    if (row.completedAt) await updateCompletion(tx, set, key)
  }
}
