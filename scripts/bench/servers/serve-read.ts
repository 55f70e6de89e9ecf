import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { PROVIDER } from '../issuer.ts'
import { bearerToken, serve } from './serve.ts'

/**
 * Serves the rows of one prepared statement about a fan, through Matchday's driver and as the driver returns them.
 * `statement` gets the parameters of the fan's provider and subject.
 */
export function serveRead(statement: (provider: string, subject: string) => string): void {
  const read = openReader(process.env.DATABASE_URL ?? '', statement)
  serve(async request => {
    const subject = bearerToken(request)
    return subject === undefined ? new Response('ready') : Response.json(await read(subject))
  })
}

function openReader(
  url: string,
  statement: (provider: string, subject: string) => string,
): (subject: string) => unknown {
  if (url.startsWith('sqlite:')) {
    const db = new Database(url.slice('sqlite:'.length), { strict: true })
    // Expressions, as in `db/sqlite/statements.ts`: SQLite would compile a join again for each fan.
    const prepared = db.query(statement('+?', '+?'))
    return subject => prepared.all(PROVIDER, subject)
  }
  const pool = new SQL(url, { max: 10 })
  const text = statement('$1', '$2')
  return subject => pool.unsafe(text, [PROVIDER, subject])
}
