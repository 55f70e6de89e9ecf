import { claimable } from '../catalogue.ts'
import type { Engine } from '../databases.ts'
import { introduce } from '../introduce.ts'
import { type PacedMeasurement, runPaced } from '../load/own.ts'
import type { BenchOptions } from '../options.ts'
import { distinctRequests, type Latency, type Plan, type RequestTemplate } from '../plan.ts'
import { type Bench, enginesOf, median, type Outcome, row, type Scenario } from '../scenario.ts'
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

/** Before latencies are measured, at their rate. */
const LEAD_SECONDS = 10
/** A full collection of garbage comes each ten seconds or so: a tail of four seconds shows one, or none. */
const LATENCY_MEASUREMENTS = 5

/** How long latencies are measured, and what comes before. */
const pacedSeconds = ({ quick, seconds }: BenchOptions) =>
  quick ? { leadSeconds: 0, seconds } : { leadSeconds: LEAD_SECONDS, seconds: seconds * LATENCY_MEASUREMENTS }

/** Nine reads and a write, again and again; the writes are claims and changes of the profile in turn. */
function requests(): RequestTemplate[] {
  const writes = claimable.flatMap((rewardId): RequestTemplate[] => [
    { method: 'POST', path: '/api/rewards/claim', body: JSON.stringify({ rewardId }) },
    { method: 'PATCH', path: '/api/user/profile', body: JSON.stringify({ bio: `Waits for ${rewardId}.` }) },
  ])
  return writes.flatMap(write => [...READS.map((path): RequestTemplate => ({ method: 'GET', path })), write])
}

/** What it takes when it is asked for all it can. */
async function saturate({ options, generator, cores }: Bench, origin: string, plan: Plan, share: number) {
  let [made, failed] = [0, 0]
  async function load(seconds: number) {
    const { connections } = options
    const order = { seconds, connections, first: made, core: cores.generator }
    const measured = await generator.measure(origin, plan, order)
    made += measured.made
    failed += measured.failed
    return measured
  }
  const paced = pacedSeconds(options)
  // Another second, this measurement, and the latencies at a share of it, with a margin for what grows faster meanwhile.
  const ahead = (1 + options.seconds + (paced.leadSeconds + paced.seconds) * share) * 1.3
  const warm = await warmUp(load, options, perSecond => made + perSecond * ahead <= distinctRequests(plan))
  const { perSecond } = await load(options.seconds)
  return { perSecond, made, failed, warm }
}

/** @param share of what the server takes at most */
async function latenciesAt(bench: Bench, engine: Engine, share: number): Promise<Outcome> {
  const { options, subjects, folder, cores } = bench
  // One caller fewer than fans, so that all of them make all requests: see `Plan`.
  const plan: Plan = { tokens: bench.tokensOf(options.fans).slice(1), requests: requests(), once: true }
  const rounds: (PacedMeasurement & { most: number; warm: WarmUp })[] = []
  let failed = 0
  for (let round = 0; round < options.rounds; round++) {
    const running = await subjects.on(engine).matchday.start(options.fans)
    try {
      await introduce(running.origin, plan.tokens, '/api/rewards', { workers: 1 })
      const full = await saturate(bench, running.origin, plan, share)
      const order = {
        origin: running.origin,
        plan,
        connections: options.connections,
        ...pacedSeconds(options),
      }
      const rate = full.perSecond * share
      const paced = await runPaced({ ...order, first: full.made, rate }, folder, cores.generator)
      failed += full.failed + paced.failed
      rounds.push({ ...paced, most: full.perSecond, warm: full.warm })
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
  const most = row(
    `${engine}, at most`,
    'requests/s',
    rounds.map(round => round.most),
    { failed, warmUpSeconds: Math.max(...rounds.map(({ warm }) => warm.seconds)) },
  )
  const restless = options.quick ? 0 : rounds.filter(({ warm }) => !warm.steady).length
  const late = median(rounds.map(({ lateness }) => lateness.p99))
  const at = `at ${Math.round(most.median * share)}/s`
  return {
    rows: [most, latency('p50'), latency('p90'), latency('p99'), latency('max')],
    notes: [
      `${engine}: latencies ${at}, from when each request was due, sent whether or not the server keeps up`,
      `${engine}: the generator itself was late by ${late.toFixed(2)} ms at its 99th percentile`,
      ...(restless > 0
        ? [`${engine}: in ${restless} of the rounds it was measured while its throughput still changed`]
        : []),
    ],
    ...(failed > 0 ? { invalid: `${failed} answers were not 2xx` } : {}),
  }
}

export const mixed: Scenario = {
  name: 'mixed',
  about: '90 reads to 10 durable writes of known callers: the maximum, and latencies at half of it',
  run: bench => latenciesAt(bench, bench.options.engine, 0.5),
}

export const crowdMixed: Scenario = {
  name: 'crowd-mixed',
  about: 'The same on both engines: the maximum, and latencies at 0.7 of it',
  async run(bench) {
    const outcomes: Outcome[] = []
    for (const engine of enginesOf()) outcomes.push(await latenciesAt(bench, engine, 0.7))
    const invalid = outcomes.flatMap(outcome => outcome.invalid ?? []).join('; ')
    return {
      rows: outcomes.flatMap(({ rows }) => rows),
      notes: outcomes.flatMap(({ notes }) => notes),
      unlike: true,
      ...(invalid ? { invalid } : {}),
    }
  },
}
