/** Runs our own generators, for what wrk cannot do, each in a process of its own. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Latency, Plan } from '../plan.ts'
import { outputOf } from '../process.ts'

export interface PacedOrder {
  origin: string
  plan: Plan
  connections: number
  seconds: number
  /** Number of the plan's first request. */
  first: number
  /** Requests a second, whether or not the server keeps up. */
  rate: number
  /** So long it sends at this rate before it measures: what a server has compiled for another load it compiles anew. */
  leadSeconds: number
}

export interface PacedMeasurement {
  requests: number
  perSecond: number
  failed: number
  made: number
  /** Milliseconds from when each request was due. */
  latency: Latency
  /** Milliseconds by which requests were sent late with a connection free: the generator's own fault. */
  lateness: { p99: number; max: number }
}

export interface ChainOrder {
  origin: string
  tokens: string[]
  connections: number
  seconds: number
  /** Number of the first chain: fans buy in turn, and none until they are poor. */
  first: number
  packId: string
}

export interface ChainMeasurement {
  chains: number
  perSecond: number
  failed: number
  latency: Latency
}

export interface HerdOrder {
  origin: string
  plan: Plan
  /** Clients that come within the first second. */
  fans: number
  connections: number
  /** After which what is not served counts as failed. */
  patienceSeconds: number
}

export interface HerdMeasurement {
  served: number
  refused: number
  failed: number
  /** Until 95 of 100 clients were served. */
  seconds: number
}

async function runOwn<T>(script: string, order: object, folder: string, core: number | null): Promise<T> {
  const file = join(folder, `${script}-${crypto.randomUUID()}.json`)
  await writeFile(file, JSON.stringify(order))
  const { output } = await outputOf([process.execPath, join(import.meta.dir, script), file], { core })
  return JSON.parse(output) as T
}

export const runPaced = (order: PacedOrder, folder: string, core: number | null) =>
  runOwn<PacedMeasurement>('paced-process.ts', order, folder, core)

export const runChains = (order: ChainOrder, folder: string, core: number | null) =>
  runOwn<ChainMeasurement>('chain-process.ts', order, folder, core)

export const runHerd = (order: HerdOrder, folder: string, core: number | null) =>
  runOwn<HerdMeasurement>('herd-process.ts', order, folder, core)

/** @param times milliseconds */
export function percentiles(times: Float64Array): Latency {
  const sorted = times.toSorted()
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) }
}
