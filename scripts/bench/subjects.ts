/** The servers that are compared, each a process of its own on a database of its own. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import { claimable } from './catalogue.ts'
import { growDatabase, subjectOf } from './data.ts'
import type { Databases, Engine } from './databases.ts'
import { AUDIENCE, ISSUER, type Issuer, PROVIDER } from './issuer.ts'
import { installExpress } from './peer.ts'
import { type Running, root, startServer } from './process.ts'

type SubjectName = 'matchday' | 'bare' | 'one read' | 'group commit' | 'transactions' | 'express'

/** One address and a few callers ask more than anybody would be let. */
const quotas = (of: string) =>
  Object.fromEntries(
    ['ADDRESS', 'TOKENS_PER_ADDRESS', 'CALLER', 'TOKENS', 'CLAIMS', 'PURCHASES'].map(policy => [
      `RATE_LIMIT_${policy}`,
      of,
    ]),
  )
/** What it is compared with limits nobody. */
const unlimited = quotas('0')
/** The largest that the configuration takes: every request is counted, and none refused. */
const neverReached = quotas('1000000000')

/** What a server is started from. */
export interface Subject {
  name: SubjectName
  /** Processes that answer on its port; one by default. */
  workers?: number
  /** With `fans` on fresh data. */
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

/** Matchday and what it is compared with on one engine. */
interface EngineSubjects {
  matchday: Subject
  /** Its statements are prepared while the tables are empty. The fans come later, and no ANALYZE follows. */
  grown: Subject
  /** `Bun.serve` with one prepared read a request. The bearer token is the fan's subject. */
  oneRead: Subject
  /** `Bun.serve` with the statements of a claim and no more. The bearer token is the fan's subject. */
  rawClaims: Subject
  express: Subject
}

export interface Subjects {
  /** On the engine of the options. */
  matchday: Subject
  on(engine: Engine): EngineSubjects
  /** On this engine, in so many processes, on any core. */
  matchdayInWorkers(on: Engine, workers: number): Subject
  /** With rate limits, of which none is reached. */
  matchdayCounting: Subject
  /** Answers what Matchday answered to this request. */
  bare(answer: Answer): Subject
  /** The configuration of Matchday on this database. */
  environment(url: string): Record<string, string>
}

interface MatchdayOptions {
  core: number | null
  workers: number
  limits?: Record<string, string>
}

export interface Answer {
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

  /** A server on a copy that goes when it stops. */
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
    // Onboarding is measured without the provider's own speed.
    IDP_USER_DATA: 'token',
    IDP_WEBHOOK_SECRET: `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`,
    NATIVE_TOKEN_KEY: key,
  })

  const matchday = (url: string, { limits, ...on }: MatchdayOptions = { core, workers: 1 }) =>
    startServer([process.execPath, '--preload', `${import.meta.dir}/reach-issuer.ts`, 'src/main.ts'], {
      ...on,
      path: '/readyz',
      env: {
        ...environment(url),
        ...limits,
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
            // One fan more than those who are measured, so that each of these still has all claims to make.
            await growDatabase(url, fans, fans + 1)
            await prepareStatements(running.origin, issuer.tokens([subjectOf(fans)])[0] ?? '')
            await growDatabase(url, 0, fans)
            return running
          }),
      },
      oneRead: subject('one read', reference('one-read.ts')),
      rawClaims:
        engine === 'sqlite'
          ? subject('group commit', reference('group-commit.ts'))
          : subject('transactions', reference('transactions.ts')),
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
    matchdayCounting: {
      name: 'matchday',
      start: fans => onCopy(engine, fans, url => matchday(url, { core, workers: 1, limits: neverReached })),
    },
    matchdayInWorkers: (on, workers) => ({
      name: 'matchday',
      workers,
      start: fans => onCopy(on, fans, url => matchday(url, { core: null, workers })),
    }),
    bare: answer => ({
      name: 'bare',
      async start() {
        const file = join(folder, `answer-${crypto.randomUUID()}.json`)
        await writeFile(file, JSON.stringify(answer))
        return startServer([process.execPath, `${import.meta.dir}/servers/bare.ts`], {
          core,
          path: '/',
          env: { BENCH_ANSWER: file },
        })
      },
    }),
  }
}

/** Requests at once: several for each connection of a pool. */
const AT_ONCE = 40

/** Runs the statements of the crowd's requests so often on each connection that PostgreSQL may keep a generic plan. */
async function prepareStatements(origin: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const reads = ['/api/rewards', '/api/user/profile', '/api/user/points', '/api/dashboard']
  const claims = claimable.map(rewardId => JSON.stringify({ rewardId }))
  for (let round = 0; round < 2; round++) {
    for (const path of reads)
      await Promise.all(
        Array.from({ length: AT_ONCE * 2 }, async () => (await fetch(origin + path, { headers })).text()),
      )
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, at) => {
        const body = claims[at % claims.length] ?? ''
        return (await fetch(`${origin}/api/rewards/claim`, { method: 'POST', headers, body })).text()
      }),
    )
  }
}

/** A peer that cannot be had on this machine: the bench says so and goes on without it. */
export class PeerMissing extends Error {}
