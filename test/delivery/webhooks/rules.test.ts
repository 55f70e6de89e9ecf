/** Boundary cases of deliveries, types and examples. */
import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { exampleOf } from '../../../src/delivery/webhooks/describe.ts'
import { isSuccess } from '../../../src/delivery/webhooks/send.ts'
import { typeFault } from '../../../src/delivery/webhooks/types.ts'

const result = (status: number | null) => ({ status, error: null, response: null, retryAfter: undefined })

test.each([
  [null, false],
  [199, false],
  [200, true],
  [204, true],
  [299, true],
  [300, false],
  [304, false],
  [500, false],
])('a response with %p is a success: %p', (status, success) => {
  // Guarantee of the cast: only the status is read.
  expect(isSuccess(result(status) as never)).toBe(success)
})

const long = (length: number) => `shop.${'a'.repeat(length - 5)}`

test.each([
  ['reward.claimed', null],
  ['reward.*', null],
  ['*', null],
  ['shop.purchase', null],
  [long(100), null],
  [long(101), 'is no type: '],
  ['reward', 'is no type: '],
  ['Shop.Purchase', 'is no type: '],
  ['reward.claime', 'did you mean reward.claimed?'],
  ['reward.clai', null],
  ['reward.claim', 'did you mean reward.claimed?'],
])('%s has the fault %p', (pattern, fault) => {
  const found = typeFault(pattern, ['reward.claimed', 'points.changed'])
  if (fault === null) expect(found).toBeNull()
  else expect(found).toContain(fault)
})

test.each<[unknown, Parameters<typeof exampleOf>[0]]>([
  ['given', Type.String({ examples: ['given', 'other'] })],
  ['one', Type.Literal('one')],
  ['one', Type.Union([Type.Literal('one'), Type.Null()])],
  [[{ id: 7 }], Type.Array(Type.Object({ id: Type.Integer({ minimum: 7 }) }))],
  [
    { id: expect.any(Number) },
    Type.Object({ id: Type.Integer({ minimum: 1 }), note: Type.Optional(Type.Null()) }),
  ],
])('%j is the example of its schema', (example, schema) => {
  expect(exampleOf(schema)).toEqual(example)
})
