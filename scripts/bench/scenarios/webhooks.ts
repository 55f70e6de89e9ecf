/**
 * Measures the cost of webhooks for requests that record events, the deliveries per second, and the age of events at the
 * receiver, a separate process. The age starts with the unit of work of the event, so it includes the commit. Deliveries are
 * counted from many batches of events, since claims alone record fewer events than can be delivered.
 */
import { claimPlan } from '../catalogue.ts'
import type { Engine } from '../databases.ts'
import { SERVER_KEY } from '../event-rules.ts'
import { claimsOf, startPaced } from '../load/paced.ts'
import type { Plan } from '../plan.ts'
import { type Running, root, startServer } from '../process.ts'
import { compare } from '../rounds.ts'
import { type Bench, mergeResults, type Row, row, type Scenario, type ScenarioResult } from '../scenario.ts'

/**
 * Claims at 200 a second. The same number is sent before the measurement, since the first seconds of a process are slower.
 */
const PACED = 1_000
const PACE_MS = 5
const BATCH = 100
/** Clients that report events, one batch at a time each. */
const SOURCES = 4

interface Received {
  received: number
  p50: number | null
  p95: number | null
  p99: number | null
}

export const webhooks: Scenario = {
  name: 'webhooks',
  summary:
    'POST /api/rewards/claim and /api/events, whose events are sent to endpoints; deliveries and their age',
  async run(bench) {
    const receiver = await startServer([process.execPath, `${root}/scripts/bench/servers/receiver.ts`], {
      core: bench.cores.generator,
      path: '/',
    })
    try {
      const outcomes: ScenarioResult[] = []
      for (const engine of bench.options.engines) outcomes.push(await onEngine(bench, engine, receiver))
      return mergeResults(outcomes)
    } finally {
      await receiver.stop()
    }
  },
}

async function onEngine(bench: Bench, engine: Engine, receiver: Running): Promise<ScenarioResult> {
  const { subjects, options } = bench
  const to = (count: number) =>
    subjects
      .on(engine)
      .withEndpoints(Array.from({ length: count }, (_, index) => `${receiver.origin}/${index}`))
  const plan = claimPlan(bench.tokensOf(options.fans))
  const label = (count: string) => `${engine}, ${count}`
  const outcome = await compare({ ...bench, options: { ...options, engine } }, [
    { subject: to(0), label: label('no endpoint'), plan },
    { subject: to(2), label: label('two endpoints'), plan },
  ])
  const rounds: Awaited<ReturnType<typeof deliver>>[] = []
  for (let round = 0; round < options.rounds; round++) rounds.push(await deliver(bench, engine, receiver))
  const of = (read: (round: (typeof rounds)[number]) => number) => rounds.map(read)
  const rows: Row[] = [
    row(
      label('one endpoint'),
      'deliveries/s',
      of(({ perSecond }) => perSecond),
    ),
    row(
      label('age p50'),
      'ms',
      of(({ p50 }) => p50),
    ),
    row(
      label('age p95'),
      'ms',
      of(({ p95 }) => p95),
    ),
    row(
      label('age p99'),
      'ms',
      of(({ p99 }) => p99),
    ),
  ]
  return { ...outcome, rows: [...outcome.rows, ...rows] }
}

async function deliver(
  { subjects, options, cores, generator, tokensOf }: Bench,
  engine: Engine,
  receiver: Running,
) {
  const running = await subjects
    .on(engine)
    .withEndpoints([`${receiver.origin}/`])
    .start(options.fans)
  try {
    const plan = claimPlan(tokensOf(options.fans, options.fans))
    const read = async () => (await (await fetch(`${receiver.origin}/`)).json()) as Received
    const paced = Math.min(PACED, options.fans / 2)
    const claimAtPace = async (first: number) => {
      const claims = claimsOf(plan.tokens.slice(first, first + paced), plan.requests)
      const pacing = startPaced(running.origin, claims, { everyMs: PACE_MS, max: paced })
      await pacing.sent
      const { failed } = await pacing.stop()
      return waitFor(read, paced - failed)
    }
    // Discards deliveries of a server that was measured before.
    await read()
    await claimAtPace(0)
    const { p50, p95, p99 } = await claimAtPace(paced)

    const batches: Plan = {
      tokens: [SERVER_KEY],
      requests: [{ method: 'POST', path: '/api/events' }],
      events: { batch: BATCH, types: 1, fans: options.fans },
    }
    const started = performance.now()
    const load = { seconds: options.seconds, connections: SOURCES, core: cores.generator }
    const { requests } = await generator.measure(running.origin, batches, load)
    const expected = BATCH * requests
    await waitFor(read, expected)
    const took = (performance.now() - started) / 1000
    const ages = { p50: p50 ?? Number.NaN, p95: p95 ?? Number.NaN, p99: p99 ?? Number.NaN }
    return { perSecond: expected / took, ...ages }
  } finally {
    await running.stop()
  }
}

/** The ages of the last read that received anything. @throws Error when no delivery arrives */
async function waitFor(read: () => Promise<Received>, count: number): Promise<Received> {
  let last: Received = { received: 0, p50: null, p95: null, p99: null }
  const deadline = performance.now() + 60_000
  for (let received = 0; received < count; ) {
    if (performance.now() > deadline) throw new Error(`only ${received} of ${count} events were delivered`)
    await Bun.sleep(20)
    const found = await read()
    received += found.received
    if (found.received > last.received) last = found
  }
  return last
}
