/** `bun run generate-secrets`: the secrets that production requires, as lines of an environment file. */
import { declareCommand, runCommand } from './command/command.ts'
import { linesOf, makeSecrets } from './command/make-secrets.ts'

const command = declareCommand({
  name: 'generate-secrets',
  summary: 'Prints new secrets for production: IDP_WEBHOOK_SECRET and NATIVE_TOKEN_KEY.',
  examples: [['>> matchday.env', 'as lines of an environment file']],
  database: false,
})

await runCommand(command, async () => {
  const secrets = await makeSecrets()
  return { json: secrets, text: linesOf(secrets).join('\n') }
})
