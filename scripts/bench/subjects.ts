/** The compared servers, each a separate process with its own database. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { openDatabase } from '../../db/index.ts'
import { realSources } from '../../src/core/sources.ts'
import { addEndpoint } from '../../src/webhooks/endpoints.ts'
import { createWebhookSecrets } from '../../src/webhooks/secrets.ts'
import { claimable } from './catalogue.ts'
import { growDatabase, subjectOf } from './data.ts'
import type { Databases, Engine } from './databases.ts'
import { installExpress } from './install-express.ts'
import { AUDIENCE, ISSUER, type Issuer, PROVIDER } from './issuer.ts'
import { type Running, root, startServer } from './process.ts'

type SubjectName = 'matchday' | 'bare' | 'one list' | 'group commit' | 'transactions' | 'express'

/** The load exceeds every rate limit of one address and one caller. */
const quotas = (of: string) =>
  Object.fromEntries(
    ['ADDRESS', 'TOKENS_PER_ADDRESS', 'CALLER', 'TOKENS', 'CLAIMS', 'PURCHASES', 'SOURCE'].map(policy => [
      `RATE_LIMIT_${policy}`,
      of,
    ]),
  )
/** The compared servers have no rate limits. */
const unlimited = quotas('0')
/** The maximum of the configuration: every request is counted and none is rejected. */
const neverReached = quotas('1000000000')

/** A server that can be measured. */
export interface Subject {
  name: SubjectName
  /** Starts it on a new database with `fans` fans. */
  start(fans: number): Promise<Running>
}

export interface SubjectOptions {
  engine: Engine
  core: number | null
  logLevel: string
  folder: string
  databases: Databases
  issuer: Issuer
}

/** Matchday and the servers it is compared with on one engine. */
interface EngineSubjects {
  matchday: Subject
  /** Matchday whose statements were prepared on empty tables, filled afterwards without ANALYZE. */
  grown: Subject
  /** `Bun.serve` that reads the rows of the list of rewards by one prepared statement. The bearer token is the fan's subject. */
  oneList: Subject
  /** `Bun.serve` with only the statements of a claim. The bearer token is the fan's subject. */
  rawClaims: Subject
  /** Matchday on a database that is changed before the server starts. */
  prepared(prepare: (url: string) => Promise<void>, options?: InstanceOptions): Subject
  /** `Bun.serve` with only the statements of an event that earns points. The bearer token is not verified. */
  rawEvents: Subject
  express: Subject
}

export interface Subjects {
  /** Matchday on the engine of the options. */
  matchday: Subject
  on(engine: Engine): EngineSubjects
  /** Matchday with `workers` processes, on any core. */
  matchdayInWorkers(on: Engine, workers: number): Subject
  /** Matchday with rate limits that are never reached. */
  matchdayWithLimits: Subject
  /** Matchday on a database that exists, and stays when the server stops. */
  matchdayOn(url: string): Promise<Running>
  /** `Bun.serve` that always returns this response. */
  bare(response: CapturedResponse): Subject
  /** Matchday that sends every event to endpoints of webhooks at these URLs, outside production: they are on this machine. */
  matchdayWithEndpoints(on: Engine, urls: string[]): Subject
  /** The environment of Matchday for this database. */
  environment(url: string): Record<string, string>
}

interface InstanceOptions {
  /** Each has a port of its own, as behind a load balancer, and all share the server's core. Default 1. */
  instances?: number
  env?: Record<string, string>
}

interface MatchdayOptions {
  core: number | null
  workers: number
  env?: Record<string, string>
}

export interface CapturedResponse {
  status: number
  headers: Record<string, string>
  body: string
}

export async function createSubjects(options: SubjectOptions): Promise<Subjects> {
  const { engine, core, logLevel, folder, databases, issuer } = options
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'bench', alg: 'ES256' })
  const keyFile = join(folder, 'issuer.pem')
  await writeFile(keyFile, issuer.publicKey)

  /** Starts a server on a copy of the database, deleted when the server stops. */
  const onCopy = async (on: Engine, fans: number, start: (url: string) => Promise<Running>) => {
    const { url, remove } = await databases.copy(on, fans)
    const running = await start(url)
    return {
      ...running,
      async stop() {
        await running.stop()
        await remove()
      },
    }
  }

  const environment = (url: string) => ({
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

  const matchday = (url: string, { env, ...on }: MatchdayOptions = { core, workers: 1 }) =>
    startServer([process.execPath, '--preload', `${import.meta.dir}/reach-issuer.ts`, 'src/main.ts'], {
      ...on,
      path: '/readyz',
      env: {
        ...environment(url),
        ...env,
        WORKERS: String(on.workers),
        BENCH_ISSUER_AT: issuer.origin,
      },
    })

  const reference = (file: string) => (url: string) =>
    startServer([process.execPath, `${import.meta.dir}/servers/${file}`], {
      core,
      path: '/',
      env: { DATABASE_URL: url },
    })

  const express = (url: string) =>
    startServer(['node', 'server.js'], {
      core,
      cwd: join(root, 'scripts/bench/peers/express'),
      path: '/healthz',
      env: {
        NODE_ENV: 'production',
        DATABASE_URL: url,
        PUBLIC_KEY_FILE: keyFile,
        ALGORITHM: issuer.algorithm,
        ISSUER,
        AUDIENCE,
        PROVIDER,
      },
    })

  const on = (engine: Engine): EngineSubjects => {
    const subject = (name: SubjectName, start: (url: string) => Promise<Running>): Subject => ({
      name,
      start: fans => onCopy(engine, fans, start),
    })
    return {
      matchday: subject('matchday', matchday),
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
      oneList: subject('one list', reference('one-list.ts')),
      rawClaims:
        engine === 'sqlite'
          ? subject('group commit', reference('group-commit.ts'))
          : subject('transactions', reference('transactions.ts')),
      prepared: (prepare, { instances = 1, env = {} } = {}) =>
        subject('matchday', async url => {
          await prepare(url)
          return startInstances(instances, () => matchday(url, { core, workers: 1, env }))
        }),
      rawEvents:
        engine === 'sqlite'
          ? subject('group commit', reference('event-group-commit.ts'))
          : subject('transactions', reference('event-transactions.ts')),
      express: {
        name: 'express',
        async start(fans) {
          const problem = await installExpress()
          if (problem) throw new PeerMissing(problem)
          return onCopy(engine, fans, express)
        },
      },
    }
  }

  return {
    matchday: on(engine).matchday,
    on,
    environment,
    matchdayWithLimits: {
      name: 'matchday',
      start: fans => onCopy(engine, fans, url => matchday(url, { core, workers: 1, env: neverReached })),
    },
    matchdayWithEndpoints: (on, urls) => ({
      name: 'matchday',
      start: fans =>
        onCopy(on, fans, async url => {
          await addEndpoints(url, JSON.parse(key), urls)
          return matchday(url, { core, workers: 1, env: { NODE_ENV: 'test' } })
        }),
    }),
    matchdayInWorkers: (on, workers) => ({
      name: 'matchday',
      start: fans => onCopy(on, fans, url => matchday(url, { core: null, workers })),
    }),
    matchdayOn: url => matchday(url),
    bare: response => ({
      name: 'bare',
      async start() {
        const file = join(folder, `response-${crypto.randomUUID()}.json`)
        await writeFile(file, JSON.stringify(response))
        return startServer([process.execPath, `${import.meta.dir}/servers/bare.ts`], {
          core,
          path: '/',
          env: { BENCH_RESPONSE: file },
        })
      },
    }),
  }
}

async function startInstances(count: number, start: () => Promise<Running>): Promise<Running> {
  const first = await start()
  const others: Running[] = []
  const stop = async () => void (await Promise.all([first, ...others].map(instance => instance.stop())))
  try {
    while (others.length < count - 1) others.push(await start())
  } catch (error) {
    await stop()
    throw error
  }
  return { ...first, others, stop }
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
  const reads = ['/api/rewards', '/api/user/profile', '/api/user/points', '/api/dashboard']
  const claims = claimable.map(rewardId => JSON.stringify({ rewardId }))
  for (let round = 0; round < 2; round++) {
    for (const path of reads)
      await Promise.all(
        Array.from({ length: CONCURRENCY * 2 }, async () => (await fetch(origin + path, { headers })).text()),
      )
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async (_, at) => {
        const body = claims[at % claims.length] ?? ''
        return (await fetch(`${origin}/api/rewards/claim`, { method: 'POST', headers, body })).text()
      }),
    )
  }
}

/** A peer cannot run on this machine; the bench notes it and continues without it. */
export class PeerMissing extends Error {}
