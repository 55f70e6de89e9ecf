/** What rules and quests read of the data of events: the types of each member. */
import type { Reader } from '../../../../db/index.ts'
import { type Condition, valueAt } from '../../../club/catalogue/conditions.ts'
import { readVersion } from '../../../club/catalogue/versions.ts'
import { getRuleSet, type RuleSet } from '../../../economy/rules/rule-set.ts'
import type { CellType } from '../../../platform/files/cells.ts'
import type { RowFault } from '../../../platform/files/row-file.ts'
import { readQuestSet } from '../../../play/quests/quest.ts'

export interface MemberTypes {
  /** The types that rules and quests expect of a member of the data; empty if nothing reads the member. */
  typesOf(eventType: string, member: string): readonly CellType[]
  /** Members whose value has none of the types in which they are read: a rule would treat them as missing, without an error. */
  findUnfit(eventType: string, data: unknown): RowFault[]
  /** Why no active rule gives points for this data: a fault for each member that a rule cannot read. */
  unreadBy(eventType: string, data: unknown): RowFault[]
}

const TYPES: Record<string, CellType> = { number: 'number', boolean: 'boolean', string: 'text' }
const WORDS: Record<CellType, string> = { number: 'a number', boolean: 'true or false', text: 'text' }

export async function readMemberTypes(reader: Reader): Promise<MemberTypes> {
  const version = await readVersion(reader)
  const rules: RuleSet = version ? await getRuleSet(reader, version) : new Map()
  const quests = await readQuestSet(reader)
  /** By the type of the event, then by the pointer into its data. */
  const types = new Map<string, Map<string, Set<CellType>>>()
  const note = (eventType: string, path: string, type: CellType | undefined) => {
    if (type === undefined) return
    const paths = types.getOrInsertComputed(eventType, () => new Map<string, Set<CellType>>())
    paths.getOrInsertComputed(path, () => new Set()).add(type)
  }
  const noteConditions = (eventType: string, when: readonly Condition[]) => {
    for (const { path, op, value } of when)
      if (op !== 'exists')
        for (const one of Array.isArray(value) ? value : [value]) note(eventType, path, TYPES[typeof one])
  }
  for (const [eventType, listening] of rules)
    for (const { when, points } of listening) {
      noteConditions(eventType, when)
      if ('per' in points) note(eventType, points.per, 'number')
    }
  for (const listening of quests.byEventType.values())
    for (const { current } of listening)
      for (const { eventType, when } of current.steps) noteConditions(eventType, when)

  return {
    typesOf: (eventType, member) => [...(types.get(eventType)?.get(pointerTo(member)) ?? [])],
    findUnfit: (eventType, data) =>
      [...(types.get(eventType) ?? [])].flatMap(([path, read]) => {
        const value = valueAt(data, path)
        const type = TYPES[typeof value]
        if (value === undefined || value === null || (type && read.has(type))) return []
        const is = type === undefined ? 'a list or an object' : WORDS[type]
        const expected = Array.from(read, one => WORDS[one]).join(' or ')
        return [{ field: `data${path}`, message: `is ${is}, and rules or quests read ${expected}` }]
      }),
    unreadBy: (eventType, data) =>
      (rules.get(eventType) ?? []).flatMap(({ id, points }) => {
        if (!('per' in points)) return []
        const value = valueAt(data, points.per)
        if (typeof value === 'number' && value >= 0) return []
        const is = typeof value === 'number' ? 'is negative' : 'is missing'
        return [{ field: `data${points.per}`, message: `${is}, so the rule ${id} gives no points` }]
      }),
  }
}

/** A JSON Pointer (RFC 6901). */
export const pointerTo = (member: string) => `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`
