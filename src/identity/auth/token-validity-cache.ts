/**
 * Token validity, cached between requests if the database reports the commits of other processes. A change that ends a token
 * invalidates the tag of its subject, and each commit of another process all. Without it, a request on SQLite takes 70,000
 * instructions more (profile: 220,000, not 151,000). To remove it, call `token-validity.ts`.
 */
import type { Reader } from '../../../db/index.ts'
import type { AuthenticatedCaller, Subject } from '../../core/caller.ts'
import { createInvalidations } from '../../platform/cache/invalidations.ts'
import type { CacheCounts, MaybePromise } from '../../platform/cache/response-cache.ts'
import { tokenValidityTag } from '../../platform/cache/tags.ts'
import type { SessionClaims } from '../../platform/identity-provider/session-token.ts'
import type { VerifiedNativeToken } from './native-tokens.ts'
import {
  requireValidNativeToken,
  requireValidSessionToken,
  type SessionToken,
  type ValidToken,
} from './token-validity.ts'

interface Entry<Valid> {
  value: Valid
  slot: number
  /** The last invalidation before the read, and `externalCommits` then. */
  invalidated: number
  externalCommits: number
  expiresAt: Date | null
}

/**
 * The token of an additional sign-in of a fan is not cached, since changes of the fan's record do not
 * invalidate the tag of its subject.
 */
const AT_ONCE = new Date(0)

export type TokenValidityCache = ReturnType<typeof createTokenValidityCache>

interface Options {
  read: Reader
  /** `Database.externalCommits`, read at each check. */
  externalCommits(): number | null
}

/** Entries belong to the claims that the cache of verified tokens holds, and are freed with them. */
export function createTokenValidityCache({ read, externalCommits }: Options) {
  const invalidations = createInvalidations()
  const counts: CacheCounts = { hits: 0, misses: 0 }

  function createCheck<Claims extends WeakKey, Valid>() {
    const entries = new WeakMap<Claims, Entry<Valid>>()
    return (
      claims: Claims,
      caller: Subject,
      check: () => Promise<{ value: Valid; expiresAt?: Date }>,
    ): MaybePromise<Valid> => {
      const commits = externalCommits()
      const entry = entries.get(claims)
      const isCurrent =
        entry &&
        entry.externalCommits === commits &&
        !invalidations.has(entry.slot, entry.invalidated) &&
        !(entry.expiresAt && entry.expiresAt <= read.now())
      if (isCurrent) {
        counts.hits++
        return entry.value
      }
      counts.misses++
      const invalidated = invalidations.last()
      return check().then(({ value, expiresAt = null }) => {
        const slot = invalidations.slotOf(tokenValidityTag(caller))
        if (commits !== null)
          entries.set(claims, { value, slot, invalidated, externalCommits: commits, expiresAt })
        return value
      })
    }
  }
  const checkSession = createCheck<SessionClaims, ValidToken>()
  const checkNative = createCheck<VerifiedNativeToken, Omit<AuthenticatedCaller, 'credential'>>()

  return {
    counts,
    /** `requireValidSessionToken`. */
    checkSession: (claims: SessionClaims, caller: Subject, credential: SessionToken) =>
      checkSession(claims, caller, async () => {
        const value = await requireValidSessionToken(read, caller, credential)
        return value.isMerged ? { value, expiresAt: AT_ONCE } : { value }
      }),
    /** `requireValidNativeToken`. */
    checkNative: (claims: VerifiedNativeToken, holder: Subject) =>
      checkNative(claims, holder, async () => {
        const { expiresAt, ...value } = await requireValidNativeToken(read, holder, claims.sessionId)
        return { value, expiresAt: value.isMerged ? AT_ONCE : expiresAt }
      }),
    /** Invalidates the tokens of the subject with this tag. */
    invalidate: invalidations.add,
  }
}
