/** Reads one row by one prepared statement: the user record of the fan. `scale` measures what sharing a core costs it. */
import { serveRead } from './serve-read.ts'

serveRead((provider, subject) => `SELECT * FROM users WHERE provider = ${provider} AND subject = ${subject}`)
