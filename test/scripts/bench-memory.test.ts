/** The load of the memory scenario, with a generator that sends nothing. */
import { expect, test } from 'bun:test'
import { startIssuer } from '../../scripts/bench/issuer.ts'
import { readOptions } from '../../scripts/bench/options.ts'
import type { Bench } from '../../scripts/bench/scenario.ts'
import { memory } from '../../scripts/bench/scenarios/memory.ts'
import type { Subject } from '../../scripts/bench/subjects.ts'

const unused = () => {
  throw new Error('not used by the memory scenario')
}

/** A bench whose server is this process and whose load gives `perSecond` responses per second. */
function benchOf(perSecond: number, failed = 0) {
  const options = readOptions([])
  if (options === 'help') throw new Error('unexpected --help')
  const loads: { from: number; seconds: number }[] = []
  const matchday: Subject = {
    name: 'matchday',
    start: async () => ({ origin: '', pid: process.pid, startMs: 0, stop: async () => {} }),
  }
  const issuer = startIssuer('ES256')
  const bench: Bench = {
    options,
    folder: '',
    cores: { server: null, generator: null, pinned: false },
    generator: {
      name: 'none',
      async measure(_origin, _plan, { seconds, first = 0 }) {
        loads.push({ from: first, seconds })
        const requests = perSecond * seconds
        const latency = { p50: 1, p90: 1, p99: 1, max: 1 }
        // Two requests are pending at the end.
        return { requests, perSecond, failed, latency, sent: requests + 2, generatorCpu: 0 }
      },
    },
    issuer,
    databases: { copy: unused, close: unused },
    subjects: {
      matchday,
      on: unused,
      matchdayWithLimits: matchday,
      matchdayWithEndpoints: unused,
      matchdayInWorkers: unused,
      matchdayOn: unused,
      bare: unused,
      environment: unused,
    },
    tokensOf: () => ['token'],
    uncachedTokens: unused,
    newTokens: unused,
    log: unused,
  }
  return { bench, loads, close: () => issuer.stop() }
}

test.skipIf(process.platform !== 'linux').each([
  { perSecond: 20_000, seconds: 180 },
  { perSecond: 1_000, seconds: 1_020 },
])(
  'memory is sampled for at least three minutes and a million responses ($perSecond per second)',
  async of => {
    const { bench, loads, close } = benchOf(of.perSecond)
    const { rows, notes, invalid } = await memory.run(bench)
    await close()
    expect(invalid).toBeUndefined()
    expect(loads.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(of.seconds)
    expect(loads.slice(1).map(({ from }) => from)).toEqual(
      loads.slice(1).map((_, at) => (at + 1) * (of.perSecond * 10 + 2)),
    )
    expect(notes.join()).toContain(`over ${of.perSecond * of.seconds} responses in ${of.seconds} s`)
    expect(rows.map(({ subject }) => subject)).toEqual([
      'matchday at start',
      'matchday, third minute over second',
      'matchday',
    ])
    for (const { median } of rows) expect(median).toBeGreaterThan(0)
  },
)

test.skipIf(process.platform !== 'linux')('failed responses make the memory scenario invalid', async () => {
  const { bench, close } = benchOf(20_000, 1)
  const { invalid } = await memory.run(bench)
  await close()
  expect(invalid).toContain('responses were not 2xx')
})
