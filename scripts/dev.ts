/** `bun run dev [--fresh] [--yes]`: migrates, seeds an empty database, and starts the mock provider and the API with reload. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Subprocess } from 'bun'
import pretty from 'pino-pretty'
import { commandLine, processOf } from '../src/core/command-line.ts'
import { type Environment, parseConfig } from '../src/platform/config/config.ts'
import { withDevelopmentSecrets } from '../src/platform/config/development-secrets.ts'
import { explainError, fail } from './command/explain.ts'
import { refuseProduction } from './command/production-guard.ts'
import { banner } from './dev/banner.ts'
import { buildDemo } from './dev/build-demo.ts'
import { requireFreePort } from './dev/ports.ts'
import { prepareDatabase, readMock } from './dev/prepare-database.ts'

/** A child that ignores SIGTERM is killed after this time. */
const STOP_TIMEOUT_MS = 12_000

/** The bundled example app; the executable contains it. */
const DEMO_FOLDER = Bun.isStandaloneExecutable ? join(import.meta.dir, '../data/demo') : 'data/demo'

/** Signing keys of the mock provider, stored so that tokens outlive a restart. */
const MOCK_IDP_KEYS = 'data/mock-idp-keys.json'

/** With `--fresh`, settings of a folder of its own, which is removed at the end; none without. */
function freshSettings(): Environment {
  if (!process.argv.includes('--fresh')) return {}
  const folder = mkdtempSync(join(tmpdir(), 'matchday-fresh-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return {
    DATABASE_URL: `sqlite:${join(folder, 'matchday.db')}`,
    MOCK_IDP_KEYS: join(folder, 'mock-idp-keys.json'),
  }
}

/** Starts a child and passes its lines to `write`. `ready` resolves to whether a line contained `text`. */
function startChild(
  [command, file]: [command: string, file: string],
  env: Environment,
  text: string,
  write: (line: string) => void,
) {
  const child = Bun.spawn(processOf(command, file, ['--watch', '--no-clear-screen']), {
    env: env as Record<string, string>,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const ready = new Promise<boolean>(resolve => {
    const lines = createInterface({ input: Readable.fromWeb(child.stdout as ReadableStream) })
    lines.on('line', line => {
      if (line.includes(text)) resolve(true)
      write(line)
    })
    lines.on('close', () => resolve(false))
  })
  return { child, ready }
}

/** Formats requests as one short line, and other entries as pino-pretty does. */
const prettyLines = pretty({
  singleLine: true,
  translateTime: 'HH:MM:ss',
  ignore: 'requestId,method,path,status,ms',
  messageFormat: ({ msg, method, path, status, ms }) =>
    msg === 'request' ? `${status} ${method} ${path} ${ms} ms` : String(msg),
})

async function stopAll(children: Subprocess[]) {
  for (const child of children) child.kill('SIGTERM')
  const timeout = setTimeout(() => {
    for (const child of children) child.kill('SIGKILL')
  }, STOP_TIMEOUT_MS)
  await Promise.all(children.map(child => child.exited))
  clearTimeout(timeout)
}

const OPTIONS = ['--fresh', '--yes']

async function run() {
  const unknown = process.argv.slice(2).find(argument => !OPTIONS.includes(argument))
  // The executable has checked them, and keeps the name of the command among them.
  if (unknown !== undefined && !Bun.isStandaloneExecutable)
    fail(`\`${commandLine('dev')}\` has no option ${unknown}: it takes ${OPTIONS.join(' and ')}.`)
  const env = await withDevelopmentSecrets({
    ...process.env,
    ...freshSettings(),
    NODE_ENV: process.env.NODE_ENV || 'development',
  })
  if (env.NODE_ENV === 'production')
    fail(`\`${commandLine('dev')}\` is for development, and NODE_ENV is production.`)
  const mock = readMock(env)
  const mockPort = mock.port
  if (!env.IDP_ISSUER?.trim()) env.IDP_ISSUER = `http://localhost:${mockPort}`
  const config = parseConfig(env)
  if (mockPort === 0 || config.port === 0)
    fail('PORT and MOCK_IDP_PORT cannot be 0: API and provider need the address of each other.')
  await refuseProduction('dev', { ...config, env }, process.argv.includes('--yes'))
  await requireFreePort('MOCK_IDP_PORT', '127.0.0.1', mockPort)
  await requireFreePort('PORT', config.host, config.port)
  await prepareDatabase(config, mock)
  if (!Bun.isStandaloneExecutable) await buildDemo(DEMO_FOLDER)

  const provider = startChild(
    ['mock-idp', 'mock-idp/main.ts'],
    {
      ...env,
      IDP_WEBHOOK_SECRET: config.identity.webhookSecret,
      MOCK_IDP_PORT: String(mockPort),
      MOCK_IDP_KEYS: env.MOCK_IDP_KEYS || MOCK_IDP_KEYS,
      MOCK_IDP_WEBHOOK_URL:
        env.MOCK_IDP_WEBHOOK_URL ?? `http://127.0.0.1:${config.port}/api/webhooks/identity`,
    },
    'mock-idp: ',
    line => process.stdout.write(`${line}\n`),
  )
  const children = [provider.child]

  let stopping = false
  const stop = async (code: number) => {
    if (stopping) return
    stopping = true
    await stopAll(children)
    process.exit(code)
  }
  process.on('SIGINT', () => void stop(0))
  process.on('SIGTERM', () => void stop(0))
  // The terminal was closed.
  process.stdout.on('error', () => void stop(0))

  // The provider starts first: without keys at its start, the API retries only after a delay.
  const providerReady = await provider.ready
  if (stopping) return
  if (!providerReady) return stop(1)
  const api = startChild(['serve', 'src/main.ts'], { ...env, DEMO_FOLDER }, '"listening"', line =>
    prettyLines.write(`${line}\n`),
  )
  children.push(api.child)
  const apiReady = await api.ready
  if (stopping) return
  if (!apiReady) return stop(1)
  process.stdout.write(banner(config, { fresh: process.argv.includes('--fresh') }))
  await Promise.race(children.map(child => child.exited))
  await stop(1)
}

try {
  await run()
} catch (error) {
  process.stderr.write(`${explainError(error)}\n`)
  process.exit(1)
}
