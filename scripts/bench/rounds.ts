/** Measures servers in alternation, so that other load on the machine affects all of them. */

import { distinctRequests, type Latency, type Measurement, type Plan, secondsOf } from './plan.ts'
import { primeTokens } from './prime-tokens.ts'
import { coreCount, cpuSecondsOf, machineCpuSeconds, postgresCpuSeconds, type Running } from './process.ts'
import { type Bench, median, type Row, row, type ScenarioResult } from './scenario.ts'
import type { Subject } from './subjects.ts'
import { type WarmUp, warmUp } from './warm-up.ts'

/** The report has a note when other processes use more than this share of the machine. */
const DISTURBED = 0.1
/** Above this share of its core the load generator may be the limit. */
const SATURATED = 0.95
/** Allowance for a rise in throughput when planning the remaining requests. */
const MARGIN = 1.3

/** The part of a bench that measuring needs. */
interface MeasureContext extends Pick<Bench, 'options' | 'generator' | 'cores'> {
  /** Receives a line for each warm-up and each round. */
  progress?(line: string): void
}

export interface Contender {
  subject: Subject
  plan: Plan
  /** Fans in its database. Default: the option `--fans`. */
  fans?: number
  /** Distinguishes two contenders of one subject. */
  label?: string
  /** Default: the option `--connections`. */
  connections?: number
}

type Share = 'serverCpu' | 'databaseCpu' | 'othersCpu'

interface Lane {
  label: string
  contender: Contender
  fans: number
  running: Running
  /** Number of the next request of its plan. */
  next: number
  /** Highest throughput so far, warm-ups included, in requests per second. */
  fastest: number
  /** Not measured yet since its start. */
  fresh: boolean
  /** A request of a `once` plan was repeated. */
  ranOut: boolean
  warmUps: WarmUp[]
  measured: (Measurement & Record<Share, number | null>)[]
}

export async function compare(bench: MeasureContext, contenders: Contender[]): Promise<ScenarioResult> {
  const { options } = bench
  const lanes: Lane[] = []
  const notes: string[] = []
  try {
    for (const contender of contenders) {
      const { subject, label = subject.name, fans = options.fans } = contender
      const running = await subject.start(fans)
      const counts = { next: 0, fastest: 0, fresh: true, ranOut: false }
      lanes.push({ label, contender, fans, running, ...counts, warmUps: [], measured: [] })
    }
    for (const lane of lanes) await prepare(bench, lane)
    for (let round = 0; round < options.rounds; round++) {
      bench.progress?.(`round ${round + 1} of ${options.rounds}…`)
      // Each round starts with another server.
      for (let turn = 0; turn < lanes.length; turn++) {
        const lane = lanes[(round + turn) % lanes.length]
        if (lane) await measureRound(bench, lane)
      }
    }
  } finally {
    await Promise.all(lanes.map(({ running }) => running.stop()))
  }
  const rows = lanes.map(summarize)
  const failed = rows.filter(({ detail }) => (detail?.failed ?? 0) > 0).map(({ subject }) => subject)
  const ranOut = lanes.filter(lane => lane.ranOut).map(({ label }) => label)
  const wrong = [
    ...(failed.length > 0 ? [`${failed.join(', ')}: not every response was 2xx`] : []),
    ...(ranOut.length > 0 ? [`${ranOut.join(', ')}: ran out of unique requests; increase --fans`] : []),
  ]
  for (const { subject, detail } of rows) {
    if ((detail?.generatorCpu ?? 0) > SATURATED)
      notes.push(`${subject}: the load generator used its whole core; the server may be faster`)
  }
  for (const { label, warmUps } of options.quick ? [] : lanes) {
    const unsteady = warmUps.find(({ steady }) => !steady)
    if (unsteady)
      notes.push(`${label}: its throughput was not steady after a warm-up of ${unsteady.seconds} s`)
  }
  const disturbance = Math.max(0, ...rows.map(({ detail }) => detail?.othersCpu ?? 0))
  // With PostgreSQL the database server is among the other processes.
  if (disturbance > DISTURBED && options.engine === 'sqlite')
    notes.push(`other processes used up to ${Math.round(disturbance * 100)} % of the machine`)
  return {
    rows,
    notes,
    ...(wrong.length > 0 ? { invalid: wrong.join('; ') } : {}),
  }
}

/** Whether a `once` plan has enough unsent requests for `seconds` more at `perSecond`. */
function hasPairsFor(
  { options }: MeasureContext,
  { contender, next }: Lane,
  seconds: number,
  perSecond: number,
) {
  const { plan, connections = options.connections } = contender
  const needed = perSecond * seconds * MARGIN + connections
  return !plan.once || next + needed <= distinctRequests(plan)
}

/** Primes tokens and warms up, leaving enough unsent requests for a round. */
async function prepare(bench: MeasureContext, lane: Lane): Promise<void> {
  const { plan } = lane.contender
  bench.progress?.(`warming up ${lane.label}…`)
  if (plan.primePath) await primeTokens(lane.running.origin, plan.tokens, plan.primePath)
  const warm = await warmUp(
    seconds => load(bench, lane, seconds),
    bench.options,
    perSecond => hasPairsFor(bench, lane, 1 + bench.options.seconds, perSecond),
  )
  lane.warmUps.push(warm)
}

async function measureRound(bench: MeasureContext, lane: Lane): Promise<void> {
  const { seconds } = bench.options
  // A restart brings fresh data, and with it more requests to send.
  if (!lane.fresh && !hasPairsFor(bench, lane, seconds, lane.fastest)) {
    await lane.running.stop()
    Object.assign(lane, { running: await lane.contender.subject.start(lane.fans), next: 0, fresh: true })
    await prepare(bench, lane)
  }
  lane.fresh = false
  const read = () => ({
    at: performance.now() / 1000,
    server: cpuSecondsOf(lane.running.pid),
    machine: machineCpuSeconds(),
    database: bench.options.engine === 'postgres' ? postgresCpuSeconds() : null,
  })
  const [before, measurement, after] = [read(), await load(bench, lane, seconds), read()]
  const used = (name: 'server' | 'machine' | 'database') => {
    const [from, to] = [before[name], after[name]]
    return from === null || to === null ? null : to - from
  }
  const [server, all, database] = [used('server'), used('machine'), used('database')]
  const lasted = secondsOf(measurement.requests, measurement.perSecond, seconds)
  const serverCpu = server === null ? null : server / lasted
  const own = (server ?? 0) + measurement.generatorCpu * lasted
  const othersCpu = all === null ? null : Math.max(0, all - own) / (after.at - before.at) / coreCount()
  const databaseCpu = database === null ? null : database / lasted
  lane.measured.push({ ...measurement, serverCpu, databaseCpu, othersCpu })
}

/** The plan continues from one load to the next. */
async function load(
  { generator, options, cores }: MeasureContext,
  lane: Lane,
  seconds: number,
): Promise<Measurement> {
  const { plan, connections = options.connections } = lane.contender
  const job = { seconds, connections, first: lane.next, core: cores.generator }
  const measured = await generator.measure(lane.running.origin, plan, job)
  lane.next += measured.sent
  lane.ranOut ||= plan.once === true && lane.next > distinctRequests(plan)
  lane.fastest = Math.max(lane.fastest, measured.perSecond)
  return measured
}

function summarize({ label, measured, warmUps }: Lane): Row {
  const of = (read: (measurement: (typeof measured)[number]) => number) => median(measured.map(read))
  const share = (name: Share) =>
    measured.some(measurement => measurement[name] === null)
      ? null
      : of(measurement => measurement[name] ?? 0)
  const latency = (name: keyof Latency) => of(({ latency }) => latency[name])
  return row(
    label,
    'requests/s',
    measured.map(({ perSecond }) => perSecond),
    {
      failed: measured.reduce((sum, { failed }) => sum + failed, 0),
      p50: latency('p50'),
      p90: latency('p90'),
      p99: latency('p99'),
      max: latency('max'),
      warmUpSeconds: Math.max(...warmUps.map(({ seconds }) => seconds)),
      generatorCpu: of(({ generatorCpu }) => generatorCpu),
      // Per CPU second of the server: more stable than wall time on a busy machine or with the load as the limit.
      perCpuSecond: measured.some(({ serverCpu }) => !serverCpu)
        ? null
        : of(({ perSecond, serverCpu }) => perSecond / (serverCpu ?? Number.NaN)),
      serverCpu: share('serverCpu'),
      databaseCpu: share('databaseCpu'),
      othersCpu: share('othersCpu'),
    },
  )
}
