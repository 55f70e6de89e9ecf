import type { Clock } from './clock.ts'
import { Refusal } from './oidc/refusal.ts'
import { generateFans, type User } from './users.ts'

/** Claims that a change sets, or removes when null. */
export type ClaimChanges = { [Name in keyof Omit<User, 'sub' | 'updated_at'>]?: User[Name] | null }

/** The users of the provider: the seed's fans and what the control interface made of them. */
export class UserDirectory {
  readonly #options: { seed: number; fans: number; clock: Clock }
  readonly #users = new Map<string, User>()
  /** Subjects once deleted: OpenID Connect Core §2 forbids to reassign one. */
  readonly #gone = new Set<string>()

  constructor(options: { seed: number; fans: number; clock: Clock }) {
    this.#options = options
    this.reset()
  }

  get size(): number {
    return this.#users.size
  }

  find(sub: string): User | undefined {
    return this.#users.get(sub)
  }

  /** @throws Refusal 404 `not_found` */
  get(sub: string): User {
    const user = this.#users.get(sub)
    if (!user) throw new Refusal(404, 'not_found', 'There is no user with this sub.')
    return user
  }

  /** Users whose name, username, email or sub holds every word of `query`, without regard to case and accents. */
  search(query = ''): User[] {
    const words = fold(query).split(/\s+/).filter(Boolean)
    const users = [...this.#users.values()]
    if (words.length === 0) return users
    return users.filter(({ name, given_name, family_name, preferred_username, email, sub }) => {
      const text = fold([name, given_name, family_name, preferred_username, email, sub].join(' '))
      return words.every(word => text.includes(word))
    })
  }

  /** The user that a `login_hint` names exactly: by sub, email or username. */
  findByHint(hint: string): User | undefined {
    const folded = fold(hint)
    return (
      this.#users.get(hint) ??
      [...this.#users.values()].find(
        ({ email, preferred_username }) => fold(email ?? '') === folded || preferred_username === folded,
      )
    )
  }

  /** @throws Refusal 409 `conflict` for a sub that is or was in use */
  create(claims: ClaimChanges & { sub?: string }): User {
    const { sub = this.#nextSub(), ...changes } = claims
    if (this.#users.has(sub) || this.#gone.has(sub)) {
      throw new Refusal(409, 'conflict', 'This sub is or was in use; a subject is never reassigned.')
    }
    const user = withChanges({ sub, updated_at: this.#options.clock.seconds() }, changes)
    this.#users.set(sub, user)
    return user
  }

  /**
   * Changes claims. `updated_at` moves to the provider's now, and on by a second at least, so that two changes within
   * one second are told apart.
   * @throws Refusal 404 `not_found`
   */
  update(sub: string, changes: ClaimChanges): User {
    const user = this.get(sub)
    const updated = withChanges({ ...user, updated_at: this.#nextUpdatedAt(user) }, changes)
    this.#users.set(sub, updated)
    return updated
  }

  /** Takes the user away for good and returns it as it last was, stamped with the time of its deletion. @throws Refusal 404 */
  delete(sub: string): User {
    const user = this.get(sub)
    this.#users.delete(sub)
    this.#gone.add(sub)
    return { ...user, updated_at: this.#nextUpdatedAt(user) }
  }

  /** Back to the fans of the seed. */
  reset(): void {
    const { seed, fans: count } = this.#options
    this.#gone.clear()
    this.#users.clear()
    for (const fan of generateFans({ seed, count })) this.#users.set(fan.sub, fan)
  }

  #nextUpdatedAt(user: User): number {
    return Math.max(this.#options.clock.seconds(), user.updated_at + 1)
  }

  #nextSub(): string {
    for (let n = this.#users.size + this.#gone.size + 1; ; n++) {
      const sub = `fan-${String(n).padStart(4, '0')}`
      if (!this.#users.has(sub) && !this.#gone.has(sub)) return sub
    }
  }
}

function withChanges(user: User, changes: ClaimChanges): User {
  const claims = Object.entries({ ...user, ...changes }).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return Object.fromEntries(claims) as User
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
