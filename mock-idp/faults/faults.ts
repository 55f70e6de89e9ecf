import type { Clock } from '../clock.ts'
import type { RequestLog } from '../requests.ts'
import type { Fault, FaultInput, FaultMatch } from './fault.ts'
import { answerFault } from './responses.ts'

type Endpoint = Exclude<FaultMatch, '*'> | 'revoke'

/** The faults of one provider. The oldest one that matches strikes, one a request. */
export class Faults {
  readonly #clock: Clock
  readonly #requests: RequestLog
  #faults: Fault[] = []
  #made = 0
  /** Aborted when a fault goes, so that whoever hangs on it is let go. */
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
    const fault = { id: `fault-${++this.#made}`, ...input }
    this.#faults.push(fault)
    this.#released.set(fault.id, new AbortController())
    return { ...fault }
  }

  /** Takes one fault away, or all; requests that hang on it end with 503, also when its count was used up. */
  remove(id?: string): number {
    const gone = [...this.#released.keys()].filter(held => id === undefined || held === id)
    for (const held of gone) {
      this.#released.get(held)?.abort()
      this.#released.delete(held)
    }
    const before = this.#faults.length
    this.#faults = this.#faults.filter(fault => !gone.includes(fault.id))
    return id === undefined ? before : gone.length
  }

  reset(): void {
    this.remove()
    this.#made = 0
  }

  /** Whether a fault broke the connection of this request: what answers in process must fail like the network. */
  isBroken(request: Request): boolean {
    return this.#broken.has(request)
  }

  /** A `beforeHandle` for an endpoint: answers in its place when a fault says so. */
  guard(endpoint: Endpoint) {
    return async ({ request }: { request: Request }): Promise<Response | undefined> => {
      const fault = this.#strike(endpoint)
      if (!fault) return undefined
      this.#requests.blame(request, fault.id)
      if (fault.kind === 'reset') this.#broken.add(request)
      const released = this.#released.get(fault.id)?.signal ?? AbortSignal.abort()
      const signal = AbortSignal.any([request.signal, released])
      return answerFault(fault, { clock: this.#clock, signal })
    }
  }

  #strike(endpoint: Endpoint): Fault | undefined {
    const fault = this.#faults.find(({ match }) => match === endpoint || match === '*')
    if (fault?.count === undefined) return fault
    fault.count--
    if (fault.count <= 0) this.#faults = this.#faults.filter(other => other !== fault)
    return fault
  }
}
