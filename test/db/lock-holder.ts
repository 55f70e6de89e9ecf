/** Holds the write lock of the SQLite file of the first argument, as a process of its own, until its input ends. */
import { Database as Connection } from 'bun:sqlite'

const connection = new Connection(process.argv[2] ?? '')
connection.run('PRAGMA busy_timeout = 30000')
connection.run('BEGIN IMMEDIATE')
process.stdout.write('locked')
for await (const _ of process.stdin) break
connection.run('COMMIT')
connection.close()
