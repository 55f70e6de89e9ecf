/** `bun run dev` as a new developer uses it. */

import { Database as Connection } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openDatabase } from '../../db/index.ts'
import { findFreePort } from '../../scripts/dev/ports.ts'
import { identityOf } from '../../scripts/dev/process-identity.ts'
import { readCalendar } from '../../scripts/seed/calendar.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { newPng } from '../club/pictures/pictures-world.ts'
import { type RunningDev, root, spawnDev, startDev } from '../support/dev.ts'
import { freePort } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { runScript } from './run-script.ts'

let dev: RunningDev

const freePorts = () => ({
  PORT: String(freePort()),
  MOCK_IDP_PORT: String(freePort()),
  CONSOLE_PORT: String(freePort()),
})

const isFree = (port: string) =>
  fetch(`http://localhost:${port}`).then(
    () => false,
    () => true,
  )

const databaseOf = ({ banner }: RunningDev) => /Database +sqlite:(\S+)/.exec(banner)?.[1] ?? ''

/** Reads until the text is there. */
async function textOf(stream: ReadableStream<Uint8Array>, text: string): Promise<void> {
  const decoder = new TextDecoder()
  let said = ''
  for await (const chunk of stream) {
    said += decoder.decode(chunk, { stream: true })
    if (said.includes(text)) return
  }
  throw new Error(`"${text}" was not said, but: ${said}`)
}

function readTables<T>(url: string, read: (connection: Connection) => T): T {
  const connection = new Connection(url.slice('sqlite:'.length), { readonly: true })
  try {
    return read(connection)
  } finally {
    connection.close()
  }
}

const countFans = (url: string) =>
  readTables(url, connection => connection.query('SELECT count(*) AS n FROM users').get() as { n: number }).n

/** How many rows there are that the API neither writes nor deletes by itself. */
const rowsOf = (url: string) =>
  readTables(url, connection =>
    [
      'users',
      'points_entries',
      'orders WHERE completed_at IS NOT NULL',
      'user_packs',
      'user_items',
      'quest_progress',
      "trades WHERE status = 'completed'",
    ].map(rows => [rows, connection.query(`SELECT count(*) AS n FROM ${rows}`).get()]),
  )

beforeAll(async () => {
  dev = await startDev({ MOCK_IDP_FANS: '30' })
})

afterAll(() => dev.stop())

test('the commands of the banner work as printed', async () => {
  const lines = dev.banner.split('\n').map(line => line.trim())
  const token = lines.find(line => line.startsWith('TOKEN=')) ?? ''
  const curls = lines.filter(line => line.startsWith('curl '))
  expect(curls).toHaveLength(3)
  const quiet = curls.map(line => line.replace('curl ', 'curl --silent --show-error --fail '))
  const shell = Bun.spawn(['bash', '-euc', [token, ...quiet.map(line => `${line}; echo`)].join('\n')], {
    cwd: root,
    env: { PATH: dev.env.PATH ?? '', HOME: dev.env.HOME ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const message = await new Response(shell.stdout).text()
  expect(await shell.exited, await new Response(shell.stderr).text()).toBe(0)
  const [rewards, onboarding, points] = message
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(rewards.rewards.length).toBeGreaterThan(10)
  expect(onboarding.state).toBe('completed')
  expect(points.balance).toBe(100)
})

test('the server key of the banner is accepted, with every scope', async () => {
  const [, key = ''] = /^Server key +(mdk_\w+)$/m.exec(dev.banner.replace(/^ +/gm, '')) ?? []
  const call = async (path: string, method: string) => {
    const url = `http://localhost:${dev.ports.PORT}/api/redemptions/0000-0000-0000-0000${path}`
    const response = await fetch(url, { method, headers: { authorization: `Bearer ${key}` } })
    return [response.status, ((await response.json()) as { code: string }).code]
  }
  expect(await call('', 'GET')).toEqual([404, 'redemption_not_found'])
  expect(await call('/use', 'POST')).toEqual([404, 'redemption_not_found'])
})

test('the link of the banner signs in to the console as owner, once', async () => {
  const [, origin = '', secret = ''] = /Console +(http:\S+)\/sign-in#(\S+)/.exec(dev.banner) ?? []
  expect(origin).toBe(`http://localhost:${dev.ports.CONSOLE_PORT}`)
  const page = await fetch(`${origin}/sign-in`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html;charset=utf-8'])
  const signIn = () =>
    fetch(`${origin}/api/session/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ secret }),
    })
  const response = await signIn()
  expect([response.status, await response.json()]).toMatchObject([200, { staff: { role: 'owner' } }])
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect((await fetch(`${origin}/api/session`, { headers: { cookie } })).status).toBe(200)
  expect((await signIn()).status).toBe(401)
})

test('Swagger UI is served, and the provider lists its fans', async () => {
  expect((await fetch(`http://localhost:${dev.ports.PORT}/docs`)).status).toBe(200)
  expect((await fetch(`http://localhost:${dev.ports.MOCK_IDP_PORT}/_mock/users`)).status).toBe(200)
})

test.each(['PORT', 'MOCK_IDP_PORT', 'CONSOLE_PORT'] as const)(
  'a taken %s gives an error with the port and the variable',
  async name => {
    // The other ports must be free, otherwise the error would name one of them.
    const free = {
      PORT: String(freePort()),
      MOCK_IDP_PORT: String(freePort()),
      CONSOLE_PORT: String(freePort()),
    }
    const { code, err } = await runScript('dev', [], {
      env: { ...dev.env, NODE_ENV: 'development', ...free, [name]: dev.ports[name] },
    })
    expect(code).toBe(1)
    expect(err).toContain(`Port ${dev.ports[name]} is in use`)
    expect(err).toContain(name)
  },
)

test('the next free port is used if a port is taken', () => {
  const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  try {
    const found = findFreePort('127.0.0.1', taken.port) ?? 0
    expect(found).toBeGreaterThan(taken.port)
    expect(found).toBeLessThan(taken.port + 100)
  } finally {
    taken.stop(true)
  }
  expect(findFreePort('127.0.0.1', taken.port)).toBe(taken.port)
  expect(findFreePort('127.0.0.1', taken.port, [taken.port])).toBeGreaterThan(taken.port)
})

test('the console leaves the provider its port, which is 100 above that of the API', async () => {
  const PORT = dev.ports.PORT
  const MOCK_IDP_PORT = String(Number(PORT) + 100)
  const { err } = await runScript('dev', [], {
    // The port of the API is taken, so that nothing starts.
    env: { ...dev.env, NODE_ENV: 'development', PORT, MOCK_IDP_PORT, CONSOLE_PORT: '' },
  })
  expect(err).toMatch(new RegExp(`Port ${MOCK_IDP_PORT} is taken: the console is on port \\d+`))
  expect(err).not.toContain('are both')
})

test('two ports that are the same give an error with both variables', async () => {
  const port = String(freePort())
  const { code, err } = await runScript('dev', [], {
    env: {
      ...dev.env,
      NODE_ENV: 'development',
      PORT: port,
      MOCK_IDP_PORT: port,
      CONSOLE_PORT: String(freePort()),
    },
  })
  expect(code).toBe(1)
  expect(err).toContain(`PORT and MOCK_IDP_PORT are both ${port}`)
})

test('an option that does not exist is refused with the usage, before anything is served or written', async () => {
  const { code, out, err } = await runScript('dev', ['--frsh'])
  expect([code, out]).toEqual([2, ''])
  expect(err).toStartWith("error: unknown option '--frsh'\n(Did you mean --fresh?)\n\nUsage: bun run dev ")
})

test('--help shows the options, and starts nothing', async () => {
  const { code, out } = await runScript('dev', ['--help'])
  expect(code).toBe(0)
  for (const text of ['Usage: bun run dev [options]', '  --fresh ', '  --yes ', '  bun run dev --fresh '])
    expect(out).toContain(text)
  expect(out).not.toContain('--json')
})

test('commands in another terminal use the database of a running --fresh, and say so; a stale note is ignored', async () => {
  const fresh = await startDev({ MOCK_IDP_FANS: '5' }, undefined, ['--fresh'])
  const path = databaseOf(fresh)
  const note = readFileSync(fresh.env.DEV_NOTE ?? '', 'utf8')
  const env = { NODE_ENV: 'development', DEV_NOTE: fresh.env.DEV_NOTE ?? '' }
  const reused = note.replace(`"${fresh.process.pid}-`, `"${process.pid}-`)
  expect(reused).not.toBe(note)
  const list = (more: Record<string, string> = {}, parameters: string[] = []) =>
    runScript('server-keys', ['list', ...parameters], { env: { ...env, ...more }, ownProcess: true })
  try {
    const used = await list()
    expect(used).toMatchObject({
      code: 0,
      err: `Using the database of the running \`bun run dev\`: sqlite:${path}\n`,
    })
    expect(used.out).toContain('development')
    const named = await list({ DATABASE_URL: dev.env.DATABASE_URL ?? '' })
    expect(named.code).toBe(0)
    expect(named.err).toContain(`and not that of the running \`bun run dev\`, sqlite:${path}`)
    expect(await list({}, ['--database', dev.env.DATABASE_URL ?? ''])).toMatchObject({ code: 0, err: '' })
    expect((await list({ NODE_ENV: 'test' })).err).not.toContain('Using')
    const token = await runScript('token', [], { env, ownProcess: true })
    expect(token.code).toBe(0)
    expect(JSON.parse(Buffer.from(token.out.split('.')[1] ?? '', 'base64url').toString()).iss).toBe(
      `http://localhost:${fresh.ports.MOCK_IDP_PORT}`,
    )
  } finally {
    fresh.process.kill('SIGKILL')
    await fresh.process.exited
    await Bun.write(fresh.env.DEV_NOTE ?? '', note)
  }
  // API and provider end with it, and leave their ports.
  for (const port of [fresh.ports.PORT, fresh.ports.MOCK_IDP_PORT])
    await waitUntil(`port ${port} is free`, () => isFree(port))
  expect((await list()).err).not.toContain('Using')
  // Another process has its id now.
  await Bun.write(fresh.env.DEV_NOTE ?? '', reused)
  expect((await list()).err).not.toContain('Using')
  // The next start removes files of a killed process.
  const next = await startDev({ MOCK_IDP_FANS: '5' }, undefined, ['--fresh'])
  expect(existsSync(dirname(path))).toBe(false)
  await next.stop()
  await fresh.stop()
})

test('commands use the default database of a running dev that has no setting of its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-defaults-'))
  const note = join(folder, 'data', 'dev.json')
  mkdirSync(dirname(note))
  await Bun.write(note, JSON.stringify({ process: identityOf(process.pid), state: 'serving', settings: {} }))
  try {
    for (const script of ['migrate', 'server-keys']) {
      const child = Bun.spawn(
        [process.execPath, join(root, `scripts/${script}.ts`), ...(script === 'server-keys' ? ['list'] : [])],
        { cwd: folder, env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'pipe'] },
      )
      const err = await new Response(child.stderr).text()
      expect([script, await child.exited, err]).toEqual([
        script,
        0,
        expect.not.stringContaining('DATABASE_URL'),
      ])
    }
    expect(existsSync(join(folder, 'data', 'matchday.db'))).toBe(true)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('during the seed of --fresh, commands do not silently use another database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-starting-'))
  const starting = { NODE_ENV: 'development', DEV_NOTE: join(folder, 'dev.json') }
  const child = spawnDev({ ...dev.env, ...freePorts(), ...starting, MOCK_IDP_FANS: '5000' }, undefined, [
    '--fresh',
  ])
  try {
    await textOf(child.stderr, 'seeding')
    const run = (script: string, parameters: string[], more: Record<string, string> = {}) =>
      runScript(script, parameters, { env: { ...starting, ...more }, ownProcess: true })
    for (const [script, parameters] of [
      ['server-keys', ['list']],
      ['token', []],
    ] as const)
      expect(await run(script, [...parameters])).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('`bun run dev` is starting, and its database is not ready'),
      })
    const named = await run('server-keys', ['list'], { DATABASE_URL: dev.env.DATABASE_URL ?? '' })
    expect([named.code, named.out]).toEqual([0, expect.stringContaining('development')])
  } finally {
    child.kill('SIGTERM')
    await child.exited
    expect(existsSync(starting.DEV_NOTE)).toBe(false)
    rmSync(folder, { recursive: true })
  }
})

test('--fresh keeps data and pictures of its own, which commands use together; Ctrl-C stops API and provider cleanly, and deletes its own', async () => {
  const others = mkdtempSync(join(tmpdir(), 'matchday-others-'))
  const fresh = await startDev({ MOCK_IDP_FANS: '5', UPLOADS: others }, undefined, ['--fresh'])
  const env = { NODE_ENV: 'development', DEV_NOTE: fresh.env.DEV_NOTE ?? '', UPLOADS: others }
  try {
    const path = databaseOf(fresh)
    expect(existsSync(path)).toBe(true)
    expect(existsSync(fresh.env.DATABASE_URL?.slice('sqlite:'.length) ?? '')).toBe(false)
    expect(existsSync(fresh.env.MOCK_IDP_KEYS ?? '')).toBe(false)
    const token = await runScript('token', [], { env, ownProcess: true })
    const response = await fetch(`http://localhost:${fresh.ports.PORT}/api/uploads`, {
      method: 'POST',
      body: newPng(),
      headers: { authorization: `Bearer ${token.out.trim()}`, 'content-type': 'image/png' },
    })
    expect(response.status).toBe(201)
    expect(readdirSync(others)).toEqual([])
    const verify = async (more: Record<string, string> = {}) => {
      const parameters = { env: { ...env, ...more }, ownProcess: true }
      return JSON.parse((await runScript('verify-pictures', ['--json'], parameters)).out)
    }
    expect(await verify()).toMatchObject({ pictures: 1, files: 1, found: 0 })
    cpSync(join(dirname(databaseOf(fresh)), 'uploads'), others, { recursive: true })
    expect(await verify({ DATABASE_URL: dev.env.DATABASE_URL ?? '' })).toMatchObject({
      pictures: 0,
      files: 1,
    })
    fresh.process.kill('SIGINT')
    expect(await fresh.process.exited).toBe(0)
    for (const port of Object.values(fresh.ports))
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
    expect(existsSync(dirname(path))).toBe(false)
    expect(existsSync(fresh.env.DEV_NOTE ?? '')).toBe(false)
  } finally {
    await fresh.stop()
    rmSync(others, { recursive: true })
  }
})

test('any signal during the seed of --fresh deletes its data', async () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const child = spawnDev({ ...dev.env, ...freePorts(), MOCK_IDP_FANS: '5000' }, undefined, ['--fresh'])
    const mine = () => readdirSync(tmpdir()).filter(name => name.startsWith(`matchday-fresh-${child.pid}-`))
    await textOf(child.stderr, 'seeding')
    expect(mine()).toHaveLength(1)
    child.kill(signal)
    await child.exited
    expect([signal, mine()]).toEqual([signal, []])
  }
})

async function readSeededCalendar(url: string) {
  const db = openDatabase(url, realSources, { spine: createSpine() })
  const calendar = await readCalendar(db.read, db.read.now())
  await db.close()
  return calendar
}

test('a first seed that was killed continues at the next start, with the same rows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-seed-'))
  const env = { DATABASE_URL: `sqlite:${join(folder, 'dev.db')}`, MOCK_IDP_FANS: '400' }
  const child = spawnDev({ ...dev.env, ...freePorts(), ...env })
  await textOf(child.stderr, 'seeding')
  await waitUntil('some fans are there', () => countFans(env.DATABASE_URL) > 0)
  child.kill('SIGKILL')
  await child.exited
  const some = countFans(env.DATABASE_URL)
  const other = await runScript('dev', [], {
    env: { ...dev.env, ...freePorts(), ...env, NODE_ENV: 'development', MOCK_IDP_FANS: '300' },
  })
  expect(other.code).toBe(1)
  expect(other.err).toContain('The seed with MOCK_IDP_SEED=1 MOCK_IDP_FANS=400 was interrupted.')
  const again = await startDev(env)
  const whole = `sqlite:${join(folder, 'whole.db')}`
  const instant = (await readSeededCalendar(env.DATABASE_URL)).now.toISOString()
  const seed = await runScript('seed', ['--fans', '400', '--crowd', '15000', '--instant', instant], {
    env: { ...dev.env, DATABASE_URL: whole, CASH_CURRENCIES: 'EUR' },
  })
  expect(seed.code, seed.err).toBe(0)
  expect(some).toBeLessThan(countFans(whole))
  expect(rowsOf(env.DATABASE_URL)).toEqual(rowsOf(whole))
  await again.stop()
  rmSync(folder, { recursive: true })
})
