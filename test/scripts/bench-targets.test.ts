/** The targets of the bench, on given rows. */
import { expect, test } from 'bun:test'
import { type Outcome, row } from '../../scripts/bench/scenario.ts'
import { OPERATIONS, scalingOf } from '../../scripts/bench/scenarios/scale.ts'
import { evaluateTargets } from '../../scripts/bench/targets.ts'

test('several instances keep nine tenths of what one does in a CPU second, for each operation', () => {
  const perCpu: Record<string, [number, number, number]> = {
    rewards: [1_000, 900, 899],
    dashboard: [1_000, 1_100, 950],
  }
  const rows = Object.entries(perCpu).flatMap(([name, [one, two, four]]) => {
    const [subjectOfTwo, subjectOfOne] = scalingOf(name, 2)
    const [subjectOfFour] = scalingOf(name, 4)
    return [
      row(subjectOfOne, 'requests/s', [one]),
      row(subjectOfTwo, 'requests/s', [two]),
      row(subjectOfFour, 'requests/s', [four]),
    ]
  })
  const verdictsOf = (scale: Outcome) =>
    evaluateTargets({ scale })
      .filter(({ title }) => title.endsWith('instances / one'))
      .map(({ title, value, holds }) => ({ title, value, holds }))

  const verdicts = verdictsOf({ rows, notes: [] })
  expect(verdicts).toHaveLength(2 * OPERATIONS.length)
  expect(verdicts.slice(0, 5)).toEqual([
    { title: 'rewards, by CPU of the API, 2 instances / one', value: 0.9, holds: true },
    { title: 'rewards, by CPU of the API, 4 instances / one', value: 0.899, holds: false },
    { title: 'dashboard, by CPU of the API, 2 instances / one', value: 1.1, holds: true },
    { title: 'dashboard, by CPU of the API, 4 instances / one', value: 0.95, holds: true },
    { title: 'claims, by CPU of the API, 2 instances / one', value: null, holds: null },
  ])
  for (const { holds } of verdictsOf({ rows, notes: [], invalid: 'failed' })) expect(holds).toBeNull()
})
