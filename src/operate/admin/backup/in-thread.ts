/** Backs up in a separate thread, so that requests are served meanwhile. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BackupFault } from '../../../../db/index.ts'
import { removeSqlite } from '../../../../db/sqlite/copy.ts'
import { removePartialManifest } from '../../../club/pictures/backup-manifest.ts'
import { type Backup, partialOf } from './back-up.ts'
import type { BackupMessage, BackupOrder } from './thread.ts'

/** Between two calls of `onProgress`. */
const TURN_MS = 250

/**
 * `onProgress` gets the number of verified fans of the copy. If it throws, the thread ends and its files are removed.
 * @throws BackupFault in words for staff
 */
export async function backUpInThread(
  order: BackupOrder,
  onProgress: (done: number, total: number | null) => Promise<void>,
): Promise<Backup> {
  await onProgress(0, null)
  const partial = partialOf(order.file)
  const thread = new Worker(join(import.meta.dir, 'thread.ts'))
  const { promise, resolve, reject } = Promise.withResolvers<Backup>()
  let verified: { done: number; total: number | null } = { done: 0, total: null }
  let isRunning = true
  thread.onerror = ({ message }) => reject(new Error(`the thread of backups failed: ${message}`))
  thread.onmessage = ({ data }: MessageEvent<BackupMessage>) => {
    if ('verified' in data) verified = data.verified
    else if ('backup' in data) resolve(data.backup)
    else reject(data.failed === null ? new Error(data.reason) : new BackupFault(data.failed))
  }
  const ended = promise.finally(() => {
    isRunning = false
  })
  thread.postMessage(order)
  try {
    while (isRunning) {
      await Promise.race([ended, Bun.sleep(TURN_MS)])
      // A backup that has already ended stays valid.
      if (isRunning) await onProgress(verified.done, verified.total)
    }
    return await ended
  } finally {
    ended.catch(() => {})
    thread.terminate()
    // The error may be about the folder itself.
    if (existsSync(partial)) {
      removeSqlite(partial)
      removePartialManifest(order.file)
    }
  }
}
