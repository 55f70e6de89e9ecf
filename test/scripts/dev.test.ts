/** `bun run dev` as a new developer uses it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type RunningDev, root, startDev } from '../support/dev.ts'
import { freePort } from '../support/processes.ts'
import { runScript } from './run-script.ts'

let dev: RunningDev

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

test('--fresh serves data of its own, leaves that of DATABASE_URL alone; Ctrl-C stops API and provider cleanly, and deletes its own', async () => {
  const fresh = await startDev({ MOCK_IDP_FANS: '5' }, undefined, ['--fresh'])
  try {
    const [, path = ''] = /export DATABASE_URL=sqlite:(\S+)/.exec(fresh.banner) ?? []
    expect(existsSync(path)).toBe(true)
    expect(existsSync(fresh.env.DATABASE_URL?.slice('sqlite:'.length) ?? '')).toBe(false)
    expect(existsSync(fresh.env.MOCK_IDP_KEYS ?? '')).toBe(false)
    fresh.process.kill('SIGINT')
    expect(await fresh.process.exited).toBe(0)
    for (const port of Object.values(fresh.ports))
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
    expect(existsSync(dirname(path))).toBe(false)
  } finally {
    await fresh.stop()
  }
})
