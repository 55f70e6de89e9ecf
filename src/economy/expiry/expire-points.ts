/**
 * Books expired points, fan after fan, once a day. A batch is one unit of work: it locks the pass, books for
 * the next fans, and moves the cursor. After a crash the next batch begins where the last committed one
 * ended, in any process.
 */
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../../db/index.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { dayOf, type ExpiryPass, findPass, lockPass, savePass, WARNING_MS } from '../points/expiry.ts'
import { type ExpiredPage, expirePage } from './expire-page.ts'

/** Fans of a batch: other writers of SQLite, and of the same fans, wait for a whole batch. */
export const FANS = 100
/**
 * Pause between two batches, so that requests that arrived during a batch can write before the next one.
 * Milliseconds.
 */
const PAUSE_MS = 2

interface ExpiryDeps {
  db: Database
  log: Logger
}

/** Any number of processes may run this at the same time. */
export async function expirePoints(
  { db, log }: ExpiryDeps,
  stopping: () => boolean = () => false,
): Promise<void> {
  const { pointsExpireAfterDays: days } = await settingsOf(db.read)
  if (days === 0) return
  const last = await findPass(db.read, days)
  if (last && hasEnded(last, dayOf(db.read.now()))) return
  while (!stopping()) {
    const page = await db.write(tx => expireBatch(tx, days))
    if (!page) return
    for (const userId of page.mismatched)
      log.error({ userId }, 'points have not ended: the ledger of the fan is damaged')
    await Bun.sleep(PAUSE_MS)
  }
}

/** Books the expired points of the next fans. Null when the pass of today has ended. */
export async function expireBatch(
  tx: Transaction,
  days: number,
  limit: number = FANS,
): Promise<ExpiredPage | null> {
  const today = dayOf(tx.now())
  const stored = await lockPass(tx, { days, since: today, day: today, cursor: '' })
  if (hasEnded(stored, today)) return null
  const pass = nextPass(stored, today)
  const { day, cursor } = pass
  const page = await expirePage(tx, { term: pass, day, after: cursor ?? '', limit })
  await savePass(tx, { ...pass, cursor: page.cursor })
  return page
}

const hasEnded = ({ day, cursor }: ExpiryPass, today: Date) => cursor === null && day >= today

/** The interrupted pass, or the pass of today. If the setting was off for a long time, it starts again. */
function nextPass(pass: ExpiryPass, today: Date): ExpiryPass {
  if (today.getTime() - pass.day.getTime() > WARNING_MS)
    return { ...pass, since: today, day: today, cursor: '' }
  return pass.cursor === null ? { ...pass, day: today, cursor: '' } : pass
}
