import { exportJWK, generateKeyPair } from 'jose'

/** Secrets that production accepts. */
export async function ownSecrets() {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return {
    NATIVE_TOKEN_KEY: JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'key-1' }),
    IDP_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  }
}
