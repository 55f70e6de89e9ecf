/** The load generators: wrk if it is installed, and generators for the bench, each in a separate process. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Generator, type Latency, type Measurement, type Plan, secondsOf } from '../plan.ts'
import { outputOf, startLines } from '../process.ts'
import { createWrk } from './wrk.ts'

export interface LoadJob {
  origin: string
  plan: Plan
  connections: number
  seconds: number
  /** Number of the first request. */
  first: number
}

const createBunGenerator = (folder: string): Generator => ({
  name: `Bun ${Bun.version}`,
  async measure(origin, plan, { core, first = 0, seconds, connections }) {
    const file = join(folder, `load-${crypto.randomUUID()}.json`)
    const job: LoadJob = { origin, plan, connections, seconds, first }
    await writeFile(file, JSON.stringify(job))
    const script = [process.execPath, join(import.meta.dir, 'load-process.ts'), file]
    const { output, cpuSeconds } = await outputOf(script, { core })
    const measured = JSON.parse(output) as Omit<Measurement, 'generatorCpu'>
    const lasted = secondsOf(measured.requests, measured.perSecond, seconds)
    return { ...measured, generatorCpu: cpuSeconds / lasted }
  },
})

/** wrk needs less of its core, but cannot send batches of events, which need different ids each, nor one request after the other. */
export function chooseGenerator(folder: string): Generator {
  const own = createBunGenerator(folder)
  if (Bun.which('wrk') === null) return own
  const version = Bun.spawnSync(['wrk', '-v']).stdout.toString()
  const wrk = createWrk(folder, /^wrk \S+/.exec(version)?.[0] ?? 'wrk')
  return {
    name: wrk.name,
    measure: (...load) => (load[1].events || load[1].inTurn ? own : wrk).measure(...load),
  }
}

export interface StreamJob {
  origin: string
  /** One stream is opened for each. */
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

export interface OpenStreams {
  /** Waits until the next change has arrived at all streams. */
  change(): Promise<StreamChange>
  close(): Promise<void>
}

/** Opens streams in a separate process. @throws Error if one is refused */
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

/** @param times in milliseconds */
export function percentiles(times: Float64Array): Latency {
  const sorted = times.toSorted()
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: quantile(1) }
}
