/** A provider with the documented tokens, on its own network, and the application configured for it. */
import {
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'
import { pino } from 'pino'
import type { Database } from '../../../db/index.ts'
import { createApp } from '../../../src/app/app.ts'
import { createDeps } from '../../../src/app/deps.ts'
import { parseConfig } from '../../../src/platform/config/config.ts'
import { type Client, createClient } from '../../support/client.ts'
import type { TestClock } from '../../support/clock.ts'
import { conformanceOf } from '../../support/conformance.ts'
import { ownSecrets } from './own-secrets.ts'
import type { ProviderShape } from './provider-shapes.ts'

export interface ProviderDouble {
  as(token: string): Client
  /** Signs with the provider's key for the algorithm of the header. */
  sign(header: object, claims: JWTPayload): Promise<string>
  /** Signs with another key under the provider's key id. */
  forge(header: object, claims: JWTPayload): Promise<string>
}

const ALGORITHMS = ['RS256', 'PS256', 'ES256'] as const

type KeyPairs = Map<string, GenerateKeyPairResult>

const generatePairs = async (): Promise<KeyPairs> =>
  new Map(await Promise.all(ALGORITHMS.map(async alg => [alg, await generateKeyPair(alg)] as const)))

// Shared by all doubles: generating an RSA key costs more CPU time than the rest of a test.
const ownPairs = generatePairs()
const otherPairs = generatePairs()

export async function createProviderDouble(
  shape: ProviderShape,
  db: Database,
  clock: TestClock,
): Promise<ProviderDouble> {
  const pairs = await ownPairs
  const keys = await Promise.all(
    [...pairs].map(async ([alg, { publicKey }]) => ({
      ...(await exportJWK(publicKey)),
      ...{ kid: `kid-${alg}`, alg, use: 'sig' },
    })),
  )
  const documents: Record<string, unknown> = { [shape.jwksUrl]: { keys }, ...shape.documents }

  const config = parseConfig({
    NODE_ENV: 'production',
    PUSH_CREDENTIALS: '',
    DATABASE_URL: 'postgres://db.example/matchday',
    DOCS: 'on',
    ...(await ownSecrets()),
    ...shape.env,
  })
  const deps = await createDeps({
    config,
    db,
    log: pino({ level: 'silent' }),
    sources: { ...clock, now: () => clock.now() },
    fetch: async ({ url }) =>
      url in documents ? Response.json(documents[url]) : new Response('', { status: 404 }),
  })
  const app = createApp(deps)
  const judge = await conformanceOf(deps, app)

  async function signWith(signing: KeyPairs, header: object, claims: JWTPayload) {
    const { alg } = header as { alg: string }
    const key = signing.get(alg)?.privateKey
    if (!key) throw new Error(`no key of ${alg}`)
    const full = { kid: `kid-${alg}`, ...header } as JWTHeaderParameters
    return new SignJWT(claims).setProtectedHeader(full).sign(key)
  }
  return {
    as: token => createClient(request => app.handle(request), judge, token),
    sign: (header, claims) => signWith(pairs, header, claims),
    forge: async (header, claims) => signWith(await otherPairs, header, claims),
  }
}
