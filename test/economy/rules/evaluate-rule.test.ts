/** Points for each whole part of a number, without a database. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { evaluateRule } from '../../../src/economy/rules/evaluate-rule.ts'
import { contentOf, MAX_POINTS, ruleOf } from '../../../src/economy/rules/rule.ts'

const occurredAt = new Date('2026-08-15T18:30:00.000Z')

/** One point for each whole `every` of `/amount`. */
function partsOf(amount: number, every: number): number {
  const points = { per: '/amount', every, points: 1 }
  const rule = ruleOf(contentOf({ id: 'shop', name: 'Shop', eventType: 'shop.purchase', points }), 1)
  const evaluation = evaluateRule(rule, { type: 'shop.purchase', occurredAt, data: { amount } })
  return evaluation.outcome === 'matched' ? evaluation.points : 0
}

test.each([
  { amount: 0.3, every: 1, points: 0 },
  { amount: 0.9999999999999999, every: 1, points: 0 },
  { amount: 1, every: 1, points: 1 },
  { amount: 8.999999999999998, every: 3, points: 2 },
  { amount: 299.99999999999994, every: 100, points: 2 },
  { amount: 300.00000000000006, every: 100, points: 3 },
])('$amount has $points whole parts of $every', ({ amount, every, points }) => {
  expect(partsOf(amount, every)).toBe(points)
})

test('the whole parts of a number are those of exact arithmetic, also right below and above a whole multiple', () => {
  const amounts = fc.oneof(
    fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true }),
    fc.tuple(fc.nat(1_000_000), fc.integer({ min: -2, max: 2 })),
  )
  fc.assert(
    fc.property(amounts, fc.integer({ min: 1, max: 1_000_000 }), (amount, every) => {
      const value = typeof amount === 'number' ? amount : nudge(amount[0] * every, amount[1])
      const exact = BigInt(Math.floor(value)) / BigInt(every)
      expect(partsOf(value, every)).toBe(Number(exact < MAX_POINTS ? exact : MAX_POINTS))
    }),
    { numRuns: 2_000 },
  )
})

/** `steps` representable numbers above `value`, at least 0. */
function nudge(value: number, steps: number): number {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  const moved = bits.getBigUint64(0) + BigInt(steps)
  bits.setBigUint64(0, moved > 0n ? moved : 0n)
  return bits.getFloat64(0)
}
