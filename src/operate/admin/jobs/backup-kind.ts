/** Backups of SQLite as jobs. */
import { BackupFault } from '../backup/backup-fault.ts'
import { backUpInThread } from '../backup/in-thread.ts'
import type { Kind } from './kind.ts'

export const backupKind = {
  unit: 'fans verified',
  maintenance: 'backup',
  slotOf: () => 'backup',
  async run({ config: { backups, erasureList, uploads }, input: { file = '' }, onProgress }) {
    if (!backups || erasureList === null) throw new Error('only SQLite is backed up by the server')
    try {
      const order = { path: backups.path, file, erasures: erasureList, uploads }
      const { ledgerDigest, pictures, notTidied: _, ...backup } = await backUpInThread(order, onProgress)
      const counts = {
        ...backup,
        ...(ledgerDigest === null ? {} : { digest: ledgerDigest }),
        ...(pictures && { pictures: pictures.files, picturesMissing: pictures.missing }),
      }
      return { findings: 0, counts }
    } catch (error) {
      if (!(error instanceof BackupFault)) throw error
      return { counts: {}, failed: error.message }
    }
  },
} as const satisfies Kind
