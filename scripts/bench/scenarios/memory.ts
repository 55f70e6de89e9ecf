import type { Measurement, Plan } from '../plan.ts'
import { type Running, residentMb } from '../process.ts'
import { type Bench, row, type Scenario, skipped } from '../scenario.ts'

const MILLION = 1_000_000
const MINUTE_SECONDS = 60
/** Of one run of the generator. */
const SLICE_SECONDS = 10
const SAMPLE_MS = 1_000

export const memory: Scenario = {
  name: 'memory',
  about:
    'Resident memory over three minutes of reads and a million requests at least, and its growth in the third minute',
  long: true,
  async run(bench) {
    const { subjects, options } = bench
    const running = await subjects.matchday.start(options.fans)
    try {
      const atStart = residentMb(running.pid)
      if (atStart === null) return skipped('this system does not say what a process has in memory')
      const plan: Plan = {
        tokens: bench.tokensOf(options.fans),
        requests: ['/api/rewards', '/api/packs', '/api/user/profile'].map(path => ({ method: 'GET', path })),
      }
      const [minute, most] = options.quick ? [1, 0] : [MINUTE_SECONDS, MILLION]
      const [peaks, all] = [[] as number[], { seconds: 0, answers: 0, failed: 0 }]
      let first = 0
      // On a slow machine a million take longer than three minutes.
      while (peaks.length < 3 || all.answers < most) {
        let peak = 0
        for (let left = minute; left > 0; left -= SLICE_SECONDS) {
          const seconds = Math.min(left, SLICE_SECONDS)
          const loaded = await load(bench, running, plan, { seconds, first })
          first += loaded.made
          peak = Math.max(peak, loaded.peak)
          all.seconds += seconds
          all.answers += loaded.requests
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
          `peaks of samples each second, over ${all.answers} answers in ${all.seconds} s of load`,
          ...(all.answers < MILLION ? ['fewer than a million, and seconds for minutes: --quick'] : []),
        ],
        ...(all.failed > 0 ? { invalid: `${all.failed} answers were not 2xx` } : {}),
      }
    } finally {
      await running.stop()
    }
  },
}

/** With the most that was in memory meanwhile: between two loads a server rests, and shows less. */
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
