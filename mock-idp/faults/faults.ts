import type { Clock } from '../clock.ts'
import type { RequestLog } from '../request-log.ts'
import type { Fault, FaultInput, FaultMatch } from './fault.ts'
import { faultResponse } from './responses.ts'

type Endpoint = Exclude<FaultMatch, '*'> | 'revoke'

/** The active faults of one provider. The oldest matching fault applies to a request. */
export class Faults {
  readonly #clock: Clock
  readonly #requests: RequestLog
  #faults: Fault[] = []
  #count = 0
  /** By fault id. Deleting a fault aborts its signal, which ends the requests that hang on it. */
  readonly #released = new Map<string, AbortController>()
  readonly #broken = new WeakSet<Request>()

  constructor(clock: Clock, requests: RequestLog) {
    this.#clock = clock
    this.#requests = requests
  }

  list(): Fault[] {
    return this.#faults.map(fault => ({ ...fault }))
  }

  add(input: FaultInput): Fault {
    const fault = { id: `fault-${++this.#count}`, ...input }
    this.#faults.push(fault)
    this.#released.set(fault.id, new AbortController())
    return { ...fault }
  }

  /** Deletes one fault, or all. Requests that hang on it end with 503, also when its count is used up. */
  remove(id?: string): number {
    const removed = [...this.#released.keys()].filter(key => id === undefined || key === id)
    for (const key of removed) {
      this.#released.get(key)?.abort()
      this.#released.delete(key)
    }
    const before = this.#faults.length
    this.#faults = this.#faults.filter(fault => !removed.includes(fault.id))
    return id === undefined ? before : removed.length
  }

  reset(): void {
    this.remove()
    this.#count = 0
  }

  /** Whether a fault breaks the connection of this request: an in-process call must then fail like the network. */
  isBroken(request: Request): boolean {
    return this.#broken.has(request)
  }

  /** A `beforeHandle` for an endpoint that responds in its place when a fault applies. */
  guard(endpoint: Endpoint) {
    return async ({ request }: { request: Request }): Promise<Response | undefined> => {
      const fault = this.#nextFault(endpoint)
      if (!fault) return undefined
      this.#requests.note(request, { fault: fault.id })
      if (fault.kind === 'reset') this.#broken.add(request)
      const released = this.#released.get(fault.id)?.signal ?? AbortSignal.abort()
      const signal = AbortSignal.any([request.signal, released])
      return faultResponse(fault, { clock: this.#clock, signal })
    }
  }

  #nextFault(endpoint: Endpoint): Fault | undefined {
    const fault = this.#faults.find(({ match }) => match === endpoint || match === '*')
    if (fault?.count === undefined) return fault
    fault.count--
    if (fault.count <= 0) this.#faults = this.#faults.filter(other => other !== fault)
    return fault
  }
}
