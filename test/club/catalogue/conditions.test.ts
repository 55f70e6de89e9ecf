/** Conditions on the data of events. */
import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import fc from 'fast-check'
import {
  Condition,
  Conditions,
  conditionFaults,
  DataPointer,
  EventType,
  meetsAll,
  valueAt,
} from '../../../src/club/catalogue/conditions.ts'

const data = JSON.parse(`{
  "amount": 1250, "currency": "EUR", "online": false, "coupon": null,
  "items": [{ "sku": "scarf", "tags": ["home", "winter"] }, { "sku": "cap" }],
  "a/b": { "m~n": 1 }, "": 2, "length": 3, "__proto__": { "polluted": true }
}`)

describe('a pointer into the data of an event', () => {
  test.each([
    { pointer: '/amount', value: 1250 },
    { pointer: '/coupon', value: null },
    { pointer: '/items/1/sku', value: 'cap' },
    { pointer: '/items/0/tags/1', value: 'winter' },
    { pointer: '/a~1b/m~0n', value: 1 },
    { pointer: '/', value: 2 },
    { pointer: '/length', value: 3 },
    { pointer: '/__proto__/polluted', value: true },
  ])('$pointer finds its value', ({ pointer, value }) => {
    expect(valueAt(data, pointer)).toBe(value)
  })

  test.each([
    '/missing',
    '/amount/deeper',
    '/currency/length',
    '/items/length',
    '/items/2',
    '/items/-',
    '/items/00',
    '/items/1e0',
    '/items/-1',
    '/coupon/deeper',
    '/toString',
    '/constructor/name',
    '/a/b',
    '//',
  ])('%s finds nothing', pointer => {
    expect(valueAt(data, pointer)).toBeUndefined()
  })

  test('finds nothing in an event without data', () => {
    expect(valueAt(null, '/amount')).toBeUndefined()
    expect(valueAt(undefined, '/amount')).toBeUndefined()
  })
})

describe('a condition', () => {
  const met: Condition[] = [
    { path: '/amount', op: 'eq', value: 1250 },
    { path: '/coupon', op: 'eq', value: null },
    { path: '/amount', op: 'ne', value: '1250' },
    { path: '/missing', op: 'ne', value: 'EUR' },
    { path: '/items', op: 'ne', value: 'scarf' },
    { path: '/amount', op: 'gt', value: 1249.5 },
    { path: '/amount', op: 'gte', value: 1250 },
    { path: '/amount', op: 'lt', value: 1251 },
    { path: '/amount', op: 'lte', value: 1250 },
    { path: '/currency', op: 'gt', value: 'CHF' },
    { path: '/currency', op: 'lte', value: 'EUR' },
    { path: '/currency', op: 'in', value: ['CHF', 'EUR'] },
    { path: '/coupon', op: 'in', value: [null] },
    { path: '/coupon', op: 'exists', value: true },
    { path: '/missing', op: 'exists', value: false },
  ]
  const unmet: Condition[] = [
    { path: '/amount', op: 'eq', value: '1250' },
    { path: '/missing', op: 'eq', value: null },
    { path: '/online', op: 'eq', value: 0 },
    { path: '/currency', op: 'ne', value: 'EUR' },
    { path: '/amount', op: 'gt', value: 1250 },
    { path: '/amount', op: 'lt', value: 1250 },
    { path: '/amount', op: 'gt', value: '0' },
    { path: '/currency', op: 'gt', value: 0 },
    { path: '/coupon', op: 'lte', value: 0 },
    { path: '/online', op: 'gte', value: 0 },
    { path: '/missing', op: 'lt', value: 1 },
    { path: '/missing', op: 'gte', value: 1 },
    { path: '/currency', op: 'in', value: ['CHF'] },
    { path: '/missing', op: 'in', value: [null] },
    { path: '/items', op: 'in', value: ['scarf'] },
    { path: '/coupon', op: 'exists', value: false },
    { path: '/missing', op: 'exists', value: true },
  ]
  const label = (condition: Condition) => ({ ...condition, label: JSON.stringify(condition.value) })

  test.each(met.map(label))('$path $op $label is met', ({ label: _, ...condition }) => {
    expect(meetsAll([condition], data)).toBe(true)
  })

  test.each(unmet.map(label))('$path $op $label is not met', ({ label: _, ...condition }) => {
    expect(meetsAll([condition], data)).toBe(false)
  })

  test('is met together with all others, and an empty list is met by any data', () => {
    const [first, second] = [met[0], unmet[0]]
    if (!first || !second) throw new Error('both lists have conditions')
    expect(meetsAll([first, first], data)).toBe(true)
    expect(meetsAll([first, second], data)).toBe(false)
    expect(meetsAll([], data)).toBe(true)
    expect(meetsAll([], null)).toBe(true)
  })

  test('for any value, either it or its opposite is met', () => {
    const value = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null))
    fc.assert(
      fc.property(fc.option(fc.jsonValue(), { nil: undefined }), value, (actual, expected) => {
        const judge = (op: Condition['op']) =>
          meetsAll([{ path: '/x', op, value: expected }], actual === undefined ? {} : { x: actual })
        const ordered = typeof actual === typeof expected && ['number', 'string'].includes(typeof expected)
        return (
          judge('eq') !== judge('ne') &&
          judge('lte') === (ordered && !judge('gt')) &&
          judge('lt') === (ordered && !judge('gte'))
        )
      }),
    )
  })
})

describe('a catalogue file', () => {
  test.each([
    { path: '', valid: false },
    { path: 'amount', valid: false },
    { path: '/amount', valid: true },
    { path: '/a~1b/m~0n', valid: true },
    { path: '/a~2', valid: false },
    { path: '/a~', valid: false },
  ])('accepts the path "$path": $valid', ({ path, valid }) => {
    expect(Value.Check(DataPointer(''), path)).toBe(valid)
  })

  test('accepts at most twenty conditions of an entry', () => {
    const conditions = Array(20).fill({ path: '/amount', op: 'eq', value: 1 })
    expect(Value.Check(Conditions, conditions)).toBe(true)
    expect(Value.Check(Conditions, [...conditions, ...conditions])).toBe(false)
  })

  test.each([
    { type: 'shop.purchase', valid: true },
    { type: 'match.checked_in', valid: true },
    { type: 'a.b.c-2', valid: true },
    { type: 'purchase', valid: false },
    { type: 'Shop.purchase', valid: false },
    { type: 'shop..purchase', valid: false },
    { type: 'shop.purchase.', valid: false },
  ])('accepts the event type "$type": $valid', ({ type, valid }) => {
    expect(Value.Check(EventType(''), type)).toBe(valid)
  })

  test.each([
    { op: 'eq', value: [1], message: 'must be a string, a number, true, false or null for eq' },
    { op: 'gte', value: null, message: 'must be a number or a string for gte' },
    { op: 'lt', value: [1], message: 'must be a number or a string for lt' },
    { op: 'in', value: 'EUR', message: 'must be a list for in' },
    { op: 'exists', value: 1, message: 'must be true or false for exists' },
  ] as const)('has a fault at the value that $op cannot compare', ({ op, value, message }) => {
    const fine: Condition = { path: '/amount', op: 'eq', value: 1 }
    const wrong: Condition = {
      path: '/amount',
      op,
      value: typeof value === 'object' && value ? [...value] : value,
    }
    expect(Value.Check(Condition, wrong)).toBe(true)
    expect(conditionFaults([fine, wrong], '/when')).toEqual([{ pointer: '/when/1/value', message }])
  })
})
