/** Runs the load generators written for the bench, each in a separate process: wrk lacks these load patterns. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Latency, Plan } from '../plan.ts'
import { outputOf } from '../process.ts'

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

async function runGenerator<T>(script: string, job: object, folder: string, core: number | null): Promise<T> {
  const file = join(folder, `${script}-${crypto.randomUUID()}.json`)
  await writeFile(file, JSON.stringify(job))
  const { output } = await outputOf([process.execPath, join(import.meta.dir, script), file], { core })
  return JSON.parse(output) as T
}

export const runPaced = (job: PacedJob, folder: string, core: number | null) =>
  runGenerator<PacedMeasurement>('paced-process.ts', job, folder, core)

export const runChains = (job: ChainJob, folder: string, core: number | null) =>
  runGenerator<ChainMeasurement>('chain-process.ts', job, folder, core)

export const runHerd = (job: HerdJob, folder: string, core: number | null) =>
  runGenerator<HerdMeasurement>('herd-process.ts', job, folder, core)

/** @param times in milliseconds */
export function percentiles(times: Float64Array): Latency {
  const sorted = times.toSorted()
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) }
}
