/** The thread that backs up: see `in-thread.ts`. Copying and checking a file block. */
import { parentPort } from 'node:worker_threads'
import { BackupFault, DatabaseError, translateDatabaseError } from '../../../../db/index.ts'
import { errorCode } from '../../../core/error-code.ts'
import type { UploadsConfig } from '../../../platform/config/uploads.ts'
import { type Backup, backUp } from './back-up.ts'

export interface BackupOrder {
  /** Path of the database. */
  path: string
  file: string
  erasures: string
  uploads: UploadsConfig | null
}

/** `failed`: the reason in words for staff; null if only the log has it. */
export type BackupMessage =
  | { verified: { done: number; total: number } }
  | { backup: Backup }
  | { failed: string | null; reason: string }

const post = (message: BackupMessage) => parentPort?.postMessage(message)

// Null outside of a thread.
parentPort?.once('message', async ({ path, file, ...order }: BackupOrder) => {
  try {
    const onVerified = (done: number, total: number) => post({ verified: { done, total } })
    post({ backup: await backUp(path, file, { ...order, onVerified, onPicture() {} }) })
  } catch (error) {
    const fault = translateDatabaseError(error)
    post({ failed: inWords(fault), reason: fault instanceof Error ? fault.message : String(fault) })
  }
})

const DISK_FULL = 'The disk is full. Nothing was kept of the copy.'
const NOT_WRITABLE = 'The server may not write into the folder of backups.'
const WORDS: Record<string, string> = {
  ENOSPC: DISK_FULL,
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  EROFS: NOT_WRITABLE,
  ENOTDIR: 'The folder of backups is a file.',
  EEXIST: 'The folder of backups is a file.',
}

function inWords(error: unknown): string | null {
  if (error instanceof BackupFault) return error.message
  if (error instanceof DatabaseError) return error.fault === 'full' ? DISK_FULL : null
  return WORDS[String(errorCode(error))] ?? null
}
