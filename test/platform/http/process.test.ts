/** `src/main.ts` as a process of its own: how it starts, why it does not, and how it stops. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMockIdp, type MockIdp } from '../../../mock-idp/app.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'
import { control, tokenOf } from '../../identity/auth/provider-controls.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { commandOf, root, shortLivedEnv } from '../../support/executable.ts'
import { waitUntil } from '../../support/wait-until.ts'

const MAIN = 'src/main.ts'
const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
const secrets = await makeDevelopmentSecrets()
let provider: ReturnType<typeof Bun.serve>
let idp: MockIdp
let development: Record<string, string>

beforeAll(() => {
  provider = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: request => idp.app.fetch(request) })
  idp = createMockIdp({ issuer: `http://127.0.0.1:${provider.port}`, fans: 3 })
  development = {
    ...secrets,
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'test.db')}`,
    IDP_ISSUER: idp.issuer,
  }
})
const running = new Set<Bun.Subprocess>()
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL')
    await child.exited
  }
  running.clear()
})
afterAll(async () => {
  idp.close()
  await provider.stop(true)
  rmSync(folder, { recursive: true })
})

function start(env: Record<string, string>, ...options: string[]) {
  // Options are Bun's.
  const command = options.length > 0 ? [process.execPath, ...options, join(root, MAIN)] : commandOf(MAIN)
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...shortLivedEnv, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  running.add(child)
  const reader = child.stdout.getReader()
  let log = ''

  /** The first line of the log with this message; reads no further than that. */
  async function line(message: string): Promise<Record<string, unknown>> {
    for (;;) {
      const found = log.split('\n').find(text => text.includes(`"msg":"${message}"`))
      if (found) return JSON.parse(found)
      const { done, value } = await reader.read()
      if (done) throw new Error(`no "${message}" in the log:\n${log}\n${await child.stderr.text()}`)
      log += new TextDecoder().decode(value)
    }
  }
  /** The log up to the last awaited line. */
  const lines = () =>
    log
      .slice(0, log.lastIndexOf('\n'))
      .split('\n')
      .map(text => JSON.parse(text) as Record<string, unknown>)
  return { child, line, lines }
}

async function failure(env: Record<string, string>) {
  const { child } = start(env)
  const stderr = await child.stderr.text()
  return { code: await child.exited, stderr }
}

describe('an uncaught error', () => {
  test.each(['unhandled rejection', 'uncaught exception'])(
    'ends the process with 1 and a log line without the values of its query: %s',
    async kind => {
      const preload = join(folder, 'fail-on-signal.ts')
      const drizzle = join(import.meta.dir, '../../../node_modules/drizzle-orm/index.js')
      await Bun.write(
        preload,
        `import { DrizzleQueryError } from ${JSON.stringify(drizzle)}
        const error = new DrizzleQueryError('select $1', ['calebe@example.net'], new Error('no such column'))
        process.on('SIGUSR2', () => ${kind === 'uncaught exception' ? 'setImmediate(() => { throw error })' : 'void Promise.reject(error)'})`,
      )
      const { child, line } = start(development, '--preload', preload)
      await line('listening')
      child.kill('SIGUSR2')
      const message = 'unexpected error: the process ends'
      expect(await line(message)).toMatchObject({ level: 60, error: { message: 'no such column' } })
      expect(await child.exited).toBe(1)
      expect(await child.stderr.text()).not.toContain('calebe')
    },
  )
})

describe.each(engines.map(engine => [engine.name, engine] as const))(
  'the list of erasures (%s)',
  (_, engine) => {
    const unset = 'ERASURE_LIST is not set: restoring a backup brings back fans who deleted their account'
    let temporary: TemporaryDatabase
    beforeAll(async () => {
      temporary = await engine.open(createClock())
    })
    afterAll(() => temporary.remove())

    async function warnings(extra: Record<string, string>) {
      const { lines, line } = start({ ...development, DATABASE_URL: temporary.url ?? '', ...extra })
      await line('listening')
      return lines().filter(({ level }) => level === 40)
    }

    test('is reported at the start if it is missing and has no default', async () => {
      const expected = engine.name === 'SQLite' ? [] : [{ msg: unset }]
      expect(await warnings({})).toMatchObject(expected)
    })

    test('is not reported as missing if ERASURE_LIST is set', async () => {
      expect(await warnings({ ERASURE_LIST: join(folder, 'erasures.ndjson') })).toEqual([])
    })
  },
)

test('SIGUSR2 switches the log to debug, and back to LOG_LEVEL', async () => {
  const { child, line, lines } = start(development)
  const { url } = await line('listening')
  await fetch(`${url}/nothing`)
  child.kill('SIGUSR2')
  await line('log level changed')
  await fetch(`${url}/nothing`)
  expect(await line('request refused')).toMatchObject({ level: 20, code: 'not_found' })
  child.kill('SIGUSR2')
  child.kill('SIGTERM')
  await line('stopped')
  const logged = lines()
  const levels = logged.flatMap(({ logLevel }) => (logLevel === undefined ? [] : [logLevel]))
  expect(levels).toEqual(['debug', 'info'])
  expect(logged.filter(({ level }) => level === 20)).toHaveLength(1)
})

describe('stopping', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} finishes the request in flight, refuses new ones, and exits with 0`, async () => {
      const { child, line } = start(development)
      const { url } = await line('listening')
      const authorization = `Bearer ${await tokenOf({ idp }, {})}`
      // An idle connection that is kept alive must not keep the process.
      expect((await fetch(`${url}/readyz`)).status).toBe(200)

      await control({ idp }, 'POST', '/faults', { match: 'userinfo', kind: 'delay', delayMs: 600_000 })
      await control({ idp }, 'DELETE', '/requests')
      const inFlight = fetch(`${url}/api/user/sync-mock-idp`, { method: 'POST', headers: { authorization } })
      const asked = async () => (await control({ idp }, 'GET', '/requests')).requests.length > 0
      await waitUntil('userinfo is asked', asked)

      child.kill(signal)
      expect(await line('stopping')).toMatchObject({ signal })
      const late = await fetch(`${url}/healthz`, { keepalive: false }).then(
        ({ status }) => status,
        () => 'refused',
      )
      expect(late).toBe('refused')
      await control({ idp }, 'DELETE', '/faults')
      const answer = await inFlight
      expect([answer.status, await answer.json()]).toMatchObject([200, { identity: { subject: 'fan-0001' } }])
      await line('stopped')
      expect(await child.exited).toBe(0)
      await control({ idp }, 'POST', '/reset', {})
    })
  }
})

describe('not starting', () => {
  test('a port in use is reported with its variable, and the exit code is 1', async () => {
    const taken = String(provider.port)
    const { code, stderr } = await failure({ ...development, PORT: taken })
    expect(code).toBe(1)
    expect(stderr).toBe(`Port ${taken} is taken. Stop what listens there, or set PORT to another.\n`)
  })

  test('a missing production configuration is listed as a whole', async () => {
    const { code, stderr } = await failure({ NODE_ENV: 'production' })
    expect(code).toBe(1)
    const names = stderr
      .split('\n')
      .flatMap(text => /^ {2}- ([A-Z_]+) is required in production$/.exec(text)?.[1] ?? [])
    expect(names.toSorted()).toEqual([
      'DATABASE_URL',
      'IDP_AUDIENCE',
      'IDP_ISSUER',
      'IDP_NAME',
      'IDP_WEBHOOK_SECRET',
      'NATIVE_TOKEN_KEY',
    ])
    expect(stderr).not.toContain('    at ')
    expect(await Bun.file(join(folder, 'data/development-secrets.json')).exists()).toBe(false)
  })

  test('secrets of development are refused in production, without disclosing them', async () => {
    const env = {
      ...development,
      NODE_ENV: 'production',
      PUSH_CREDENTIALS: '',
      IDP_ISSUER: 'https://login.example.com',
      IDP_AUDIENCE: 'api',
      IDP_NAME: 'example',
    }
    const { code, stderr } = await failure(env)
    expect(code).toBe(1)
    expect(stderr).toContain('IDP_WEBHOOK_SECRET is a development secret')
    expect(stderr).toContain('NATIVE_TOKEN_KEY is a development key')
    expect(stderr).not.toContain(secrets.IDP_WEBHOOK_SECRET.slice(8, 24))
    expect(stderr).not.toContain(JSON.parse(secrets.NATIVE_TOKEN_KEY).d)
  })

  test('a database that cannot be used is named by its variable, without its password', async () => {
    for (const url of ['postgres://fan:hunter2@127.0.0.1:1/matchday', `sqlite:${folder}`]) {
      const { code, stderr } = await failure({ ...development, DATABASE_URL: url })
      expect(code).toBe(1)
      expect(stderr).toContain('DATABASE_URL')
      expect(stderr).not.toContain('hunter2')
      expect(stderr.trim().split('\n')).toHaveLength(1)
    }
  })
})
