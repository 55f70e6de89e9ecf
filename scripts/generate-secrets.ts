/** `bun run generate-secrets`: the secrets that production requires, as lines of an environment file. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { declareCommand, runCommand } from './command/command.ts'

/** Algorithm of native tokens. */
const ALGORITHM = 'ES256'

const command = declareCommand({
  name: 'generate-secrets',
  summary: 'Prints new secrets for production: IDP_WEBHOOK_SECRET and NATIVE_TOKEN_KEY.',
  examples: [['>> matchday.env', 'as lines of an environment file']],
  database: false,
})

await runCommand(command, async () => {
  const random = crypto.getRandomValues(new Uint8Array(32))
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const key = await exportJWK(privateKey)
  const secrets = {
    IDP_WEBHOOK_SECRET: `whsec_${Buffer.from(random).toString('base64')}`,
    NATIVE_TOKEN_KEY: JSON.stringify({ ...key, kid: await calculateJwkThumbprint(key), alg: ALGORITHM }),
  }
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}`)
  return { json: secrets, text: lines.join('\n') }
})
