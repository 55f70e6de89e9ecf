/** Conditions of a segment that no fan can ever meet. */
import type { EntryFault } from '../catalogue/entry.ts'
import { type FactCondition, type FactType, type FactValue, factNamed, meetsCondition } from './facts.ts'

/** Conditions that have no fault. Only those on the same fact can contradict each other. */
export function contradictions(when: FactCondition[]): EntryFault[] {
  return when.flatMap((condition, index) => {
    const { fact } = condition
    const type = factNamed(fact)?.type
    const before = when.slice(0, index).filter(other => other.fact === fact)
    if (type === undefined || canBeMet(type, [...before, condition])) return []
    // Told already.
    if (!canBeMet(type, before)) return []
    const other = before.find(one => !canBeMet(type, [one, condition]))
    const why = !canBeMet(type, [condition])
      ? `: ${fact} is never negative`
      : ` together with ${other ? inWords(other) : `the other conditions on ${fact}`}`
    const message = `must be possible: ${inWords(condition)} can never be met${why}`
    return [{ pointer: `/when/${index}/value`, message }]
  })
}

const inWords = ({ fact, op, value }: FactCondition) => `${fact} ${op} ${JSON.stringify(value)}`

const canBeMet = (type: FactType, conditions: FactCondition[]) =>
  candidates(type, conditions).some(value => conditions.every(one => meetsCondition(one, value)))

/** Of the values that a fact can have, enough to tell whether one meets all conditions. Null: unknown. */
function candidates(type: FactType, conditions: FactCondition[]): FactValue[] {
  const named = conditions.flatMap(({ value }) => value)
  // That no condition names.
  const another = `another ${named.join(' ')}`
  switch (type) {
    case 'boolean':
      return [null, true, false]
    case 'number':
    case 'days': {
      // The least number that meets all is 0, or one that a condition names, or the next one.
      const next = named.flatMap(value => (typeof value === 'number' ? [value, value + 1] : []))
      return [null, 0, ...next.filter(value => value >= 0)]
    }
    case 'text':
      return [null, another, ...named]
    case 'set': {
      // All names at once, without those that must be missing.
      const missing = conditions.flatMap(({ op, value }) => (op === 'ne' ? value : []))
      const most = named.filter(value => typeof value === 'string' && !missing.includes(value))
      return [null, [another, ...most.map(String)]]
    }
  }
}
