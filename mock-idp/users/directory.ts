import type { Clock } from '../clock.ts'
import { notFound, OAuthError } from '../oidc/oauth-error.ts'
import { generateFans } from './generate-fans.ts'
import { type Stage, stageOf } from './stages.ts'
import type { Fan, User } from './user.ts'

/** The last fans generated. Generating 200 takes 10 ms, and tests create many providers. A change replaces a user. */
let generated: { seed: number; fans: readonly Fan[] } = { seed: 1, fans: [] }

function fansOf(seed: number, count: number): readonly Fan[] {
  if (generated.seed !== seed || generated.fans.length < count)
    generated = { seed, fans: generateFans({ seed, count }) }
  return generated.fans.slice(0, count)
}

/** The claims that a change sets; null removes a claim. */
export type ClaimChanges = { [Name in keyof Omit<User, 'sub' | 'updated_at'>]?: User[Name] | null }

/** The users of the provider: the generated fans, and the changes made through the control interface. */
export class UserDirectory {
  readonly #options: { seed: number; fans: number; clock: Clock }
  readonly #users = new Map<string, User>()
  /** Deleted subjects. OpenID Connect Core §2 forbids reassigning a subject. */
  readonly #deleted = new Set<string>()

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

  /** @throws OAuthError 404 `not_found` */
  get(sub: string): User {
    const user = this.#users.get(sub)
    if (!user) throw notFound('There is no user with this sub.')
    return user
  }

  /** Users whose name, username, email or sub contains every word of `query`, ignoring case and accents. */
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

  /** The stage of a generated fan in a seeded database; undefined for other users. */
  seededStage(sub: string): Stage | undefined {
    const number = Number(/^fan-(\d{4,})$/.exec(sub)?.[1] ?? 0)
    return number >= 1 && number <= this.#options.fans ? stageOf(number - 1) : undefined
  }

  /** @throws OAuthError 409 `conflict` for a sub that is or was in use */
  create(claims: ClaimChanges & { sub?: string }): User {
    const { sub = this.#nextSub(), ...changes } = claims
    if (this.#users.has(sub) || this.#deleted.has(sub)) {
      throw new OAuthError(409, 'conflict', 'This sub is or was in use; a subject is never reassigned.')
    }
    const user = withChanges({ sub, updated_at: this.#options.clock.seconds() }, changes)
    this.#users.set(sub, user)
    return user
  }

  /**
   * Changes claims. `updated_at` becomes the provider's current time, and at least one second more than before, so
   * that two changes within one second differ.
   * @throws OAuthError 404 `not_found`
   */
  update(sub: string, changes: ClaimChanges): User {
    const user = this.get(sub)
    const updated = withChanges({ ...user, updated_at: this.#nextUpdatedAt(user) }, changes)
    this.#users.set(sub, updated)
    return updated
  }

  /**
   * Deletes a user and returns its last claims with the time of the deletion as `updated_at`.
   * @throws OAuthError 404 `not_found`
   */
  delete(sub: string): User {
    const user = this.get(sub)
    this.#users.delete(sub)
    this.#deleted.add(sub)
    return { ...user, updated_at: this.#nextUpdatedAt(user) }
  }

  /** Restores the generated fans. */
  reset(): void {
    const { seed, fans: count } = this.#options
    this.#deleted.clear()
    this.#users.clear()
    for (const fan of fansOf(seed, count)) this.#users.set(fan.sub, fan)
  }

  #nextUpdatedAt(user: User): number {
    return Math.max(this.#options.clock.seconds(), user.updated_at + 1)
  }

  #nextSub(): string {
    for (let n = this.#users.size + this.#deleted.size + 1; ; n++) {
      const sub = `fan-${String(n).padStart(4, '0')}`
      if (!this.#users.has(sub) && !this.#deleted.has(sub)) return sub
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
