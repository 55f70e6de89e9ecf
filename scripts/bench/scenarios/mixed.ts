import { claimable } from '../catalogue.ts'
import { type PacedMeasurement, runPaced } from '../load/own.ts'
import type { Latency, Plan, RequestTemplate } from '../plan.ts'
import { type Bench, median, type Outcome, row, type Scenario } from '../scenario.ts'

const READS = [
  '/api/rewards',
  '/api/packs',
  '/api/user/profile',
  '/api/rewards',
  '/api/user/points',
  '/api/rewards',
  '/api/packs',
  '/api/user/onboarding',
  '/api/rewards',
]

/** Nine reads and a write, again and again; the writes are claims and changes of the profile in turn. */
function requests(): RequestTemplate[] {
  const writes = claimable.flatMap((rewardId): RequestTemplate[] => [
    { method: 'POST', path: '/api/rewards/claim', body: JSON.stringify({ rewardId }) },
    { method: 'PATCH', path: '/api/user/profile', body: JSON.stringify({ bio: `Waits for ${rewardId}.` }) },
  ])
  return writes.flatMap(write => [...READS.map((path): RequestTemplate => ({ method: 'GET', path })), write])
}

/** What it takes when it is asked for all it can. */
async function saturate({ options, generator, cores }: Bench, origin: string, plan: Plan) {
  const load = (first: number, seconds: number) =>
    generator.measure(origin, plan, {
      seconds,
      connections: options.connections,
      first,
      core: cores.generator,
    })
  const warm = await load(0, Math.min(options.seconds, 2))
  const measured = await load(warm.made, options.seconds)
  return { ...measured, made: warm.made + measured.made, failed: warm.failed + measured.failed }
}

export const mixed: Scenario = {
  name: 'mixed',
  about: '90 reads to 10 durable writes: what it takes at most, and latencies at half of that',
  async run(bench): Promise<Outcome> {
    const { options, subjects, folder, cores } = bench
    const plan: Plan = { tokens: bench.tokensOf(options.fans), requests: requests(), once: true }
    const rounds: (PacedMeasurement & { most: number })[] = []
    let failed = 0
    for (let round = 0; round < options.rounds; round++) {
      const running = await subjects.matchday.start(options.fans)
      try {
        const full = await saturate(bench, running.origin, plan)
        const order = {
          origin: running.origin,
          plan,
          connections: options.connections,
          seconds: options.seconds,
        }
        const rate = full.perSecond / 2
        const paced = await runPaced({ ...order, first: full.made, rate }, folder, cores.generator)
        failed += full.failed + paced.failed
        rounds.push({ ...paced, most: full.perSecond })
      } finally {
        await running.stop()
      }
    }
    const latency = (name: keyof Latency) =>
      row(
        `matchday, ${name}`,
        'ms',
        rounds.map(round => round.latency[name]),
      )
    const most = row(
      'matchday, at most',
      'requests/s',
      rounds.map(round => round.most),
      { failed },
    )
    const late = median(rounds.map(({ lateness }) => lateness.p99))
    const at = `at ${Math.round(most.median / 2)}/s`
    const rows = [most, latency('p50'), latency('p90'), latency('p99'), latency('max')]
    return {
      rows,
      notes: [
        `latencies ${at}, from when each request was due, sent whether or not the server keeps up`,
        `the generator itself was late by ${late.toFixed(2)} ms at its 99th percentile`,
      ],
      ...(failed > 0 ? { invalid: `${failed} answers were not 2xx` } : {}),
    }
  },
}
