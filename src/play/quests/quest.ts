/**
 * Quests in memory: each with all its versions, because a period keeps the version with which it began. Events count the steps of a
 * period (`event-reader.ts`). A completed period is claimed (`claim.ts`) or expires. Its states: `state.ts`.
 */
import { eq } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { isHeard } from '../../club/catalogue/conditions.ts'
import { completeEntry } from '../../club/catalogue/entry.ts'
import type { MaybePromise, ResponseCache } from '../../platform/cache/response-cache.ts'
import { questsTag } from '../../platform/cache/tags.ts'
import { normalizeRequires, type Requires } from '../eligibility/requires.ts'
import * as schema from './entry-schema.ts'

export type QuestStep = Required<schema.QuestStep>
export type QuestReward = Required<schema.QuestReward>

type Replaced = 'id' | 'active' | 'startsAt' | 'endsAt' | 'steps' | 'reward' | 'requires'

/** The members of an entry in a version, with defaults. */
export interface QuestDefinition extends Required<Omit<schema.QuestEntry, Replaced>> {
  steps: QuestStep[]
  reward: QuestReward
  /** Quests to be completed first. */
  requires: string[]
  /** What else the fan must meet to get the reward. */
  eligibility: Requires
}

/** As the table of versions has it. Older versions read `requires` as the list of quests. */
export interface StoredQuest extends Omit<schema.QuestEntry, 'requires'> {
  requires?: string[]
  /** `requires` as an object, if it was stated so. */
  requirements?: Exclude<schema.QuestEntry['requires'], string[] | null | undefined>
}

export function toStored({ requires, ...entry }: schema.QuestEntry): StoredQuest {
  if (requires == null) return entry
  if (Array.isArray(requires)) return { ...entry, requires }
  return { ...entry, requires: requires.quests ?? [], requirements: requires }
}

/** `requires` in the form in which it was stated. */
export const statedRequires = ({ requires = [], requirements }: StoredQuest) => requirements ?? requires

type QuestRow = Tables['quests']['$inferSelect']

export interface Quest extends Pick<QuestRow, 'id' | 'active' | 'startsAt' | 'endsAt'> {
  current: QuestDefinition
  version: number
  /** Time of the current version. */
  changedAt: Date
  versions: Map<number, QuestDefinition>
}

export function definitionOf({ requires = [], requirements, ...entry }: StoredQuest): QuestDefinition {
  const { id: _, active: _a, startsAt: _s, endsAt: _e, ...content } = completeEntry(schema.QuestEntry, entry)
  const { quests: _q, ...eligibility } = requirements ?? {}
  return {
    ...content,
    steps: entry.steps.map(step => ({ ...completeEntry(schema.QuestStep, step), when: step.when ?? [] })),
    graceDays: entry.graceDays ?? 0,
    requires,
    eligibility: normalizeRequires(eligibility),
    reward: { ...completeEntry(schema.QuestReward, entry.reward ?? {}), points: entry.reward?.points ?? 0 },
  }
}

export interface QuestSet {
  byId: Map<string, Quest>
  /** Active quests that an event of a type may update, in any of their versions. */
  byEventType: Map<string, Quest[]>
  /** Quests that require another one. */
  dependents: Map<string, Quest[]>
}

/** Every quest, active or not, by id. */
export async function readQuestSet(reader: Reader): Promise<QuestSet> {
  const byId = questsOf(await selectAll(reader))
  const quests = [...byId.values()]
  return {
    byId,
    byEventType: indexBy(
      quests.filter(({ active }) => active),
      eventTypesOf,
    ),
    dependents: indexBy(quests, ({ current }) => current.requires),
  }
}

/** Like `readQuestSet`, from the response cache. */
export const getQuestSet = (reader: Reader, cache: ResponseCache): MaybePromise<QuestSet> =>
  cache.get('quests', async () => ({ value: await readQuestSet(reader), tags: [questsTag] }))

export const readQuest = async (reader: Reader, id: string): Promise<Quest | undefined> =>
  questsOf(await selectOne(reader, id)).get(id)

type VersionRow = Awaited<ReturnType<typeof selectAll>>[number]

function questsOf(rows: VersionRow[]): Map<string, Quest> {
  const quests = new Map<string, Quest>()
  for (const { quest, version, entry, createdAt } of rows) {
    const { id, active, startsAt, endsAt } = quest
    // Guarantee: the import validates entries before it stores them.
    const definition = definitionOf(JSON.parse(entry) as StoredQuest)
    const known = quests.getOrInsertComputed(id, () => ({
      id,
      active,
      startsAt,
      endsAt,
      version: quest.version,
      current: definition,
      changedAt: createdAt,
      versions: new Map(),
    }))
    known.versions.set(version, definition)
    if (version === known.version) Object.assign(known, { current: definition, changedAt: createdAt })
  }
  return quests
}

const selectAll = prepared((reader: Reader) =>
  withVersions(reader).orderBy(reader.tables.quests.id, reader.tables.questVersions.version),
)

const selectOne = prepared((reader: Reader, id: string) =>
  withVersions(reader).where(eq(reader.tables.quests.id, id)),
)

function withVersions(reader: Reader) {
  const { quests, questVersions } = reader.tables
  const { version, entry, createdAt } = questVersions
  return reader
    .select({ quest: quests, version, entry, createdAt })
    .from(quests)
    .innerJoin(questVersions, eq(questVersions.questId, quests.id))
}

/** The quests by each of their keys. */
function indexBy(quests: Iterable<Quest>, keysOf: (quest: Quest) => Iterable<string>) {
  const index = new Map<string, Quest[]>()
  for (const quest of quests)
    for (const key of keysOf(quest)) index.getOrInsertComputed(key, () => []).push(quest)
  return index
}

export const eventTypesOf = ({ versions }: Quest) =>
  new Set([...versions.values()].flatMap(({ steps }) => steps.map(step => step.eventType)).filter(isHeard))

/** The definition that a period began with. */
export function versionOf({ id, versions }: Quest, version: number): QuestDefinition {
  const definition = versions.get(version)
  if (!definition) throw new Error(`quest ${id} has no version ${version}`)
  return definition
}
