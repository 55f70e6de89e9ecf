/**
 * The facts of a fan that segments ask, and how a condition compares one in memory. `operate/admin/segments` reads and compares the
 * same facts in SQL.
 */
import { OPERATORS, type Operator } from '../catalogue/operators.ts'

/** `days`: whole days since a time. `set`: names, of which a condition asks for one. */
export type FactType = 'text' | 'number' | 'boolean' | 'days' | 'set'

const FACTS = {
  country: 'text',
  locale: 'text',
  favoriteTeamId: 'text',
  ageBand: 'text',
  membership: 'set',
  points: 'number',
  lifetime: 'number',
  registeredDaysAgo: 'days',
  lastSeenDaysAgo: 'days',
  onboarded: 'boolean',
  checkIns: 'number',
  predictions: 'number',
  ordersPaid: 'number',
  packsOpened: 'number',
} as const satisfies Record<string, FactType>

/** Facts with a name of their own behind the dot. */
const FAMILIES = { spent: 'number', consent: 'boolean', tier: 'text' } as const satisfies Record<
  string,
  FactType
>

export type PlainFact = keyof typeof FACTS
type Family = keyof typeof FAMILIES
/** Without what follows the dot. */
export type FactName = PlainFact | Family
export type Fact = { name: PlainFact } | { name: Family; of: string }

const SLUG = /^[a-z0-9][a-z0-9._-]{0,99}$/
const NAME_OF = { spent: /^(POINTS|[A-Z]{3})$/, consent: SLUG, tier: SLUG }
const PLACEHOLDERS = { spent: 'CURRENCY', consent: 'PURPOSE', tier: 'ACCOUNT' }

/** Undefined for a name that is no fact. */
export function factNamed(text: string): (Fact & { type: FactType }) | undefined {
  // Guarantee of the casts: the names of the constants.
  if (Object.hasOwn(FACTS, text)) return { name: text as PlainFact, type: FACTS[text as PlainFact] }
  const dot = text.indexOf('.')
  const [family, of] = [text.slice(0, Math.max(dot, 0)), text.slice(dot + 1)]
  if (!Object.hasOwn(FAMILIES, family)) return undefined
  const name = family as Family
  return NAME_OF[name].test(of) ? { name, of, type: FAMILIES[name] } : undefined
}

export const factNames = [
  ...Object.keys(FACTS),
  ...Object.entries(PLACEHOLDERS).map(([family, of]) => `${family}.${of}`),
]

type Scalar = string | number | boolean | null

export interface FactCondition {
  fact: string
  op: Operator
  value: Scalar | Scalar[]
}

const ORDERED: readonly Operator[] = ['gt', 'gte', 'lt', 'lte']

/** The operators of a type: texts and sets have no order. */
export const operatorsOf = (type: FactType): readonly Operator[] =>
  type === 'number' || type === 'days'
    ? OPERATORS
    : OPERATORS.filter(op => !ORDERED.includes(op) && (op !== 'in' || type !== 'boolean'))

const JS_TYPES = { text: 'string', set: 'string', boolean: 'boolean', number: 'number', days: 'number' }
const NOUNS = { text: 'a string', set: 'a string', boolean: 'true or false' }

/** Why a condition cannot be judged; null if it can. */
export function conditionFault({
  fact,
  op,
  value,
}: FactCondition): { member: string; message: string } | null {
  const type = factNamed(fact)?.type
  if (type === undefined) return { member: 'fact', message: `must be one of ${factNames.join(', ')}` }
  const operators = operatorsOf(type)
  if (!operators.includes(op)) return { member: 'op', message: `must be one of ${operators.join(', ')}` }
  if (op === 'exists')
    return typeof value === 'boolean'
      ? null
      : { member: 'value', message: 'must be true or false for exists' }
  if (Array.isArray(value) !== (op === 'in'))
    return {
      member: 'value',
      message: op === 'in' ? 'must be a list for in' : `must not be a list for ${op}`,
    }
  const isRight = (one: unknown) =>
    typeof one === JS_TYPES[type] && (typeof one !== 'number' || Number.isSafeInteger(one))
  const noun = type === 'number' || type === 'days' ? 'a whole number' : NOUNS[type]
  return [value].flat().every(isRight) ? null : { member: 'value', message: `must be ${noun}` }
}

/** What is known of a fan. Null: unknown, or never. */
export type FactValue = string | number | boolean | null | string[]

const DAY_MS = 86_400_000

/** Whole days between; of the future none. */
export const daysBetween = (at: Date, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - at.getTime()) / DAY_MS))

/** As conditions of rules: an unknown value meets only `ne`, and `exists` with false. The condition has no fault. */
export function meetsCondition({ op, value }: FactCondition, actual: FactValue): boolean {
  const known = Array.isArray(actual) ? actual : [actual].filter(one => one !== null)
  const isOne = (one: unknown) => known.some(other => other === one)
  // Guarantee of the cast: ordered values are numbers, as `conditionFault` requires.
  const [first] = known as number[]
  switch (op) {
    case 'exists':
      return known.length > 0 === value
    case 'eq':
      return isOne(value)
    case 'ne':
      return !isOne(value)
    case 'in':
      return [value].flat().some(isOne)
    case 'gt':
      return first !== undefined && first > Number(value)
    case 'gte':
      return first !== undefined && first >= Number(value)
    case 'lt':
      return first !== undefined && first < Number(value)
    case 'lte':
      return first !== undefined && first <= Number(value)
  }
}
