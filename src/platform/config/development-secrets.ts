/** Secrets for development: generated once, stored in `data/`, and marked so that production refuses them. */

import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { deriveKey } from '../../core/derived-key.ts'
import { errorCode } from '../../core/error-code.ts'
import type { Environment } from './config.ts'
import { DEVELOPMENT_SUBJECT } from './push.ts'
import { DEVELOPMENT_KID_PREFIX, DEVELOPMENT_SECRET_PREFIX } from './secrets.ts'

const DEVELOPMENT_SECRETS_FILE = 'data/development-secrets.json'

const NAMES = ['NATIVE_TOKEN_KEY', 'IDP_WEBHOOK_SECRET', 'PUSH_CREDENTIALS'] as const

type Secrets = Record<(typeof NAMES)[number], string>

/** Adds missing secrets to the environment. In production the environment is returned unchanged. */
export async function withDevelopmentSecrets(
  env: Environment,
  file = DEVELOPMENT_SECRETS_FILE,
): Promise<Environment> {
  // An empty variable counts as missing, as is common in `.env` files.
  const missing = NAMES.filter(name => !env[name]?.trim() && !env[`${name}_FILE`]?.trim())
  if (env.NODE_ENV === 'production' || missing.length === 0) return env
  const secrets = await readOrGenerate(file)
  return { ...env, ...Object.fromEntries(missing.map(name => [name, secrets[name]])) }
}

async function readOrGenerate(file: string): Promise<Secrets> {
  const existing = await readSecrets(file)
  if (existing) return existing
  await mkdir(dirname(file), { recursive: true })
  // The complete file is linked: of processes that start together one creates it, and none reads a partial file.
  const draft = `${file}.${crypto.randomUUID()}`
  await writeFile(draft, JSON.stringify(await makeDevelopmentSecrets(), null, 2), { mode: 0o600 })
  try {
    await link(draft, file)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
  const secrets = await readSecrets(file)
  if (!secrets) throw new Error(`${file} cannot be read: delete it and start again`)
  return secrets
}

async function readSecrets(file: string): Promise<Secrets | undefined> {
  try {
    const secrets = JSON.parse(await readFile(file, 'utf8'))
    // A file of an earlier version has none: one that each process makes alike.
    return { PUSH_CREDENTIALS: pushCredentialsOf(secrets.IDP_WEBHOOK_SECRET), ...secrets }
  } catch {
    return undefined
  }
}

/** For browsers. Nearly every number of 32 bytes is a private key of P-256. */
const pushCredentialsOf = (secret: string) =>
  JSON.stringify({
    vapid: { key: deriveKey(secret, 'VAPID').toString('base64url'), subject: DEVELOPMENT_SUBJECT },
  })

export async function makeDevelopmentSecrets(): Promise<Secrets> {
  const { exportJWK, generateKeyPair } = await import('jose')
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const random = crypto.getRandomValues(new Uint8Array(24))
  const kid = `${DEVELOPMENT_KID_PREFIX}${Buffer.from(random.subarray(0, 6)).toString('hex')}`
  const secret = Buffer.concat([Buffer.from(DEVELOPMENT_SECRET_PREFIX), random])
  const webhookSecret = `whsec_${secret.toString('base64')}`
  return {
    NATIVE_TOKEN_KEY: JSON.stringify({ ...(await exportJWK(privateKey)), kid, alg: 'ES256' }),
    IDP_WEBHOOK_SECRET: webhookSecret,
    PUSH_CREDENTIALS: pushCredentialsOf(webhookSecret),
  }
}
