/** An identity provider just large enough to measure with: a key made anew for each run, its JWKS, tokens in bulk. */
import { generateKeyPairSync, sign } from 'node:crypto'

/** Production calls public addresses only. This one is for documentation (RFC 5737); `reach-issuer.ts` replaces it. */
export const ISSUER = 'https://192.0.2.1'
export const AUDIENCE = 'bench'
export const PROVIDER = 'bench'
export const algorithms = ['ES256', 'RS256'] as const
export type Algorithm = (typeof algorithms)[number]

export interface Issuer {
  /** Where it really listens. */
  origin: string
  jwks: { keys: unknown[] }
  /** SPKI, PEM. */
  publicKey: string
  algorithm: Algorithm
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
  // All of one run: nothing expires while it is measured.
  const iat = Math.floor(Date.now() / 1000) - 60
  const exp = iat + 86_400

  function token(sub: string): string {
    const claims = { iss: ISSUER, aud: AUDIENCE, sub, iat, exp, jti: crypto.randomUUID(), scope: 'openid' }
    const signed = `${header}.${encode({ ...claims, email: `${sub}@example.com`, updated_at: iat })}`
    // RFC 7518 §3.4: the two numbers side by side, not in DER.
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  }

  return {
    origin: `http://127.0.0.1:${server.port}`,
    jwks,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    algorithm,
    tokens: subjects => subjects.map(token),
    stop: () => server.stop(true),
  }
}
