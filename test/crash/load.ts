/** Fans who use everything at once, and remember what they were told: the load under which a server is struck down. */
import type { Answer } from '../support/client.ts'

/** What a fan asked for. */
export interface Step {
  subject: string
  token: string
  method: 'POST' | 'PUT' | 'PATCH'
  path: string
  body: Record<string, unknown>
  /** Its `Idempotency-Key`. */
  key: string | null
}

/** What a fan was told. */
export interface Heard {
  step: Step
  status: number
  replayed: boolean
  body: Answer['body']
}

export interface Memory {
  /** In the order in which the answers came; of one fan also the order of the questions. */
  heard: Heard[]
  /** Asked, and never answered: it may have happened or not. */
  unheard: Step[]
}

/** What is on offer: `startWorld` in `rounds.ts` puts it there. */
export const REWARDS = ['plenty', 'scarce', 'endless']
export const PACKS = ['starter', 'limited']

/** Null when the server is gone, or says that its database is: whether the step was done is not known then. */
export async function ask(origin: string, step: Step): Promise<Heard | null> {
  try {
    const response = await fetch(origin + step.path, {
      method: step.method,
      headers: {
        authorization: `Bearer ${step.token}`,
        'content-type': 'application/json',
        ...(step.key === null ? {} : { 'idempotency-key': step.key }),
      },
      body: JSON.stringify(step.body),
    })
    const text = await response.text()
    const body = text === '' ? null : JSON.parse(text)
    if (body?.code === 'database_unavailable') return null
    return { step, status: response.status, replayed: response.headers.has('idempotent-replayed'), body }
  } catch {
    return null
  }
}

interface LoadOptions {
  origin: string
  /** From 0 to below a number. */
  pick: (below: number) => number
  /** The next fan whom the server has not seen. */
  nextFan: () => Promise<{ subject: string; token: string }>
  clients: number
  /** After each answer. */
  onHeard: () => void
  isOver: () => boolean
}

/** Ends when it is over, or each client has lost the server; a client whose question was not answered goes home. */
export async function runLoad(options: LoadOptions, memory: Memory): Promise<void> {
  await Promise.all(Array.from({ length: options.clients }, () => runClient(options, memory)))
}

async function runClient({ origin, pick, nextFan, onHeard, isOver }: LoadOptions, memory: Memory) {
  while (!isOver()) {
    const fan = await nextFan()
    const visit = new Visit(fan, pick)
    for (let n = 0; n < 18 && !isOver(); n++) {
      const step = visit.next()
      const heard = await ask(origin, step)
      if (!heard) {
        memory.unheard.push(step)
        return
      }
      memory.heard.push(heard)
      visit.learn(heard)
      onHeard()
    }
  }
}

/** One fan, who asks one thing after the other: whatever makes sense, and some that does not. */
class Visit {
  private readonly keyed: Step[] = []
  private readonly claimed: string[] = []
  private readonly held: string[] = []
  private readonly sealed: string[] = []
  private device: { token: string; refreshToken: string } | null = null
  private begun = false

  constructor(
    private readonly fan: { subject: string; token: string },
    private readonly pick: (below: number) => number,
  ) {}

  next(): Step {
    if (!this.begun) {
      this.begun = true
      return this.step('POST', '/api/user/onboarding', {})
    }
    // A retry of something that was answered.
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
        ? [1, 2].map(() => () => this.step('PUT', '/api/packs/purchase', { purchaseId: this.one(this.held) }))
        : []),
      ...(this.sealed.length > 0
        ? [1, 2].map(() => () => this.step('POST', '/api/packs/open', { userPackId: this.one(this.sealed) }))
        : []),
      () => this.signIn(),
    ]
    return this.one(possible)()
  }

  learn({ step, status, body }: Heard): void {
    if (step.key !== null && status < 300) this.keyed.push(step)
    if (status >= 300) return
    if (step.path === '/api/rewards/claim') this.claimed.push(String(step.body.rewardId))
    if (step.path === '/api/packs/purchase') {
      if (step.method === 'POST') this.held.push(body.id)
      else this.sealed.push(body.userPack.id)
    }
    if (step.path.startsWith('/api/auth/native-token')) this.device = body
    if (step.path === '/api/auth/logout') this.device = null
  }

  /** A device that is signed in, refreshed and signed out. These routes take no key. */
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
