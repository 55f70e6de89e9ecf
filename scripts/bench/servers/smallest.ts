/** The reference of `bun run bench start`: a server with the libraries of Matchday and one route. */
import { bearer } from '@elysiajs/bearer'
import { swagger } from '@elysiajs/swagger'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { Elysia } from 'elysia'
import { SignJWT } from 'jose'

// Used, so that the bundler keeps what is imported.
const loaded = [swagger, drizzle, SignJWT].length
new Elysia()
  .use(bearer())
  .get('/healthz', () => ({ status: 'ok', loaded }))
  .listen({ hostname: '127.0.0.1', port: Number(process.env.PORT) })
