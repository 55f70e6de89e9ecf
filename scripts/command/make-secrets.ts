/** The secrets that production requires. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'

/** Algorithm of native tokens. */
const ALGORITHM = 'ES256'

export async function makeSecrets(): Promise<Record<string, string>> {
  const random = crypto.getRandomValues(new Uint8Array(32))
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const key = await exportJWK(privateKey)
  return {
    IDP_WEBHOOK_SECRET: `whsec_${Buffer.from(random).toString('base64')}`,
    NATIVE_TOKEN_KEY: JSON.stringify({ ...key, kid: await calculateJwkThumbprint(key), alg: ALGORITHM }),
  }
}

/** As lines of an environment file. */
export const linesOf = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`)
