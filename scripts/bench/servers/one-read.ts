/**
 * The reference for reads: one prepared statement per request through Matchday's driver, behind `Bun.serve`.
 */
import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { PROVIDER } from '../issuer.ts'
import { bearerToken, serve } from './serve.ts'

const url = process.env.DATABASE_URL ?? ''
const from = 'SELECT * FROM users WHERE provider ='

function openReader(): (subject: string) => unknown {
  if (url.startsWith('sqlite:')) {
    const db = new Database(url.slice('sqlite:'.length), { strict: true })
    const find = db.query(`${from} ? AND subject = ?`)
    return subject => find.get(PROVIDER, subject)
  }
  const pool = new SQL(url, { max: 10 })
  return async subject => (await pool.unsafe(`${from} $1 AND subject = $2`, [PROVIDER, subject]))[0]
}

const read = openReader()

serve(async request => {
  const subject = bearerToken(request)
  return subject === undefined ? new Response('ready') : Response.json(await read(subject))
})
