/** Runs the load generators written for the bench, each in a separate process: wrk lacks these load patterns. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Latency, type Measurement, type Plan, secondsOf } from '../plan.ts'
import { outputOf, startLines } from '../process.ts'

export interface PacedJob {
  origin: string
  plan: Plan
  connections: number
  seconds: number
  /** Number of the plan's first request. */
  first: number
  /** Requests per second, even if the server does not keep up. */
  rate: number
  /** Seconds at this rate before the measurement: the JIT compiler optimizes for the new load. */
  leadSeconds: number
}

export interface PacedMeasurement {
  requests: number
  perSecond: number
  failed: number
  sent: number
  /** Milliseconds since the scheduled time of each request. */
  latency: Latency
  /** Milliseconds by which requests were sent late although a connection was free: the error of the generator. */
  lateness: { p99: number; max: number }
}

export interface ChainJob {
  origin: string
  tokens: string[]
  connections: number
  seconds: number
  /** Number of the first chain: fans buy in turn, so that their points last. */
  first: number
  packId: string
}

export interface ChainMeasurement {
  chains: number
  perSecond: number
  failed: number
  latency: Latency
}

export interface EventJob {
  origin: string
  /** The server key and the path. */
  plan: Plan
  /** Types of events, in turn. */
  types: number
  /** Events of a request. */
  batch: number
  /** Fans of the database. */
  fans: number
  connections: number
  seconds: number
  /** Number of the first batch. */
  first: number
}

export interface HerdJob {
  origin: string
  plan: Plan
  /** Clients that arrive within the first second. */
  fans: number
  connections: number
  /** After this time, unserved clients count as failed. */
  timeoutSeconds: number
}

export interface HerdMeasurement {
  served: number
  rejected: number
  failed: number
  /** Until 95 % of the clients were served. */
  seconds: number
}

export interface StreamJob {
  origin: string
  /** A stream for each. */
  tokens: string[]
  /** `me`, or a public topic. */
  topic: string
}

export interface StreamsOpen {
  opened: number
  failed: number
}

/** When a change arrived at the streams, in milliseconds since the epoch. */
export interface StreamChange {
  p50: number
  p99: number
  max: number
}

async function runGenerator<T>(script: string, job: object, folder: string, core: number | null): Promise<T> {
  return (await runMeasured<T>(script, job, folder, core)).measured
}

async function runMeasured<T>(script: string, job: object, folder: string, core: number | null) {
  const file = join(folder, `${script}-${crypto.randomUUID()}.json`)
  await writeFile(file, JSON.stringify(job))
  const { output, cpuSeconds } = await outputOf([process.execPath, join(import.meta.dir, script), file], {
    core,
  })
  return { measured: JSON.parse(output) as T, cpuSeconds }
}

export const runPaced = (job: PacedJob, folder: string, core: number | null) =>
  runGenerator<PacedMeasurement>('paced-process.ts', job, folder, core)

export async function runChains(job: ChainJob, folder: string, core: number | null) {
  const { measured, cpuSeconds } = await runMeasured<ChainMeasurement>('chain-process.ts', job, folder, core)
  return {
    ...measured,
    generatorCpu: cpuSeconds / secondsOf(measured.chains, measured.perSecond, job.seconds),
  }
}

export const runHerd = (job: HerdJob, folder: string, core: number | null) =>
  runGenerator<HerdMeasurement>('herd-process.ts', job, folder, core)

export interface OpenStreams {
  /** Waits until the next change has arrived at all streams. */
  change(): Promise<StreamChange>
  close(): Promise<void>
}

/** Opens streams in a process of their own. @throws Error if one is refused */
export async function openStreams(job: StreamJob, folder: string, core: number | null): Promise<OpenStreams> {
  const file = join(folder, `streams-${crypto.randomUUID()}.json`)
  await writeFile(file, JSON.stringify(job))
  const script = [process.execPath, join(import.meta.dir, 'stream-process.ts'), file]
  const { next, stop } = startLines(script, core)
  const { opened, failed } = (await next()) as StreamsOpen
  if (failed > 0) {
    await stop()
    throw new Error(`${failed} of ${opened + failed} streams were refused`)
  }
  // Guarantee of the cast: after the first line, the script writes one for each change.
  return { change: async () => (await next()) as StreamChange, close: stop }
}

/** A request is a batch. */
export async function runEvents(job: EventJob, folder: string, core: number | null): Promise<Measurement> {
  const { measured, cpuSeconds } = await runMeasured<Measurement>('event-process.ts', job, folder, core)
  return {
    ...measured,
    generatorCpu: cpuSeconds / secondsOf(measured.requests, measured.perSecond, job.seconds),
  }
}

/** @param times in milliseconds */
export function percentiles(times: Float64Array): Latency {
  const sorted = times.toSorted()
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) }
}
