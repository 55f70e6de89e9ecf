/** The load during crash tests: fans use all operations concurrently, and their responses are recorded. */
import type { Answer } from '../support/client.ts'

/** A request of a fan. */
export interface Step {
  subject: string
  token: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  body: Record<string, unknown>
  /** Its `Idempotency-Key`. */
  key: string | null
}

/** The response to a step. */
export interface StepResponse {
  step: Step
  status: number
  replayed: boolean
  /** How long it took. */
  milliseconds: number
  body: Answer['body']
}

export interface History {
  /** In the order of arrival; for one fan also the order of requests. */
  responses: StepResponse[]
  /** Requests without a response: their effect is unknown. */
  unacknowledged: Step[]
  /** Why these have no response, in their order. */
  failures: string[]
}

/** Created by `startWorld` in `rounds.ts`. */
export const REWARDS = ['plenty', 'scarce', 'endless']
export const PACKS = ['starter', 'limited']
/** The type of the events that the gate reports; a rule grants points for the first two of a fan. */
export const SCAN = 'stadium.entered'
const READS = ['/api/dashboard', '/api/rewards', '/api/user/points', '/api/leaderboard?around=me']

/** While the database does not respond, writes wait until there are too many. */
const UNAVAILABLE = ['database_unavailable', 'overloaded']

/** Null if the server or its database is unavailable: the effect of the step is then unknown. */
export async function sendStep(
  origin: string,
  step: Step,
  onFailure: (reason: string) => void = () => {},
): Promise<StepResponse | null> {
  const since = performance.now()
  try {
    const response = await fetch(origin + step.path, {
      method: step.method,
      headers: {
        authorization: `Bearer ${step.token}`,
        'content-type': 'application/json',
        ...(step.key === null ? {} : { 'idempotency-key': step.key }),
      },
      ...(step.method === 'GET' ? {} : { body: JSON.stringify(step.body) }),
    })
    const text = await response.text()
    const body = text === '' ? null : JSON.parse(text)
    if (UNAVAILABLE.includes(body?.code)) {
      onFailure(`${step.method} ${step.path}: ${body.code}`)
      return null
    }
    const replayed = response.headers.has('idempotent-replayed')
    return { step, status: response.status, replayed, milliseconds: performance.now() - since, body }
  } catch (error) {
    onFailure(`${step.method} ${step.path}: ${error}`)
    return null
  }
}

interface LoadOptions {
  origin: string
  /** The server key of the gate. Null if it reports no events. */
  gateKey: string | null
  /** A random integer from 0 to below a number. */
  pick: (below: number) => number
  /** The next new fan. */
  nextFan: () => Promise<{ subject: string; token: string }>
  clients: number
  /** Called after each response. */
  onResponse: () => void
  isOver: () => boolean
}

/** Ends when `isOver`, or when no client gets responses; a client stops after a request without a response. */
export async function runLoad(options: LoadOptions, history: History): Promise<void> {
  const market = new Market()
  await Promise.all(Array.from({ length: options.clients }, () => runClient(options, history, market)))
}

/** What fans know of each other: fans to offer items to, and received offers. */
class Market {
  readonly fans: { subject: string; handle: string; items: Item[] }[] = []
  /** Ids of trades, by the handle of the fan who received the offer. */
  readonly offered = new Map<string, string[]>()

  enter(subject: string, handle: string) {
    const fan = { subject, handle, items: [] as Item[] }
    this.fans.push(fan)
    return fan
  }
}

interface Item {
  collectibleId: string
  serialNumber: number
}

async function runClient(
  { origin, gateKey, pick, nextFan, onResponse, isOver }: LoadOptions,
  history: History,
  market: Market,
) {
  while (!isOver()) {
    const fan = await nextFan()
    const visit = new Visit(fan, gateKey, pick, market)
    for (let n = 0; n < 24 && !isOver(); n++) {
      const step = visit.next()
      const response = await sendStep(origin, step, reason => history.failures.push(reason))
      if (!response) {
        history.unacknowledged.push(step)
        return
      }
      history.responses.push(response)
      visit.learn(response)
      onResponse()
    }
  }
}

/** One fan with sequential requests, most of them valid. */
class Visit {
  private readonly keyed: Step[] = []
  private readonly claimed: string[] = []
  private readonly held: string[] = []
  private readonly sealed: string[] = []
  private readonly scans: Step[] = []
  private device: { token: string; refreshToken: string } | null = null
  private started = false
  private readonly handle: string
  /** Known once others can offer something to this fan. */
  private own: ReturnType<Market['enter']> | undefined
  private readonly made: string[] = []

  constructor(
    private readonly fan: { subject: string; token: string },
    private readonly gateKey: string | null,
    private readonly pick: (below: number) => number,
    private readonly market: Market,
  ) {
    this.handle = fan.subject.replace('-', '_')
  }

  next(): Step {
    if (!this.started) {
      this.started = true
      return this.step('POST', '/api/user/onboarding', { profile: { handle: this.handle } })
    }
    // Repeats an acknowledged request.
    if (this.keyed.length > 0 && this.pick(8) === 0) return this.one(this.keyed)
    const possible = [
      () => this.step('PATCH', '/api/user/profile', { bio: `bio ${this.pick(2 ** 30)}` }),
      () => this.step('POST', '/api/user/onboarding', {}),
      () => this.step('POST', '/api/user/sync-mock-idp', {}),
      () => this.step('POST', '/api/rewards/claim', { rewardId: this.one(REWARDS) }),
      () => this.step('POST', '/api/packs/purchase', { packId: this.one(PACKS) }),
      () => this.step('POST', '/api/packs/purchase', { packId: this.one(PACKS) }),
      ...(this.claimed.length > 0
        ? [() => this.step('POST', '/api/rewards/redeem', { rewardId: this.one(this.claimed) })]
        : []),
      ...(this.held.length > 0
        ? [1, 2, 3].map(
            () => () => this.step('PUT', '/api/packs/purchase', { purchaseId: this.one(this.held) }),
          )
        : []),
      ...(this.sealed.length > 0
        ? [1, 2, 3].map(
            () => () => this.step('POST', '/api/packs/open', { userPackId: this.one(this.sealed) }),
          )
        : []),
      ...this.trading(),
      () => this.signIn(),
      () => ({ ...this.step('GET', this.one(READS), {}), key: null }),
      ...(this.gateKey === null ? [] : this.gate(this.gateKey)),
    ]
    return this.one(possible)()
  }

  learn({ step, status, body }: StepResponse): void {
    if (step.key !== null && status < 300) this.keyed.push(step)
    if (status >= 300) return
    if (step.path === '/api/events') this.scans.push(step)
    if (step.path === '/api/rewards/claim') this.claimed.push(String(step.body.rewardId))
    if (step.path === '/api/packs/purchase') {
      if (step.method === 'POST') this.held.push(body.id)
      else this.sealed.push(body.userPack.id)
    }
    if (step.path === '/api/user/onboarding') this.own ??= this.market.enter(this.fan.subject, this.handle)
    if (step.path === '/api/packs/open')
      for (const { id, serialNumber } of body.items) this.own?.items.push({ collectibleId: id, serialNumber })
    if (step.path === '/api/trades') {
      this.made.push(body.id)
      this.market.offered.set(body.to, [...(this.market.offered.get(body.to) ?? []), body.id])
    }
    if (step.path.startsWith('/api/auth/native-token')) this.device = body
    if (step.path === '/api/auth/logout') this.device = null
  }

  /** Offers items that the fan once got, and may no longer have, as a gift or for items of another fan. */
  private trading(): (() => Step)[] {
    const { own } = this
    const others = this.market.fans.filter(({ handle }) => handle !== this.handle)
    const received = this.market.offered.get(this.handle) ?? []
    const one = (items: Item[]) => (items.length > 0 ? [this.one(items)] : [])
    const offer = () => {
      const { handle: to, items } = this.one(others)
      const want = this.pick(2) === 0 ? [] : one(items)
      return this.step('POST', '/api/trades', { to, give: [this.one(own?.items ?? [])], want })
    }
    const accept = () => this.step('POST', `/api/trades/${this.one(received)}/accept`, { version: 1 })
    const end = (ids: string[], verb: string) => () =>
      this.step('POST', `/api/trades/${this.one(ids)}/${verb}`, {})
    return [
      ...(own && own.items.length > 0 && others.length > 0 ? Array<() => Step>(6).fill(offer) : []),
      ...(received.length > 0 ? [...Array<() => Step>(8).fill(accept), end(received, 'decline')] : []),
      ...(this.made.length > 0 ? [end(this.made, 'cancel')] : []),
    ]
  }

  private gate(key: string): (() => Step)[] {
    const scan = () => this.scan(key)
    // An event that was acknowledged is also reported again.
    return [scan, () => (this.scans.length > 0 ? this.one(this.scans) : scan())]
  }

  private scan(gateKey: string): Step {
    const fan = { provider: 'mock-idp', subject: this.fan.subject }
    const event = { id: crypto.randomUUID(), type: SCAN, fan, occurredAt: new Date().toISOString() }
    const step = this.step('POST', '/api/events', { events: [event] })
    return { ...step, token: gateKey, key: null }
  }

  /** Signs a device in, refreshes it and signs it out. These routes accept no key. */
  private signIn(): Step {
    if (!this.device) return { ...this.step('POST', '/api/auth/native-token', {}), key: null }
    const { token, refreshToken } = this.device
    return this.pick(2) === 0
      ? { ...this.step('POST', '/api/auth/native-token/refresh', { refreshToken }), key: null }
      : { ...this.step('POST', '/api/auth/logout', {}), token, key: null }
  }

  private step(method: Step['method'], path: string, body: Record<string, unknown>): Step {
    const key = this.pick(4) === 0 ? null : crypto.randomUUID()
    return { ...this.fan, method, path, body, key }
  }

  private one<T>(of: T[]): T {
    const chosen = of[this.pick(of.length)]
    if (chosen === undefined) throw new Error('nothing to choose from')
    return chosen
  }
}
