/** The thread that checkpoints the WAL: see `wal.ts`. It imports nothing else, since each thread loads its own copy. */
import { Database } from 'bun:sqlite'

declare const self: Worker

const connection = new Database(process.env.DATABASE_PATH)
connection.run('PRAGMA busy_timeout = 5000')
connection.run('PRAGMA synchronous = FULL')

self.onmessage = ({ data }: MessageEvent<'checkpoint' | 'close'>) => {
  if (data === 'close') connection.close()
  else checkpoint()
  self.postMessage('done')
}

/** Like SQLite's automatic checkpoint: after a failure the WAL still holds everything. */
function checkpoint() {
  try {
    connection.run('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {}
}
