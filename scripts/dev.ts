/** `bun run dev [--fresh] [--live] [--yes]`: migrates, seeds an empty database, and starts the mock provider and the API with reload. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Subprocess } from 'bun'
import pretty from 'pino-pretty'
import { openDatabase } from '../db/index.ts'
import { createSpine } from '../src/app/spine.ts'
import { commandLine, processOf } from '../src/core/command-line.ts'
import { realSources } from '../src/core/sources.ts'
import { createWebhookSecrets } from '../src/delivery/webhooks/secrets.ts'
import { type Config, type Environment, parseConfig } from '../src/platform/config/config.ts'
import { withDevelopmentSecrets } from '../src/platform/config/development-secrets.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { fail } from './command/explain.ts'
import { refuseProduction } from './command/production-guard.ts'
import { banner } from './dev/banner.ts'
import { buildDemo } from './dev/build-demo.ts'
import { LIVE_MS, playMatchDay } from './dev/live.ts'
import { removeNote, writeNote } from './dev/note.ts'
import { findFreePort, requireDifferentPorts, requireFreePort } from './dev/ports.ts'
import { prepareDatabase, readMock } from './dev/prepare-database.ts'
import { identityOf, isAlive } from './dev/process-identity.ts'
import { WALLPAPER } from './seed/demo-products.ts'
import { drawWallpaper } from './seed/pictures/pictures.ts'

/** A child that ignores SIGTERM is killed after this time. */
const STOP_TIMEOUT_MS = 12_000

/** The bundled example app; the executable contains it. */
const DEMO_FOLDER = Bun.isStandaloneExecutable ? join(import.meta.dir, '../data/demo') : 'data/demo'

/** Signing keys of the mock provider, stored so that tokens outlive a restart. */
const MOCK_IDP_KEYS = 'data/mock-idp-keys.json'

/** The folder of files for demonstration products, unless DOWNLOADS is set. */
const DOWNLOADS = 'data/downloads'

/** The currencies of cash, unless the variable is set, even to nothing. */
const CASH_CURRENCIES = 'EUR'

const secondsOfLive = (text: string): number => {
  const seconds = wholeNumber(3_600)(text.replace(/s$/, ''))
  if (seconds < 5) throw new InvalidArgumentError('It must be at least 5 seconds.')
  return seconds
}

const command = declareCommand({
  name: 'dev',
  summary: 'Tries Matchday: an API with a mock provider and demonstration data.',
  examples: [
    ['', 'on the database of DATABASE_URL, by default data/matchday.db'],
    ['--fresh', 'on a new database, in addition to the existing one'],
    ['--live', 'plays a match day on it: fans check in, a goal falls, webhooks arrive'],
  ],
  notes: 'PORT, MOCK_IDP_PORT and CONSOLE_PORT are the ports, by default 3000, 4000 and 3100.',
  json: false,
  database: false,
})
  .option('--fresh', 'use temporary data, which is deleted at the end')
  .option('--live [seconds]', 'play a match day of so many seconds (default: 300)', secondsOfLive)
  .option('--yes', 'run even if configuration or database look like production')

/** Settings for a temporary folder, which is removed at the end. The next start removes the folder of a killed process. */
function freshSettings(): Environment {
  for (const name of readdirSync(tmpdir())) {
    const [, identity] = /^matchday-fresh-(\d+-\d+)-/.exec(name) ?? []
    if (identity !== undefined && !isAlive(identity))
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
  const folder = mkdtempSync(join(tmpdir(), `matchday-fresh-${identityOf(process.pid)}-`))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return {
    DATABASE_URL: `sqlite:${join(folder, 'matchday.db')}`,
    MOCK_IDP_KEYS: join(folder, 'mock-idp-keys.json'),
    DOWNLOADS: process.env.DOWNLOADS || join(folder, 'downloads'),
    // Separate from other databases, since the sweep deletes pictures that its database does not know.
    UPLOADS: join(folder, 'uploads'),
    ERASURE_LIST: '',
    BACKUPS: '',
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
    // `--no-orphans`, which the executable takes as well: the child ends with this process, also when that is killed.
    env: { ...(env as Record<string, string>), BUN_FEATURE_FLAG_NO_ORPHANS: '1' },
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

async function playOn(config: Config, mock: { port: number; fans: number }, ms: number, signal: AbortSignal) {
  const db = openDatabase(config.databaseUrl, realSources, {
    spine: createSpine(),
    postgres: config.postgres,
  })
  try {
    await playMatchDay({
      db,
      secrets: createWebhookSecrets(config.nativeTokens),
      api: `http://127.0.0.1:${config.port}`,
      mock: `http://127.0.0.1:${mock.port}`,
      provider: config.identity.name,
      fans: mock.fans,
      ms,
      signal,
      say: line => process.stdout.write(`live     ${line}\n`),
    })
  } finally {
    await db.close()
  }
}

await runCommand(command, async ({ options: { fresh = false, live, yes }, note }) => {
  const children: Subprocess[] = []
  let stopping: Promise<undefined> | undefined
  const liveStop = new AbortController()
  let playing: Promise<unknown> = Promise.resolve()
  const stop = (code: number) => {
    liveStop.abort()
    stopping ??= playing.then(() => stopAll(children)).then(() => process.exit(code))
    return stopping
  }
  // Registered at once, so that a signal during the seed leaves nothing either.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
    process.on(signal, () => void stop(0))
  // The terminal was closed.
  process.stdout.on('error', () => void stop(0))

  const env = await withDevelopmentSecrets({
    ...process.env,
    ...(fresh ? freshSettings() : {}),
    NODE_ENV: process.env.NODE_ENV || 'development',
  })
  if (env.NODE_ENV === 'production')
    fail(`\`${commandLine('dev')}\` is for development, and NODE_ENV is production.`)
  const mock = readMock(env)
  const mockPort = mock.port
  if (!env.IDP_ISSUER?.trim()) env.IDP_ISSUER = `http://localhost:${mockPort}`
  env.DOWNLOADS ||= DOWNLOADS
  env.CASH_CURRENCIES ??= CASH_CURRENCIES
  const { console: wanted, port: apiPort } = parseConfig(env)
  if (wanted && !env.CONSOLE_PORT?.trim()) {
    // The provider and the API start later: their ports are still free.
    const free = findFreePort(wanted.host, wanted.port, [mockPort, apiPort]) ?? wanted.port
    if (free !== wanted.port) note(`Port ${wanted.port} is taken: the console is on port ${free}.`)
    env.CONSOLE_PORT = String(free)
  }
  const config = parseConfig(env)
  if (mockPort === 0 || config.port === 0)
    fail('PORT and MOCK_IDP_PORT cannot be 0: API and provider need the address of each other.')
  await refuseProduction('dev', { ...config, env }, yes)
  requireDifferentPorts({
    PORT: config.port,
    MOCK_IDP_PORT: mockPort,
    ...(config.console?.port ? { CONSOLE_PORT: config.console.port } : {}),
  })
  requireFreePort('MOCK_IDP_PORT', '127.0.0.1', mockPort)
  requireFreePort('PORT', config.host, config.port)
  if (config.console) requireFreePort('CONSOLE_PORT', config.console.host, config.console.port)
  process.on('exit', () => removeNote(env))
  await writeNote(env, 'starting')
  // The bundler has threads of its own, which work while this one seeds.
  const [consoleLink] = await Promise.all([
    prepareDatabase(config, mock),
    Bun.isStandaloneExecutable || buildDemo(DEMO_FOLDER),
  ])
  if (!process.env.DOWNLOADS) await Bun.write(join(env.DOWNLOADS, WALLPAPER), drawWallpaper())

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
  children.push(provider.child)

  // The provider starts first: without keys at its start, the API retries only after a delay.
  const providerReady = await provider.ready
  if (stopping || !providerReady) return stop(1)
  const api = startChild(['serve', 'src/main.ts'], { ...env, DEMO_FOLDER }, '"listening"', line =>
    prettyLines.write(`${line}\n`),
  )
  children.push(api.child)
  const apiReady = await api.ready
  if (stopping || !apiReady) return stop(1)
  await writeNote(env, 'serving')
  process.stdout.write(banner(config, { fresh, consoleLink }))
  if (live !== undefined) {
    const ms = live === true ? LIVE_MS : live * 1_000
    playing = playOn(config, mock, ms, liveStop.signal).catch(error => note(`The match day ended: ${error}`))
  }
  await Promise.race(children.map(child => child.exited))
  return stop(1)
})
