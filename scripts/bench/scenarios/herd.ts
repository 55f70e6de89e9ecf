/** More writes than the database can handle: throughput, and the latency of reads and probes at the same time. */
import type { Engine } from '../databases.ts'
import { percentiles, runHerd } from '../load/bun-generators.ts'
import type { Plan } from '../plan.ts'
import { primeTokens } from '../prime-tokens.ts'
import type { Running } from '../process.ts'
import { type Bench, enginesOf, type Outcome, type Row, row, type Scenario } from '../scenario.ts'
import { warmUp } from '../warm-up.ts'

/** Clients of a herd, as multiples of the server's capacity per second. */
const HERD_SIZES = [2, 5, 10]
const MAX_CONNECTIONS = 16_000
const READS_EVERY_MS = 20
/** Enough samples that the 99th percentile is not the maximum. */
const PROBES_EVERY_MS = 20
/** The median of them is reported: on a shared virtual machine a single p99 varies by half. */
const ROUNDS = 3

/** Requests a URL at a fixed interval until the returned function is called, which resolves to the latencies in ms. */
function startProbing(url: string, token: string, everyMs: number) {
  let stopped = false
  const times: number[] = []
  let failed = 0
  async function run() {
    while (!stopped) {
      const startedAt = performance.now()
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
      await response.arrayBuffer()
      times.push(performance.now() - startedAt)
      if (!response.ok) failed++
      await Bun.sleep(everyMs)
    }
  }
  const running = run()
  return async () => {
    stopped = true
    await running
    return { p99: percentiles(Float64Array.from(times)).p99, failed }
  }
}

async function measureHerds(bench: Bench, engine: Engine, workers: number, running: Running): Promise<Row[]> {
  const { options, folder, cores, generator } = bench
  const core = workers === 1 ? cores.generator : null
  const [reader = '', ...tokens] = bench.tokensOf(options.fans)
  const requests = Array.from({ length: 7 }, (_, n) => ({
    method: 'PATCH' as const,
    path: '/api/user/profile',
    body: JSON.stringify({ bio: `Change ${n}.` }),
  }))
  const plan: Plan = { tokens, requests }
  await primeTokens(running.origin, tokens, '/api/user/onboarding', { workers })
  const { origin } = running
  const load = (seconds: number) =>
    generator.measure(origin, plan, { seconds, connections: 64, first: 0, core })
  await warmUp(load, options, () => true)
  const capacity = (await load(options.seconds)).perSecond
  const label = `${engine}, ${workers} ${workers === 1 ? 'worker' : 'workers'}`
  // Measured again after each herd: the capacity varies from minute to minute.
  const capacities = [capacity]
  function createHerd(times: number) {
    const fans = Math.round(capacity * times)
    const connections = Math.min(fans, options.quick ? 500 : MAX_CONNECTIONS)
    const job = { origin, plan, fans, connections, timeoutSeconds: 20 + times * 4 }
    return { fans, herd: () => runHerd(job, folder, core) }
  }
  async function measureHerd(times: number) {
    const { fans, herd: run } = createHerd(times)
    const reads = startProbing(`${origin}/api/rewards`, reader, READS_EVERY_MS)
    const probes = startProbing(`${origin}/readyz`, reader, PROBES_EVERY_MS)
    const herd = await run()
    const [read, probe] = [await reads(), await probes()]
    capacities.push((await load(options.seconds)).perSecond)
    return {
      perSecond: Math.min(herd.served, fans * 0.95) / herd.seconds,
      rejected: herd.rejected,
      failed: herd.failed + fans - herd.served - herd.failed + read.failed + probe.failed,
      read: read.p99,
      probe: probe.p99,
    }
  }
  // The first herd makes the server allocate memory for thousands of connections.
  await createHerd(1).herd()
  const herds = new Map(HERD_SIZES.map(times => [times, [] as Awaited<ReturnType<typeof measureHerd>>[]]))
  for (let round = 0; round < (options.quick ? 1 : ROUNDS); round++) {
    for (const [times, rounds] of herds) rounds.push(await measureHerd(times))
  }
  const rows = [...herds].flatMap(([times, rounds]) => {
    const total = (of: 'rejected' | 'failed') => rounds.reduce((sum, round) => sum + round[of], 0)
    const name = `${label}, ${times} × capacity`
    return [
      row(
        name,
        'requests/s',
        rounds.map(({ perSecond }) => perSecond),
        { rejected: total('rejected'), failed: total('failed') },
      ),
      row(
        `${name}, reads, p99`,
        'ms',
        rounds.map(({ read }) => read),
      ),
      row(
        `${name}, readyz, p99`,
        'ms',
        rounds.map(({ probe }) => probe),
      ),
    ]
  })
  return [row(`${label}, capacity`, 'requests/s', capacities), ...rows]
}

export const herd: Scenario = {
  name: 'herd',
  summary:
    'PATCH by 2, 5 and 10 times the capacity per second: clients arrive within one second and obey Retry-After',
  async run(bench) {
    const { fans } = bench.options
    const rows: Row[] = []
    for (const engine of enginesOf()) {
      for (const workers of [1, 2]) {
        const { subjects } = bench
        const subject =
          workers === 1 ? subjects.on(engine).matchday : subjects.matchdayInWorkers(engine, workers)
        const running = await subject.start(fans)
        try {
          rows.push(...(await measureHerds(bench, engine, workers, running)))
        } finally {
          await running.stop()
        }
      }
    }
    const failed = rows.reduce((sum, { detail }) => sum + (detail?.failed ?? 0), 0)
    const rejected = rows.flatMap(({ subject, detail }) =>
      detail?.rejected === undefined ? [] : [`${subject}: ${detail.rejected} rejections`],
    )
    const outcome: Outcome = { rows, notes: rejected, separateRows: true }
    return failed > 0 ? { ...outcome, invalid: `${failed} requests failed` } : outcome
  },
}
