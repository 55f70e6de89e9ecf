/** Which load generator is used: wrk where it is installed, else autocannon, which comes with the repository. */
import type { Measurement, Plan } from '../plan.ts'
import { createAutocannon } from './autocannon.ts'
import { createWrk } from './wrk.ts'

export interface LoadOptions {
  seconds: number
  connections: number
  /** Number of the plan's first request. */
  first?: number
  /** Pinned to it; null: wherever the system puts it. */
  core: number | null
}

/** A closed loop: each connection sends its next request when it has the answer to the last. */
export interface Generator {
  /** With its version. */
  readonly name: string
  measure(origin: string, plan: Plan, options: LoadOptions): Promise<Measurement>
}

export function chooseGenerator(wanted: 'wrk' | 'autocannon' | undefined, folder: string): Generator {
  const installed = Bun.which('wrk') !== null
  if (wanted === 'wrk' && !installed) throw new Error('wrk is not installed.')
  if (wanted === 'autocannon' || !installed) return createAutocannon(folder)
  const said = Bun.spawnSync(['wrk', '-v']).stdout.toString()
  return createWrk(folder, /^wrk \S+/.exec(said)?.[0] ?? 'wrk')
}
