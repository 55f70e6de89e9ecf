/**
 * Fills missing or old mirrors of provider data. Userinfo accepts only the fan's own session token, so this works for fans
 * whose encrypted token is stored: with a queued sync, or with a device that signed in recently.
 */
import { and, count, eq, gt, isNotNull, isNull, lt, or } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { eachPage } from '../../../db/keyset.ts'
import { enqueueSync, retrySync, type SyncDeps } from '../../identity/users/deferred-sync.ts'

export interface MirrorCounts {
  /** Never synced. */
  missing: number
  /** Synced before `staleBefore`. */
  stale: number
}

/** Fans who are erased or deleted by the provider have no mirror and are not counted. */
export async function countMirrors(reader: Reader, staleBefore: Date): Promise<MirrorCounts> {
  const { users, identities } = reader.tables
  const [{ all, stale } = { all: 0, stale: 0 }] = await reader
    .select({ all: count(), stale: count(identities.syncedAt) })
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .where(isBehind(reader, staleBefore))
  return { missing: all - stale, stale }
}

function isBehind({ tables: { users, identities } }: Pick<Reader, 'tables'>, staleBefore: Date) {
  return and(
    isNull(users.erasedAt),
    isNull(identities.deletedAt),
    or(isNull(identities.syncedAt), lt(identities.syncedAt, staleBefore)),
  )
}

export interface Pullable {
  userId: string
  encryptedToken: string
  tokenExpiresAt: Date
}

/** Fans with an outdated mirror and a stored token that has not expired, by id, from `after` on. */
export async function* listPullable(
  reader: Reader,
  staleBefore: Date,
  after?: string,
): AsyncGenerator<Pullable> {
  const { users, identities, deferredSyncs, nativeSessions } = reader.tables
  const pages = eachPage(
    { userId: users.id },
    isAfter => {
      const now = reader.now()
      return reader
        .select({
          userId: users.id,
          deferred: { encryptedToken: deferredSyncs.encryptedToken, expiresAt: deferredSyncs.tokenExpiresAt },
          device: { encryptedToken: nativeSessions.encryptedToken, expiresAt: nativeSessions.tokenExpiresAt },
        })
        .from(users)
        .leftJoin(identities, eq(identities.userId, users.id))
        .leftJoin(
          deferredSyncs,
          and(eq(deferredSyncs.userId, users.id), gt(deferredSyncs.tokenExpiresAt, now)),
        )
        .leftJoin(
          nativeSessions,
          and(
            eq(nativeSessions.provider, users.provider),
            eq(nativeSessions.subject, users.subject),
            isNotNull(nativeSessions.encryptedToken),
            isNull(nativeSessions.revokedAt),
            gt(nativeSessions.tokenExpiresAt, now),
          ),
        )
        .where(
          and(
            isBehind(reader, staleBefore),
            or(isNotNull(deferredSyncs.userId), isNotNull(nativeSessions.id)),
            isAfter,
          ),
        )
    },
    { after: after === undefined ? undefined : { userId: after } },
  )
  for await (const page of pages) {
    // A fan with several devices has several rows: any of the tokens suffices.
    const fans = new Map(page.map(row => [row.userId, row.deferred ?? row.device]))
    for (const [userId, held] of fans) {
      if (held?.encryptedToken) {
        yield { userId, encryptedToken: held.encryptedToken, tokenExpiresAt: held.expiresAt }
      }
    }
  }
}

/** Syncs one fan. A sync that fails stays queued, and the API retries it. True if the mirror was filled. */
export async function pullMirror(deps: SyncDeps, { userId, ...queuedSync }: Pullable): Promise<boolean> {
  const { deferredSyncs } = deps.db.tables
  await deps.db.write(tx => enqueueSync(tx, userId, queuedSync))
  const [row] = await deps.db.read.select().from(deferredSyncs).where(eq(deferredSyncs.userId, userId))
  return row ? retrySync(deps, row) : false
}
