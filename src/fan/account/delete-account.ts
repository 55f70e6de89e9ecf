/** Deletes the caller's account: the erasure that `bun run erase-user` makes, at the fan's own request. */
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import type { AuthenticatedCaller } from '../../core/caller.ts'
import { logSecurityEvent } from '../../core/security-events.ts'
import { requireRecentSignIn } from '../../identity/auth/authenticate.ts'
import { eraseUser } from './erase-user.ts'
import { appendErasures } from './erasure-list.ts'

export interface AccountDeps {
  db: Database
  log: Logger
  /** The file to which erasures are appended, so that a restored backup does not bring the fan back. Null: there is no list. */
  erasureList: string | null
}

/** How long to wait for readers of an older state, which prevent the truncation of the WAL. */
const LOG_PATIENCE_MS = 5_000

/** Returns when the erasure is durable. Does nothing for a fan without a user record and without native sessions. */
export async function deleteAccount(deps: AccountDeps, caller: AuthenticatedCaller): Promise<void> {
  const { db, log, erasureList } = deps
  const { provider, subject, credential } = caller
  requireRecentSignIn(credential, db.read.now())
  const erasure = await db.write(tx =>
    eraseUser(tx, { provider, subject }, tombstone => {
      if (erasureList !== null) appendErasures(erasureList, [tombstone])
    }),
  )
  if (!erasure) return
  logSecurityEvent(log, 'account_deleted', { userId: erasure.userId ?? undefined })
  // Not awaited: it waits until no write is pending, which may take long under load.
  emptyLog(deps).catch(error => log.warn({ error }, 'the WAL was not emptied'))
}

/** The deleted content must not stay in SQLite's WAL. */
async function emptyLog({ db, log }: AccountDeps): Promise<void> {
  if ((await db.truncateLog(LOG_PATIENCE_MS)) === false)
    log.warn('the WAL was not emptied after an account was deleted: a connection reads an older state')
}
