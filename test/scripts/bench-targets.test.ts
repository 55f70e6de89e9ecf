/** The targets of the bench, on given rows. */
import { expect, test } from 'bun:test'
import { row, type ScenarioResult } from '../../scripts/bench/scenario.ts'
import { scenarios } from '../../scripts/bench/scenarios.ts'
import { evaluateTargets } from '../../scripts/bench/targets.ts'

const verdictsOf = (name: string, outcome: ScenarioResult) =>
  evaluateTargets({ [name]: outcome })
    .filter(({ holds }) => holds !== null)
    .map(({ title, value, byCpu, holds }) => ({ title, value, byCpu, holds }))

test('a target compares the medians of two rows, or a row with a limit, and is missed below or above it', () => {
  const rows = [
    row('sqlite, matchday', 'requests/s', [90, 60, 70], { perCpuSecond: 80 }),
    row('sqlite, group commit', 'requests/s', [100], { perCpuSecond: 100 }),
  ]
  expect(verdictsOf('crowd-claims', { rows, notes: [] })).toEqual([
    { title: 'sqlite, claims / raw group commit', value: 0.7, byCpu: 0.8, holds: true },
  ])
  const seconds = [row('sqlite, result', 's', [60]), row('sqlite, corrected result', 's', [60.1])]
  expect(verdictsOf('settlement', { rows: seconds, notes: [] }).map(({ holds }) => holds)).toEqual([
    true,
    false,
  ])
})

test('no target is evaluated on an invalid outcome or one without its rows', () => {
  const rows = [row('sqlite, result', 's', [1])]
  expect(verdictsOf('settlement', { rows, notes: [], invalid: 'failed' })).toEqual([])
  expect(verdictsOf('crowd-claims', { rows: [], notes: [] })).toEqual([])
})

test('docs/performance.md cites every scenario', async () => {
  const page = await Bun.file(`${import.meta.dir}/../../docs/performance.md`).text()
  const cited = [...page.matchAll(/bun run bench ([^`#\n]+)/g)].flatMap(
    ([, names]) => names?.split(/\s+/) ?? [],
  )
  expect(scenarios.map(({ name }) => name).filter(name => !cited.includes(name))).toEqual([])
})
