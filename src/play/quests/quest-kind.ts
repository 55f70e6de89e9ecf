/** Imports quests. Each change is a new version: a period keeps the one with which it began. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { conditionFaults, eventTypeFaults } from '../../club/catalogue/conditions.ts'
import {
  compareEntries,
  completeEntry,
  type EntryChange,
  type EntryFault,
  instantOf,
  refuseEntry,
} from '../../club/catalogue/entry.ts'
import type { IsStated, WrittenBefore } from '../../club/catalogue/kind.ts'
import { bumpVersion } from '../../club/catalogue/versions.ts'
import { fanFaults } from '../../club/segments/segment-kind.ts'
import { isTimeZone } from '../../core/windows.ts'
import { isAccount } from '../../economy/accounts/account-kind.ts'
import { declareRestrictedKind } from '../eligibility/kind.ts'
import { isCollectible } from '../packs/give-collectible.ts'
import { isReward } from '../rewards/give-reward.ts'
import { QuestEntry } from './entry-schema.ts'
import { definitionOf, type Quest, readQuest, type StoredQuest, statedRequires, toStored } from './quest.ts'

/** The rules that the schema cannot express. */
function questFaults(entry: QuestEntry): EntryFault[] {
  const definition = definitionOf(toStored(entry))
  const { kind, steps, period, timeZone, graceDays, reward, requires } = definition
  const faults: EntryFault[] = []
  const fault = (pointer: string, message: string) => faults.push({ pointer, message })
  if (!isTimeZone(timeZone)) fault('/timeZone', 'must be an IANA time zone, such as Europe/London')
  if (kind === 'achievement' && period !== 'once') fault('/period', 'must be once for an achievement')
  if (kind === 'streak' && period === 'once') fault('/period', 'must be day, week or month for a streak')
  if (kind !== 'streak' && graceDays > 0) fault('/graceDays', 'must be 0, except for a streak')
  if (requires.includes(entry.id)) fault(pointerOfQuests(entry), 'must not contain the quest itself')
  if (period !== 'once' && reward.rewardId)
    fault('/reward/rewardId', 'must be null for a quest that repeats: a fan claims a reward once')
  for (const [index, { id, eventType, when }] of steps.entries()) {
    if (steps.findIndex(step => step.id === id) < index) fault(`/steps/${index}/id`, 'is a duplicate')
    faults.push(...eventTypeFaults(eventType, `/steps/${index}/eventType`))
    faults.push(...conditionFaults(when, `/steps/${index}/when`))
  }
  return faults
}

/** What `writeQuest` would change. @throws DomainError `catalogue_conflict` */
async function planQuest(reader: Reader, entry: QuestEntry): Promise<EntryChange> {
  const quest = await readQuest(reader, entry.id)
  const faults = [
    ...(await circleFaults(reader, entry)),
    ...(quest ? await frozenFaults(reader, quest, entry) : []),
  ]
  refuseEntry(...faults)
  const { active, startsAt, endsAt } = quest ?? {}
  const [stored] = quest ? await readStored(reader, [entry.id]) : []
  const requires = stored && statedRequires(stored)
  return compareEntries(quest && { ...quest.current, active, startsAt, endsAt, requires }, contentOf(entry))
}

/** @throws DomainError `catalogue_conflict` */
async function writeQuest(tx: Transaction, entry: QuestEntry): Promise<EntryChange> {
  const { quests, questVersions, questRequirements } = tx.tables
  const { id } = entry
  const { active, startsAt, endsAt } = contentOf(entry)
  const stored = toStored(entry)
  if ((await planQuest(tx, entry)).outcome === 'unchanged') return { outcome: 'unchanged', members: {} }
  // Its lock serializes imports.
  const version = await bumpVersion(tx)
  const change = await planQuest(tx, entry)
  if (change.outcome === 'unchanged') return change
  const columns = { active, startsAt, endsAt, version, updatedAt: tx.now() }
  await tx
    .insert(quests)
    .values({ id, ...columns, createdAt: tx.now() })
    .onConflictDoUpdate({ target: quests.id, set: columns })
  await tx
    .insert(questVersions)
    .values({ questId: id, version, entry: JSON.stringify(stored), createdAt: tx.now() })
  await tx.delete(questRequirements).where(eq(questRequirements.questId, id))
  for (const requiredId of stored.requires ?? [])
    await tx.insert(questRequirements).values({ questId: id, requiredId })
  return change
}

function contentOf(entry: QuestEntry) {
  const stored = toStored(entry)
  const { eligibility: _, ...definition } = definitionOf(stored)
  return {
    ...definition,
    requires: statedRequires(stored),
    active: entry.active ?? true,
    startsAt: instantOf(entry.startsAt),
    endsAt: instantOf(entry.endsAt),
  }
}

/** Where the entry lists the quests that it requires. */
const pointerOfQuests = ({ requires }: QuestEntry) =>
  requires == null || Array.isArray(requires) ? '/requires' : '/requires/quests'

/** The quests that the entry requires, with their places. */
const requiredBy = (entry: QuestEntry) =>
  (toStored(entry).requires ?? []).map((id, index) => ({ id, pointer: `${pointerOfQuests(entry)}/${index}` }))

/** Quests must not require one another in a circle. */
async function circleFaults(reader: Reader, entry: QuestEntry): Promise<EntryFault[]> {
  const faults: EntryFault[] = []
  for (const { id, pointer } of requiredBy(entry))
    if (await reaches(reader, await readQuest(reader, id), entry.id))
      faults.push({ pointer, message: 'must not require this quest itself' })
  return faults
}

/** Everything that the entry names must exist. */
async function findUnknown(
  reader: Reader,
  entry: QuestEntry,
  { isWritten, isStated }: { isWritten: WrittenBefore; isStated: IsStated },
): Promise<EntryFault[]> {
  const faults = await fanFaults(reader, entry.fan, isStated)
  for (const { id, pointer } of requiredBy(entry))
    if (!(await readQuest(reader, id)) && !isWritten('quests', id))
      faults.push({ pointer, message: 'must be a quest that is stored, or stated before this one' })
  const { account, rewardId, collectibleId } = entry.reward ?? {}
  if (account && !isStated('accounts', account) && !(await isAccount(reader, account)))
    faults.push({ pointer: '/reward/account', message: 'must be an account of the catalogue' })
  if (rewardId && !isWritten('rewards', rewardId) && !(await isReward(reader, rewardId)))
    faults.push({ pointer: '/reward/rewardId', message: 'must be a reward that is stored or in this file' })
  if (
    collectibleId &&
    !isWritten('collectibles', collectibleId) &&
    !(await isCollectible(reader, collectibleId))
  )
    faults.push({
      pointer: '/reward/collectibleId',
      message: 'must be a collectible that is stored or in this file',
    })
  return faults
}

async function reaches(reader: Reader, from: Quest | undefined, id: string): Promise<boolean> {
  for (const requiredId of from?.current.requires ?? [])
    if (requiredId === id || (await reaches(reader, await readQuest(reader, requiredId), id))) return true
  return false
}

/** Errors for changes of members that determine periods and runs, once fans have progress. */
async function frozenFaults(reader: Reader, quest: Quest, entry: QuestEntry): Promise<EntryFault[]> {
  const after = definitionOf(toStored(entry))
  const changed = (['kind', 'period', 'timeZone', 'graceDays'] as const).filter(
    name => quest.current[name] !== after[name],
  )
  if (changed.length === 0 || !(await hasProgress(reader, quest.id))) return []
  return changed.map(name => {
    const message = `must stay ${quest.current[name]}: fans have progress; give another quest a new id`
    return { pointer: `/${name}`, message }
  })
}

async function hasProgress(reader: Reader, questId: string): Promise<boolean> {
  const { questProgress } = reader.tables
  const own = eq(questProgress.questId, questId)
  const rows = await reader.select({ period: questProgress.period }).from(questProgress).where(own).limit(1)
  return rows.length > 0
}

async function readStored(reader: Reader, ids: string[]): Promise<StoredQuest[]> {
  const { quests, questVersions } = reader.tables
  const rows = await reader
    .select({ entry: questVersions.entry })
    .from(quests)
    .innerJoin(
      questVersions,
      and(eq(questVersions.questId, quests.id), eq(questVersions.version, quests.version)),
    )
    .where(inArray(quests.id, ids))
  // Guarantee of the cast: the import validates entries before it stores them.
  return rows.map(({ entry }) => JSON.parse(entry) as StoredQuest)
}

async function readQuests(reader: Reader, ids: string[]): Promise<QuestEntry[]> {
  return (await readStored(reader, ids)).map(stored => {
    const { id, startsAt, endsAt } = stored
    const [start, end] = [startsAt, endsAt].map(text => instantOf(text)?.toISOString() ?? null)
    const stated = { ...stored, ...definitionOf(stored), requires: statedRequires(stored) }
    return completeEntry(QuestEntry, { ...stated, id, startsAt: start, endsAt: end })
  })
}

/** Sorts each quest after the quests that it requires. An import refuses circles. */
function requiredFirst(quests: QuestEntry[]): QuestEntry[] {
  const byId = new Map(quests.map(quest => [quest.id, quest]))
  const ordered = new Set<QuestEntry>()
  const add = (quest: QuestEntry) => {
    for (const required of (toStored(quest).requires ?? []).toSorted()) {
      const first = byId.get(required)
      if (first && !ordered.has(first)) add(first)
    }
    ordered.add(quest)
  }
  for (const quest of quests) add(quest)
  return [...ordered]
}

export const questKind = declareRestrictedKind({
  kind: 'quest',
  list: 'quests',
  about: 'What fans do for a reward: once, in each period, or in a row.',
  schema: QuestEntry,
  givesValue: true,
  inOrder: requiredFirst,
  table: ({ quests }) => quests,
  faults: questFaults,
  requiresOf: entry => definitionOf(toStored(entry)).eligibility,
  references: findUnknown,
  plan: planQuest,
  upsert: writeQuest,
  read: readQuests,
  /** Fans can still claim what they have completed. */
  async deactivate(tx, id) {
    const [current] = await readQuests(tx, [id])
    if (!current?.active) return false
    // Writes a version, which records the time of the change.
    await writeQuest(tx, { ...current, active: false })
    return true
  },
})

export const upsertQuest = (tx: Transaction, entry: QuestEntry) => questKind.upsert(tx, entry)
