/** `bun run health`: whether the API on this machine is ready, for the health check of a container. */
import { createEnvironmentReader } from '../src/platform/config/environment.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'

const TIMEOUT_MS = 5_000
/** Addresses to listen on, with an address at which the listener can be reached. */
const REACHED_AT: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const command = declareCommand({
  name: 'health',
  summary: 'Checks that the API on this machine is ready.',
  examples: [
    ['', 'asks /readyz at HOST and PORT; exits with 1 unless the API is ready'],
    ['--live', 'asks /healthz: only whether the process responds'],
  ],
  database: false,
}).option('--live', 'ask only whether the process responds')

await runCommand(command, async ({ options }) => {
  const reader = createEnvironmentReader(process.env)
  const address = reader.text('HOST') ?? '127.0.0.1'
  const port = reader.integer('PORT', 3000, 1, 65_535)
  if (reader.problems.length > 0) fail(reader.problems.join('\n'))
  const host = REACHED_AT[address] ?? address
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const url = `${origin}/${options.live ? 'healthz' : 'readyz'}`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() =>
    fail(`Nothing responds at ${url}.`),
  )
  const text = await response.text()
  return { json: { status: response.status, body: text }, text, found: !response.ok }
})
