/** The compared servers, each a separate process with its own database. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { openDatabase } from '../../db/index.ts'
import { realSources } from '../../src/core/sources.ts'
import { addEndpoint } from '../../src/delivery/webhooks/endpoints.ts'
import { createWebhookSecrets } from '../../src/delivery/webhooks/secrets.ts'
import { claimable } from './catalogue.ts'
import type { Checkout } from './checkout.ts'
import { growDatabase, subjectOf } from './data.ts'
import type { Databases, Engine } from './databases.ts'
import { prepareEvents } from './event-rules.ts'
import { AUDIENCE, ISSUER, type Issuer, PROVIDER } from './issuer.ts'
import { type Running, root, startServer } from './process.ts'

type SubjectName = 'matchday' | 'bare' | 'one list' | 'group commit' | 'bulk' | 'transactions'

/** The load exceeds every rate limit of one address and one caller, and the compared servers have none. */
const unlimited = {
  RATE_LIMIT_ADDRESS: '0',
  RATE_LIMIT_CALLER: '0',
  RATE_LIMIT_SOURCE: '0',
  RATE_LIMITS: 'tokensPerAddress=0,tokens=0,claims=0,purchases=0',
  // Another checkout may be of a version that has a variable for each of these.
  RATE_LIMIT_TOKENS_PER_ADDRESS: '0',
  RATE_LIMIT_TOKENS: '0',
  RATE_LIMIT_CLAIMS: '0',
  RATE_LIMIT_PURCHASES: '0',
}

/** A server that can be measured. */
export interface Subject {
  name: SubjectName
  /** Starts it on a new database with `fans` fans. */
  start(fans: number): Promise<Running>
  /** With `--against`: the same of the other checkout, on a database that its own code has filled. */
  other?: Subject
}

export interface SubjectOptions {
  core: number | null
  logLevel: string
  folder: string
  databases: Databases
  issuer: Issuer
  /** With `--against`. */
  checkout: Checkout | undefined
}

/** Matchday and the servers it is compared with on one engine. */
interface EngineSubjects {
  matchday: Subject
  /** Matchday whose statements were prepared on empty tables, filled afterwards without ANALYZE. */
  grown: Subject
  /** Matchday on a database that is changed before the server starts. */
  prepared(prepare: (url: string) => Promise<void>, env?: Record<string, string>): Subject
  /**
   * Matchday that sends every event to endpoints of webhooks at these URLs, outside production: they are on this machine.
   * It takes events of `SERVER_KEY`, for which there are no rules.
   */
  withEndpoints(urls: string[]): Subject
  /** `Bun.serve` that reads the rows of the list of rewards by one prepared statement. The bearer token is the fan's subject. */
  oneList: Subject
  /** `Bun.serve` with only the statements of a claim. The bearer token is the fan's subject. */
  rawClaims: Subject
  /** `Bun.serve` with only the statements of an event that earns points. The bearer token is not verified. */
  rawEvents: Subject
  /** `Bun.serve` with only the statements of a vote, on a database that is changed before. The bearer token is the fan's subject. */
  rawVotes(prepare: (url: string) => Promise<void>): Subject
}

export interface Subjects {
  on(engine: Engine): EngineSubjects
  /** Matchday on an existing database, which is kept when the server stops. `cwd`: of another checkout. */
  matchdayOn(url: string, env?: Record<string, string>, cwd?: string): Promise<Running>
  /** `Bun.serve` with only the statements of a purchase with cash. The bearer token is the fan's subject. */
  rawCash(url: string): Promise<Running>
  /** The environment of Matchday in production on this database. */
  production(url: string): Record<string, string>
  /** `Bun.serve` that always returns this response. */
  bare(response: CapturedResponse): Subject
}

export interface CapturedResponse {
  status: number
  headers: Record<string, string>
  body: string
}

export async function createSubjects(options: SubjectOptions): Promise<Subjects> {
  const { core, logLevel, folder, databases, issuer, checkout } = options
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'bench', alg: 'ES256' })

  /** Starts a server on a copy of the database, deleted when the server stops. */
  const onCopy = async (
    on: Engine,
    fans: number,
    start: (url: string) => Promise<Running>,
    of?: Checkout,
  ) => {
    const { url, remove } = await databases.copy(on, fans, of)
    const running = await start(url)
    return {
      ...running,
      async stop() {
        await running.stop()
        await remove()
      },
    }
  }

  const production = (url: string) => ({
    NODE_ENV: 'production',
    DATABASE_URL: url,
    LOG_LEVEL: logLevel,
    ...unlimited,
    IDP_ISSUER: ISSUER,
    IDP_AUDIENCE: AUDIENCE,
    IDP_NAME: PROVIDER,
    IDP_JWKS_URL: `${ISSUER}/jwks`,
    // Onboarding must not depend on the speed of the provider.
    IDP_USER_DATA: 'token',
    IDP_WEBHOOK_SECRET: `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`,
    NATIVE_TOKEN_KEY: key,
  })

  const matchday = (url: string, env: Record<string, string> = {}, cwd = root) =>
    startServer([process.execPath, '--preload', './scripts/bench/reach-issuer.ts', 'src/main.ts'], {
      core,
      cwd,
      path: '/readyz',
      env: { ...production(url), BENCH_ISSUER_AT: issuer.origin, ...env },
    })

  const reference = (file: string, env: Record<string, string>) =>
    startServer([process.execPath, `${import.meta.dir}/servers/${file}`], { core, path: '/', env })

  const otherOn = (engine: Engine): Pick<Subject, 'other'> =>
    checkout
      ? {
          other: {
            name: 'matchday',
            start: fans => onCopy(engine, fans, url => matchday(url, {}, checkout.path), checkout),
          },
        }
      : {}

  return {
    on(engine) {
      const subject = (name: SubjectName, start: (url: string) => Promise<Running>): Subject => ({
        name,
        start: fans => onCopy(engine, fans, start),
      })
      const raw = (name: SubjectName, file: string) =>
        subject(name, url => reference(file, { DATABASE_URL: url }))
      return {
        matchday: { ...subject('matchday', url => matchday(url)), ...otherOn(engine) },
        grown: {
          name: 'matchday',
          start: fans =>
            onCopy(engine, 0, async url => {
              const running = await matchday(url)
              // One extra fan prepares the statements, so that the measured fans keep all their claims.
              await growDatabase(url, fans, fans + 1)
              await prepareStatements(running.origin, issuer.tokens([subjectOf(fans)])[0] ?? '')
              await growDatabase(url, 0, fans)
              return running
            }),
        },
        prepared: (prepare, env) =>
          subject('matchday', async url => {
            await prepare(url)
            return matchday(url, env)
          }),
        withEndpoints: urls =>
          subject('matchday', async url => {
            await addEndpoints(url, JSON.parse(key), urls)
            await prepareEvents(url, { types: 0 })
            return matchday(url, { NODE_ENV: 'test' })
          }),
        oneList: raw('one list', 'one-list.ts'),
        rawClaims:
          engine === 'sqlite'
            ? raw('group commit', 'group-commit.ts')
            : raw('transactions', 'transactions.ts'),
        rawEvents:
          engine === 'sqlite' ? raw('bulk', 'event-bulk.ts') : raw('transactions', 'event-transactions.ts'),
        rawVotes: prepare =>
          subject(engine === 'sqlite' ? 'group commit' : 'transactions', async url => {
            await prepare(url)
            return reference('vote-rows.ts', { DATABASE_URL: url })
          }),
      }
    },
    matchdayOn: matchday,
    rawCash: url => reference('cash-rows.ts', { DATABASE_URL: url }),
    production,
    bare: response => ({
      name: 'bare',
      async start() {
        const file = join(folder, `response-${crypto.randomUUID()}.json`)
        await writeFile(file, JSON.stringify(response))
        return reference('bare.ts', { BENCH_RESPONSE: file })
      },
    }),
  }
}

async function addEndpoints(databaseUrl: string, key: JWK, urls: string[]): Promise<void> {
  const db = openDatabase(databaseUrl, realSources)
  const secrets = createWebhookSecrets({ key, previousKeys: [] })
  for (const url of urls) await db.write(tx => addEndpoint(tx, secrets, { url, types: ['*'] }))
  await db.close()
}

/** Concurrent requests: several for each connection of a pool. */
const CONCURRENCY = 40

/** Runs each statement often enough per connection for PostgreSQL to choose a generic plan. */
async function prepareStatements(origin: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const claims = claimable.map(rewardId => JSON.stringify({ rewardId }))
  const send = async (path: string, body?: string) =>
    (await fetch(origin + path, { method: body ? 'POST' : 'GET', headers, ...(body ? { body } : {}) })).text()
  for (let round = 0; round < 2; round++) {
    for (const path of ['/api/rewards', '/api/user/profile', '/api/dashboard'])
      await Promise.all(Array.from({ length: CONCURRENCY * 2 }, () => send(path)))
    const each = Array.from({ length: CONCURRENCY }, (_, index) => claims[index % claims.length])
    await Promise.all(each.map(body => send('/api/rewards/claim', body)))
  }
}
