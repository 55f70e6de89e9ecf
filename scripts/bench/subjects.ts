/** The servers that are compared, each a process of its own on a database of its own. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import type { Databases, Engine } from './databases.ts'
import { AUDIENCE, ISSUER, type Issuer, PROVIDER } from './issuer.ts'
import { installExpress } from './peer.ts'
import { type Running, root, startServer } from './process.ts'

export type SubjectName = 'matchday' | 'bare' | 'group commit' | 'express'

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

export interface Subjects {
  matchday: Subject
  groupCommit: Subject
  express: Subject
  /** On this engine, in so many processes, on any core. */
  matchdayInWorkers(on: Engine, workers: number): Subject
  /** With rate limits, of which none is reached. */
  matchdayCounting: Subject
  /** Answers what Matchday answered to this request. */
  bare(answer: Answer): Subject
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

  const matchday = (url: string, { limits = unlimited, ...on }: MatchdayOptions = { core, workers: 1 }) =>
    startServer([process.execPath, '--preload', `${import.meta.dir}/reach-issuer.ts`, 'src/main.ts'], {
      ...on,
      path: '/readyz',
      env: {
        NODE_ENV: 'production',
        DATABASE_URL: url,
        WORKERS: String(on.workers),
        LOG_LEVEL: logLevel,
        ...limits,
        IDP_ISSUER: ISSUER,
        IDP_AUDIENCE: AUDIENCE,
        IDP_NAME: PROVIDER,
        IDP_JWKS_URL: `${ISSUER}/jwks`,
        // Onboarding is measured without the provider's own speed.
        IDP_USER_DATA: 'token',
        IDP_WEBHOOK_SECRET: `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`,
        NATIVE_TOKEN_KEY: key,
        BENCH_ISSUER_AT: issuer.origin,
      },
    })

  const groupCommit = (url: string) =>
    startServer([process.execPath, `${import.meta.dir}/servers/group-commit.ts`], {
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
        DATABASE_PATH: url.slice('sqlite:'.length),
        PUBLIC_KEY_FILE: keyFile,
        ALGORITHM: issuer.algorithm,
        ISSUER,
        AUDIENCE,
        PROVIDER,
      },
    })

  return {
    matchday: { name: 'matchday', start: fans => onCopy(engine, fans, url => matchday(url)) },
    matchdayCounting: {
      name: 'matchday',
      start: fans => onCopy(engine, fans, url => matchday(url, { core, workers: 1, limits: neverReached })),
    },
    matchdayInWorkers: (on, workers) => ({
      name: 'matchday',
      workers,
      start: fans => onCopy(on, fans, url => matchday(url, { core: null, workers })),
    }),
    groupCommit: { name: 'group commit', start: fans => onCopy('sqlite', fans, groupCommit) },
    express: {
      name: 'express',
      async start(fans) {
        const problem = await installExpress()
        if (problem) throw new PeerMissing(problem)
        return onCopy('sqlite', fans, express)
      },
    },
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

/** A peer that cannot be had on this machine: the bench says so and goes on without it. */
export class PeerMissing extends Error {}
