import type { Plan } from '../plan.ts'
import { residentMb } from '../process.ts'
import { row, type Scenario, skipped } from '../scenario.ts'

const MILLION = 1_000_000

export const memory: Scenario = {
  name: 'memory',
  about:
    'Resident memory after three minutes of reads and a million requests, and its growth in the third minute',
  long: true,
  async run(bench) {
    const { subjects, options, generator, cores } = bench
    const running = await subjects.matchday.start(options.fans)
    try {
      const atStart = residentMb(running.pid)
      if (atStart === null) return skipped('this system does not say what a process has in memory')
      const plan: Plan = {
        tokens: bench.tokensOf(options.fans),
        requests: ['/api/rewards', '/api/packs', '/api/user/profile'].map(path => ({ method: 'GET', path })),
      }
      const samples: { requests: number; mb: number }[] = []
      let requests = 0
      // Samples a minute: what is collected now and then must not be taken for growth.
      const [slice, slices] = options.quick ? [1, 1] : [10, 6]
      for (let at = 0; at < 3 * slices || (!options.quick && requests < MILLION); at++) {
        const measured = await generator.measure(running.origin, plan, {
          seconds: slice,
          connections: options.connections,
          first: requests,
          core: cores.generator,
        })
        requests += measured.made
        samples.push({ requests, mb: residentMb(running.pid) ?? Number.NaN })
      }
      const minute = (n: number) => samples.slice((n - 1) * slices, n * slices).map(({ mb }) => mb)
      const [second, third] = [Math.max(...minute(2)), Math.max(...minute(3))]
      return {
        rows: [
          row('matchday at start', 'MB', [atStart]),
          row('matchday, third minute over second', 'x', [third / second]),
          row('matchday', 'MB', [Math.max(...samples.map(({ mb }) => mb))], { requests }),
        ],
        notes: [`peaks; ${requests} requests`],
      }
    } finally {
      await running.stop()
    }
  },
}
