/** Measures servers in alternation, so that what disturbs the machine disturbs them all. */
import { introduce } from './introduce.ts'
import { distinctRequests, type Latency, type Measurement, type Plan } from './plan.ts'
import { coreCount, cpuSecondsOf, machineCpuSeconds, type Running } from './process.ts'
import { type Bench, median, type Outcome, type Row, row } from './scenario.ts'
import { PeerMissing, type Subject } from './subjects.ts'
import { type WarmUp, warmUp } from './warm-up.ts'

/** Others may use this share of the machine before the report says so. */
const DISTURBED = 0.1
/** A generator that used more of its core than this may have been what was measured. */
const SATURATED = 0.95
/** By how much the next seconds may bring more than any before. */
const MARGIN = 1.3

/** What of a bench is needed here. */
type Measuring = Pick<Bench, 'options' | 'generator' | 'cores'>

export interface Contender {
  subject: Subject
  plan: Plan
  /** In its database; by default as the options say. */
  fans?: number
  /** Tells two contenders of one subject apart. */
  label?: string
}

interface Lane {
  label: string
  contender: Contender
  fans: number
  running: Running
  /** Number of the next request of its plan. */
  next: number
  /** Requests a second of its best load, warm-ups included. */
  fastest: number
  /** Nothing has been measured since it was started. */
  fresh: boolean
  /** A pair was sent again that may be sent once only. */
  ranOut: boolean
  warmUps: WarmUp[]
  measured: (Measurement & { serverCpu: number | null; othersCpu: number | null })[]
}

export async function compare(bench: Measuring, contenders: Contender[]): Promise<Outcome> {
  const { options } = bench
  const lanes: Lane[] = []
  const notes: string[] = []
  try {
    for (const contender of contenders) {
      const { subject, label = subject.name, fans = options.fans } = contender
      try {
        const running = await subject.start(fans)
        lanes.push({
          label,
          contender,
          fans,
          running,
          next: 0,
          fastest: 0,
          fresh: true,
          ranOut: false,
          warmUps: [],
          measured: [],
        })
      } catch (error) {
        if (!(error instanceof PeerMissing)) throw error
        notes.push(`${label} is left out: ${error.message}`)
      }
    }
    for (const lane of lanes) await prepare(bench, lane)
    for (let round = 0; round < options.rounds; round++) {
      // Another one is first in each round.
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
    ...(failed.length > 0 ? [`${failed.join(', ')}: not every answer was 2xx`] : []),
    ...(ranOut.length > 0
      ? [`${ranOut.join(', ')}: used up what can be sent once; give it more --fans`]
      : []),
  ]
  for (const { subject, detail } of rows) {
    if ((detail?.generatorCpu ?? 0) > SATURATED)
      notes.push(`${subject}: the load generator used its whole core; the server may be faster than this`)
  }
  for (const { label, warmUps } of options.quick ? [] : lanes) {
    const restless = warmUps.find(({ steady }) => !steady)
    if (restless)
      notes.push(
        `${label}: measured while its throughput still changed, after a warm-up of ${restless.seconds} s`,
      )
  }
  const disturbance = Math.max(0, ...rows.map(({ detail }) => detail?.othersCpu ?? 0))
  // A database server is among the others, and does what was asked of it.
  if (disturbance > DISTURBED && options.engine === 'sqlite')
    notes.push(`others used up to ${Math.round(disturbance * 100)} % of this machine meanwhile`)
  return {
    rows,
    notes,
    ...(wrong.length > 0 ? { invalid: wrong.join('; ') } : {}),
  }
}

/** Whether its plan has pairs for so many seconds more that were not sent yet. */
function hasPairsFor({ options }: Measuring, { contender, next }: Lane, seconds: number, perSecond: number) {
  const { plan } = contender
  const needed = perSecond * seconds * MARGIN + options.connections
  return !plan.once || next + needed <= distinctRequests(plan)
}

/** On fresh data: its callers known, its code compiled, and pairs left for a round. */
async function prepare(bench: Measuring, lane: Lane): Promise<void> {
  const { plan, subject } = lane.contender
  if (plan.introduction)
    await introduce(lane.running.origin, plan.tokens, plan.introduction, { workers: subject.workers ?? 1 })
  const { seconds } = bench.options
  const warm = await warmUp(
    second => load(bench, lane, second),
    bench.options,
    perSecond => hasPairsFor(bench, lane, 1 + seconds, perSecond),
  )
  lane.warmUps.push(warm)
}

async function measureRound(bench: Measuring, lane: Lane): Promise<void> {
  const { seconds } = bench.options
  // On data that is fresh already there would be no more of them.
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
  })
  const [before, measurement, after] = [read(), await load(bench, lane, seconds), read()]
  const used = (name: 'server' | 'machine') => {
    const [from, to] = [before[name], after[name]]
    return from === null || to === null ? null : to - from
  }
  const [server, all] = [used('server'), used('machine')]
  const serverCpu = server === null ? null : server / seconds
  const own = (server ?? 0) + measurement.generatorCpu * seconds
  const othersCpu = all === null ? null : Math.max(0, all - own) / (after.at - before.at) / coreCount()
  lane.measured.push({ ...measurement, serverCpu, othersCpu })
}

async function load(
  { generator, options, cores }: Measuring,
  lane: Lane,
  seconds: number,
): Promise<Measurement> {
  const { connections } = options
  const measured = await generator.measure(lane.running.origin, lane.contender.plan, {
    seconds,
    connections,
    first: lane.next,
    core: cores.generator,
  })
  lane.next += measured.made
  lane.ranOut ||= lane.contender.plan.once === true && lane.next > distinctRequests(lane.contender.plan)
  lane.fastest = Math.max(lane.fastest, measured.perSecond)
  return measured
}

function summarize({ label, measured, warmUps }: Lane): Row {
  const of = (read: (measurement: (typeof measured)[number]) => number) => median(measured.map(read))
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
      // Of the server's own CPU time: steadier than the clock where others are at work, or the load is the limit.
      perCpuSecond: measured.some(({ serverCpu }) => !serverCpu)
        ? null
        : of(({ perSecond, serverCpu }) => perSecond / (serverCpu ?? Number.NaN)),
      othersCpu: measured.some(({ othersCpu }) => othersCpu === null)
        ? null
        : of(({ othersCpu }) => othersCpu ?? 0),
      serverCpu: measured.some(({ serverCpu }) => serverCpu === null)
        ? null
        : of(({ serverCpu }) => serverCpu ?? 0),
    },
  )
}
