/** What a load generator does: wrk and autocannon. */
import type { Measurement, Plan } from '../plan.ts'

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
