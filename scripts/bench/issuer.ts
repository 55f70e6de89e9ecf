/** A minimal identity provider for the bench: a new key for each run, its JWKS, and tokens in bulk. */
import { generateKeyPairSync, sign } from 'node:crypto'

/** Production mode calls public addresses only. This one is reserved (RFC 5737); `reach-issuer.ts` redirects it. */
export const ISSUER = 'https://192.0.2.1'
export const AUDIENCE = 'bench'
export const PROVIDER = 'bench'
export const algorithms = ['ES256', 'RS256'] as const
export type Algorithm = (typeof algorithms)[number]

export interface Issuer {
  /** The address on which it listens. */
  origin: string
  tokens(subjects: string[]): string[]
  stop(): Promise<void>
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function startIssuer(algorithm: Algorithm): Issuer {
  const { publicKey, privateKey } =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kid = `bench-${crypto.randomUUID()}`
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' }] }
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json(jwks) })
  const header = encode({ alg: algorithm, typ: 'at+jwt', kid })
  // Valid for the whole run.
  const iat = Math.floor(Date.now() / 1000) - 60
  const exp = iat + 86_400

  function token(sub: string): string {
    const claims = { iss: ISSUER, aud: AUDIENCE, sub, iat, exp, jti: crypto.randomUUID(), scope: 'openid' }
    const signed = `${header}.${encode({ ...claims, email: `${sub}@example.com`, updated_at: iat })}`
    // RFC 7518 §3.4: r and s concatenated, not DER.
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  }

  return {
    origin: `http://127.0.0.1:${server.port}`,
    tokens: subjects => subjects.map(token),
    stop: () => server.stop(true),
  }
}
