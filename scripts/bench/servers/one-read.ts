/**
 * The reference for reads: one prepared statement a request through the driver that Matchday uses, behind `Bun.serve`.
 * The bearer token is the fan's subject: nothing is verified here.
 */
import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { PROVIDER } from '../issuer.ts'

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

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  development: false,
  reusePort: false,
  async fetch(request) {
    const subject = request.headers.get('authorization')?.slice('Bearer '.length)
    return subject === undefined ? new Response('ready') : Response.json(await read(subject))
  },
})
