/** What rules and quests read of the data of events: the type of each member, for the columns of a spreadsheet. */
import type { Reader } from '../../../../db/index.ts'
import { type Condition, valueAt } from '../../../club/catalogue/conditions.ts'
import { readVersion } from '../../../club/catalogue/versions.ts'
import { getRuleSet, type RuleSet } from '../../../economy/rules/rule-set.ts'
import { readQuestSet } from '../../../play/quests/definition.ts'
import type { CellType } from './cells.ts'
import type { RowFault } from './rows.ts'

export interface MemberTypes {
  /** Of a member of the data of events of this type; undefined if nothing reads it, or if it is read in several ways. */
  typeOf(eventType: string, member: string): CellType | undefined
  /** Why an active rule that listens to the type can give no points for this data: one fault for each member that it cannot read. */
  unreadBy(eventType: string, data: unknown): RowFault[]
}

const TYPES: Record<string, CellType> = { number: 'number', boolean: 'boolean', string: 'text' }

export async function readMemberTypes(reader: Reader): Promise<MemberTypes> {
  const version = await readVersion(reader)
  const rules: RuleSet = version ? await getRuleSet(reader, version) : new Map()
  const quests = await readQuestSet(reader)
  const types = new Map<string, Set<CellType>>()
  const note = (eventType: string, path: string, type: CellType | undefined) => {
    const [member, ...deeper] = path.slice(1).split('/')
    if (member === undefined || deeper.length > 0 || type === undefined) return
    types.getOrInsertComputed(nameOf(eventType, unescaped(member)), () => new Set()).add(type)
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
    typeOf(eventType, member) {
      const [type, ...others] = types.get(nameOf(eventType, member)) ?? []
      return others.length === 0 ? type : undefined
    },
    unreadBy: (eventType, data) =>
      (rules.get(eventType) ?? []).flatMap(({ id, points }) => {
        if (!('per' in points)) return []
        const value = valueAt(data, points.per)
        if (typeof value === 'number' && value >= 0) return []
        const is =
          value === undefined ? 'is missing' : typeof value === 'number' ? 'is negative' : 'is no number'
        return [{ field: `data${points.per}`, message: `${is}, so the rule ${id} gives no points` }]
      }),
  }
}

const nameOf = (eventType: string, member: string) => `${eventType} ${member}`
const unescaped = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')
