/** The event type and the conditions on its data, for catalogue entries that listen to events. */

import { Closed, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import type { EntryFault } from './entry.ts'
import { OPERATORS } from './operators.ts'

const Scalar = Type.Union(
  [Type.String({ maxLength: 200 }), Type.Number({ errorNoun: 'a number' }), Type.Boolean(), Type.Null()],
  { errorNoun: 'a string, a number, true, false or null' },
)

/** Like `shop.purchase`: dotted lower case. */
export const EventType = (description: string) =>
  Type.String({
    maxLength: 100,
    pattern: '^[a-z][a-z0-9_-]*(\\.[a-z0-9_-]+)+$',
    description,
    errorNoun: 'a type like shop.purchase: dotted lower case, at most 100 characters',
    examples: ['shop.purchase'],
  })

/**
 * Types that rules and quests cannot listen to, because they can be caused repeatedly at no cost: events that
 * a fan starts and ends alone, actions of a single staff member, and events about an undo. `points.changed`,
 * `cash.changed` and events of tiers and segments would trigger themselves; `match.updated` belongs to no fan.
 */
const UNHEARD_TYPES = [
  ...['points.changed', 'cash.changed', 'points.expiring', 'match.updated', 'fan.merged'],
  ...['report.resolved', 'sanction.applied', 'sanction.lifted', 'appeal.decided'],
  ...['reward.claim_undone', 'reward.code_replaced', 'reward.use_undone', 'purchase.refunded'],
  ...[
    'order.created',
    'order.expired',
    'order.cancelled',
    'order.refund_due',
    'order.refunded',
    'order.withdrawn',
  ],
  ...['order.line_changed', 'trade.offered', 'consent.changed'],
  ...['tier.reached', 'tier.at_risk', 'tier.lost', 'segment.entered', 'segment.left', 'league.round_closed'],
]

/** The type to use instead: it reports the final result in the same namespace. */
const HEARD_INSTEAD: Record<string, string> = {
  order: 'order.paid',
  purchase: 'purchase.completed',
  reward: 'reward.claimed',
  trade: 'trade.completed',
}

/** Whether rules and quests can listen to it. An entry of an earlier version that names another type stays stored, and earns nothing. */
export const isHeard = (type: string): boolean => !UNHEARD_TYPES.includes(type)

/** Checks that the schema of a type cannot express. */
export function eventTypeFaults(type: string, pointer: string): EntryFault[] {
  if (isHeard(type)) return []
  const instead = HEARD_INSTEAD[type.split('.', 1)[0] ?? '']
  const use = instead ? `: use ${instead}` : ''
  return [{ pointer, message: `must not be ${type}, which rules and quests cannot listen to${use}` }]
}

/** A JSON pointer (RFC 6901) into the data of an event. */
export const DataPointer = (description: string) =>
  Type.String({
    pattern: '^(/([^/~]|~[01])*)+$',
    maxLength: 200,
    description,
    errorNoun: 'a JSON pointer like /amount or /items/0/sku',
    examples: ['/amount'],
  })

/**
 * - `eq`: a value of the same type that is equal. `ne`: the opposite, so a missing member meets it.
 * - `gt`, `gte`, `lt`, `lte`: two numbers, or two strings by UTF-16 code units. Other values do not meet them.
 * - `in`: equal to a value of the list.
 * - `exists`: the member exists, null included, or with `value: false` does not.
 *
 * A missing member meets only `ne` and `exists: false`. An object or array equals no value.
 */
export const Condition = Closed(
  {
    path: DataPointer('Where the value is in the data of the event: a JSON pointer (RFC 6901).'),
    op: OneOf(OPERATORS, {
      description: 'Comparison. A missing member meets only `ne` and `exists` with false.',
    }),
    value: Type.Union(
      [Scalar, Type.Array(Scalar, { minItems: 1, maxItems: 100, errorNoun: 'a list of these' })],
      {
        description:
          'A number or string for gt, gte, lt and lte; a list for `in`; true or false for `exists`.',
      },
    ),
  },
  { title: 'Condition' },
)
export type Condition = Static<typeof Condition>

/** All conditions of an entry must be met. */
export const Conditions = Type.Array(Condition, {
  maxItems: 20,
  description: 'Conditions on the data of the event. All of them must be met.',
})

/** Checks that the schema cannot express. `pointer` leads to the list of conditions. */
export function conditionFaults(conditions: Condition[], pointer: string): EntryFault[] {
  return conditions.flatMap(({ op, value }, index) => {
    const expected = VALUES[op]
    const message = `must be ${expected.noun} for ${op}`
    return expected.accepts(value) ? [] : [{ pointer: `${pointer}/${index}/value`, message }]
  })
}

type Value = Condition['value']

const scalar = {
  noun: 'a string, a number, true, false or null',
  accepts: (value: Value) => !Array.isArray(value),
}
const ordered = { noun: 'a number or a string', accepts: (value: Value) => isOrdered(value) }

const VALUES: Record<Condition['op'], { noun: string; accepts: (value: Value) => boolean }> = {
  eq: scalar,
  ne: scalar,
  gt: ordered,
  gte: ordered,
  lt: ordered,
  lte: ordered,
  in: { noun: 'a list', accepts: value => Array.isArray(value) },
  exists: { noun: 'true or false', accepts: value => typeof value === 'boolean' },
}

const isOrdered = (value: unknown) => typeof value === 'number' || typeof value === 'string'

/** Whether data meets all conditions. */
export const meetsAll = (conditions: Condition[], data: unknown): boolean =>
  findUnmet(conditions, data) === undefined

/** The first condition that data does not meet. */
export const findUnmet = (conditions: Condition[], data: unknown): Condition | undefined =>
  conditions.find(({ path, op, value }) => !TESTS[op](valueAt(data, path), value))

/** The value at a JSON pointer; undefined where there is none. Inherited members and `length` are none. */
export function valueAt(data: unknown, pointer: string): unknown {
  let value = data
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined
    else if (isObject(value) && Object.hasOwn(value, name)) value = value[name]
    else return undefined
  }
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const TESTS: Record<Condition['op'], (actual: unknown, expected: Value) => boolean> = {
  eq: (actual, expected) => actual === expected,
  ne: (actual, expected) => actual !== expected,
  gt: (actual, expected) => order(actual, expected) > 0,
  gte: (actual, expected) => order(actual, expected) >= 0,
  lt: (actual, expected) => order(actual, expected) < 0,
  lte: (actual, expected) => order(actual, expected) <= 0,
  in: (actual, expected) => Array.isArray(expected) && expected.some(value => value === actual),
  exists: (actual, expected) => (actual !== undefined) === expected,
}

/** Negative, zero or positive. NaN, which meets no comparison, for values without an order. */
function order(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : a < b ? -1 : 1
  return Number.NaN
}
