import { createMockIdp } from './app.ts'
import { createKeyFile } from './oidc/key-file.ts'
import { serve } from './serve.ts'
import { isWebhookSecret } from './users/webhooks.ts'

/** Writes the error to stderr and exits with code 1. */
function refuse(problem: string): never {
  process.stderr.write(`mock-idp: ${problem}\n`)
  process.exit(1)
}

function readInteger(name: string, byDefault: number, max: number): number {
  const value = process.env[name] || String(byDefault)
  if (!/^\d{1,9}$/.test(value) || Number(value) > max)
    refuse(`${name} must be a whole number from 0 to ${max}.`)
  return Number(value)
}

const { NODE_ENV, IDP_AUDIENCE, IDP_ISSUER, IDP_WEBHOOK_SECRET, MOCK_IDP_WEBHOOK_URL } = process.env
if (NODE_ENV === 'production') {
  refuse(
    'the mock identity provider signs in anyone as any user, so it does not start with NODE_ENV=production.',
  )
}
const port = readInteger('MOCK_IDP_PORT', 4000, 65_535)
const issuer = IDP_ISSUER || `http://localhost:${port}`
if (port === 0 && !IDP_ISSUER) refuse('MOCK_IDP_PORT=0 picks any port, so IDP_ISSUER must be set.')
if (!URL.canParse(issuer) || new URL(issuer).origin !== issuer) {
  refuse('IDP_ISSUER must be an origin such as http://localhost:4000: no path, no trailing slash.')
}
if (IDP_WEBHOOK_SECRET && !isWebhookSecret(IDP_WEBHOOK_SECRET)) {
  refuse('IDP_WEBHOOK_SECRET must be whsec_ and base64 of 24 to 64 bytes.')
}
if (MOCK_IDP_WEBHOOK_URL && !/^https?:$/.test(URL.parse(MOCK_IDP_WEBHOOK_URL)?.protocol ?? '')) {
  refuse('MOCK_IDP_WEBHOOK_URL must be an http or https URL.')
}

/** An unreadable file stops the start: new keys would silently end every session. */
function readKeyStore() {
  const { MOCK_IDP_KEYS } = process.env
  if (!MOCK_IDP_KEYS) return undefined
  const store = createKeyFile(MOCK_IDP_KEYS)
  try {
    store.load()
  } catch (error) {
    refuse((error as Error).message)
  }
  return store
}

const host = process.env.MOCK_IDP_HOST || undefined
const idp = createMockIdp({
  issuer,
  // With several audiences, its tokens are for the first.
  audience: IDP_AUDIENCE?.split(',')[0]?.trim() || undefined,
  seed: readInteger('MOCK_IDP_SEED', 1, 999_999_999),
  keyStore: readKeyStore(),
  fans: readInteger('MOCK_IDP_FANS', 300, 100_000),
  webhooks: {
    ...(IDP_WEBHOOK_SECRET ? { secret: IDP_WEBHOOK_SECRET } : {}),
    ...(MOCK_IDP_WEBHOOK_URL ? { url: MOCK_IDP_WEBHOOK_URL } : {}),
  },
  log: line => process.stdout.write(`${line}\n`),
})

const listening = await serve(idp, port, host).catch((error: { code?: string; message?: string }) => {
  if (error.code === 'EADDRINUSE') refuse(`port ${port} is taken. Set MOCK_IDP_PORT to a free one.`)
  return refuse(`cannot listen on port ${port} (MOCK_IDP_PORT): ${error.message}`)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    idp.close()
    await listening.stop()
    process.exit(0)
  })
}
process.stdout.write(`mock-idp: ${issuer} on port ${listening.port}\n`)
