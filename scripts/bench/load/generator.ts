/** The interface of the load generators wrk and autocannon. */
import type { Measurement, Plan } from '../plan.ts'

export interface LoadOptions {
  seconds: number
  connections: number
  /** Number of the plan's first request. */
  first?: number
  /** The core to pin the generator to; null: not pinned. */
  core: number | null
}

/** A closed loop: each connection sends its next request after the response to the previous one. */
export interface Generator {
  /** Name and version. */
  readonly name: string
  measure(origin: string, plan: Plan, options: LoadOptions): Promise<Measurement>
}
