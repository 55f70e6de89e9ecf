/** The thread that writes the WAL back into the file: see `sqlite-wal.ts`. It loads nothing else, since each thread has its own copy. */
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

/** As after a COMMIT of SQLite's own: one that fails leaves all where it is, in the WAL. */
function checkpoint() {
  try {
    connection.run('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {}
}
