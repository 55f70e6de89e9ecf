import { claimable } from '../catalogue.ts'
import type { Engine } from '../databases.ts'
import { type PacedMeasurement, runPaced } from '../load/bun-generators.ts'
import type { BenchOptions } from '../options.ts'
import { distinctRequests, type Latency, type Plan, type RequestTemplate } from '../plan.ts'
import { primeTokens } from '../prime-tokens.ts'
import {
  type Bench,
  enginesOf,
  median,
  mergeOutcomes,
  type Outcome,
  row,
  type Scenario,
} from '../scenario.ts'
import { type WarmUp, warmUp } from '../warm-up.ts'

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

/** Load at the measured rate before the measurement. */
const LEAD_SECONDS = 10
/** Full garbage collections occur about every ten seconds: a short measurement would miss them. */
const LATENCY_MEASUREMENTS = 5

/** Duration of the latency measurement and of the load before it. */
const pacedSeconds = ({ quick, seconds }: BenchOptions) =>
  quick ? { leadSeconds: 0, seconds } : { leadSeconds: LEAD_SECONDS, seconds: seconds * LATENCY_MEASUREMENTS }

/** Nine reads and a write, repeatedly; writes alternate between claims and profile changes. */
function requests(): RequestTemplate[] {
  const writes = claimable.flatMap((rewardId): RequestTemplate[] => [
    { method: 'POST', path: '/api/rewards/claim', body: JSON.stringify({ rewardId }) },
    { method: 'PATCH', path: '/api/user/profile', body: JSON.stringify({ bio: `Waits for ${rewardId}.` }) },
  ])
  return writes.flatMap(write => [...READS.map((path): RequestTemplate => ({ method: 'GET', path })), write])
}

/** Measures the maximum throughput. */
async function saturate({ options, generator, cores }: Bench, origin: string, plan: Plan, share: number) {
  let [sent, failed] = [0, 0]
  async function load(seconds: number) {
    const { connections } = options
    const job = { seconds, connections, first: sent, core: cores.generator }
    const measured = await generator.measure(origin, plan, job)
    sent += measured.sent
    failed += measured.failed
    return measured
  }
  const paced = pacedSeconds(options)
  // Requests for another second, this measurement and the latencies, with a margin for rising throughput.
  const neededSeconds = (1 + options.seconds + (paced.leadSeconds + paced.seconds) * share) * 1.3
  const warm = await warmUp(
    load,
    options,
    perSecond => sent + perSecond * neededSeconds <= distinctRequests(plan),
  )
  const { perSecond } = await load(options.seconds)
  return { perSecond, sent, failed, warm }
}

/** @param share the rate as a fraction of the maximum throughput */
async function latenciesAt(bench: Bench, engine: Engine, share: number): Promise<Outcome> {
  const { options, subjects, folder, cores } = bench
  // One caller fewer than fans, so that all pairs occur: see `Plan`.
  const plan: Plan = { tokens: bench.tokensOf(options.fans).slice(1), requests: requests(), once: true }
  const rounds: (PacedMeasurement & { max: number; warm: WarmUp })[] = []
  let failed = 0
  for (let round = 0; round < options.rounds; round++) {
    const running = await subjects.on(engine).matchday.start(options.fans)
    try {
      await primeTokens(running.origin, plan.tokens, '/api/rewards', { workers: 1 })
      const full = await saturate(bench, running.origin, plan, share)
      const job = {
        origin: running.origin,
        plan,
        connections: options.connections,
        ...pacedSeconds(options),
      }
      const rate = full.perSecond * share
      const paced = await runPaced({ ...job, first: full.sent, rate }, folder, cores.generator)
      failed += full.failed + paced.failed
      rounds.push({ ...paced, max: full.perSecond, warm: full.warm })
    } finally {
      await running.stop()
    }
  }
  const latency = (name: keyof Latency) =>
    row(
      `${engine}, ${name}`,
      'ms',
      rounds.map(round => round.latency[name]),
    )
  const max = row(
    `${engine}, maximum`,
    'requests/s',
    rounds.map(round => round.max),
    { failed, warmUpSeconds: Math.max(...rounds.map(({ warm }) => warm.seconds)) },
  )
  const unsteady = options.quick ? 0 : rounds.filter(({ warm }) => !warm.steady).length
  const late = median(rounds.map(({ lateness }) => lateness.p99))
  const at = `at ${Math.round(max.median * share)}/s`
  return {
    rows: [max, latency('p50'), latency('p90'), latency('p99'), latency('max')],
    notes: [
      `${engine}: latencies ${at}, from the scheduled time of each request, at a fixed rate`,
      `${engine}: the generator itself was late by ${late.toFixed(2)} ms at its 99th percentile`,
      ...(unsteady > 0
        ? [`${engine}: in ${unsteady} rounds the throughput was not steady after the warm-up`]
        : []),
    ],
    ...(failed > 0 ? { invalid: `${failed} responses were not 2xx` } : {}),
  }
}

export const mixed: Scenario = {
  name: 'mixed',
  summary: '90 % reads and 10 % durable writes: the maximum, and latencies at half of it',
  run: bench => latenciesAt(bench, bench.options.engine, 0.5),
}

export const crowdMixed: Scenario = {
  name: 'crowd-mixed',
  summary: 'The same on both engines: the maximum, and latencies at 0.7 of it',
  async run(bench) {
    const outcomes: Outcome[] = []
    for (const engine of enginesOf()) outcomes.push(await latenciesAt(bench, engine, 0.7))
    return { ...mergeOutcomes(outcomes), separateRows: true }
  },
}
