import type { Measurement, Plan } from '../plan.ts'
import { type Running, residentMb } from '../process.ts'
import { type Bench, row, type Scenario, skipped } from '../scenario.ts'

const MILLION = 1_000_000
const MINUTE_SECONDS = 60
/** Duration of one run of the generator. */
const SLICE_SECONDS = 10
const SAMPLE_MS = 1_000

export const memory: Scenario = {
  name: 'memory',
  summary:
    'Resident memory over at least three minutes and a million reads, and its growth in the third minute',
  long: true,
  async run(bench) {
    const { subjects, options } = bench
    const running = await subjects.matchday.start(options.fans)
    try {
      const atStart = residentMb(running.pid)
      if (atStart === null) return skipped('requires /proc')
      const plan: Plan = {
        tokens: bench.tokensOf(options.fans),
        requests: ['/api/rewards', '/api/packs', '/api/user/profile'].map(path => ({ method: 'GET', path })),
      }
      const [minute, minRequests] = options.quick ? [1, 0] : [MINUTE_SECONDS, MILLION]
      const [peaks, all] = [[] as number[], { seconds: 0, responses: 0, failed: 0 }]
      let first = 0
      // On a slow machine a million requests take longer than three minutes.
      while (peaks.length < 3 || all.responses < minRequests) {
        let peak = 0
        for (let left = minute; left > 0; left -= SLICE_SECONDS) {
          const seconds = Math.min(left, SLICE_SECONDS)
          const loaded = await load(bench, running, plan, { seconds, first })
          first += loaded.sent
          peak = Math.max(peak, loaded.peak)
          all.seconds += seconds
          all.responses += loaded.requests
          all.failed += loaded.failed
        }
        peaks.push(peak)
      }
      const [, second = Number.NaN, third = Number.NaN] = peaks
      const detail = { ...all, ...Object.fromEntries(peaks.map((mb, at) => [`minute ${at + 1}`, mb])) }
      return {
        rows: [
          row('matchday at start', 'MB', [atStart]),
          row('matchday, third minute over second', 'x', [third / second]),
          row('matchday', 'MB', [Math.max(...peaks)], detail),
        ],
        notes: [
          `maximum of samples every second, over ${all.responses} responses in ${all.seconds} s of load`,
          ...(all.responses < MILLION
            ? ['--quick: fewer than a million requests, seconds instead of minutes']
            : []),
        ],
        ...(all.failed > 0 ? { invalid: `${all.failed} responses were not 2xx` } : {}),
      }
    } finally {
      await running.stop()
    }
  },
}

/** Runs the load and samples the memory during it: an idle server uses less. */
async function load(
  { generator, options, cores }: Bench,
  { origin, pid }: Running,
  plan: Plan,
  { seconds, first }: { seconds: number; first: number },
): Promise<Measurement & { peak: number }> {
  let peak = 0
  const sample = () => {
    peak = Math.max(peak, residentMb(pid) ?? Number.NaN)
  }
  const sampling = setInterval(sample, SAMPLE_MS)
  try {
    const { connections } = options
    const measured = await generator.measure(origin, plan, {
      seconds,
      connections,
      first,
      core: cores.generator,
    })
    sample()
    return { ...measured, peak }
  } finally {
    clearInterval(sampling)
  }
}
