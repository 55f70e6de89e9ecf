/** `bun run dev` as a newcomer meets it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/processes.ts'

const root = join(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'matchday-dev-'))
const ports = { PORT: String(freePort()), MOCK_IDP_PORT: String(freePort()) }
const env = {
  PATH: process.env.PATH ?? '',
  HOME: folder,
  DATABASE_URL: `sqlite:${join(folder, 'dev.db')}`,
  MOCK_IDP_FANS: '30',
  ...ports,
}

function start(extra: Record<string, string> = {}) {
  return Bun.spawn([process.execPath, 'scripts/dev.ts'], {
    cwd: root,
    env: { ...env, ...extra },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

let dev: ReturnType<typeof start>
let banner = ''

beforeAll(async () => {
  dev = start()
  const decoder = new TextDecoder()
  for await (const chunk of dev.stdout) {
    banner += decoder.decode(chunk, { stream: true })
    if (banner.includes('Ctrl-C stops both')) return
  }
  throw new Error(`bun run dev ended early: ${banner}${await new Response(dev.stderr).text()}`)
}, 60_000)

afterAll(async () => {
  dev.kill('SIGKILL')
  await dev.exited
  rmSync(folder, { recursive: true })
})

test('the banner’s lines work as printed: a token, and three curl lines', async () => {
  const lines = banner.split('\n').map(line => line.trim())
  const token = lines.find(line => line.startsWith('TOKEN=')) ?? ''
  const curls = lines.filter(line => line.startsWith('curl '))
  expect(curls).toHaveLength(3)
  const quiet = curls.map(line => line.replace('curl ', 'curl --silent --show-error --fail '))
  const shell = Bun.spawn(['bash', '-euc', [token, ...quiet.map(line => `${line}; echo`)].join('\n')], {
    cwd: root,
    env: { PATH: env.PATH, HOME: folder },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const said = await new Response(shell.stdout).text()
  expect(await shell.exited, await new Response(shell.stderr).text()).toBe(0)
  const [rewards, onboarding, points] = said
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(rewards.rewards.length).toBeGreaterThan(10)
  expect(onboarding.state).toBe('completed')
  expect(points.balance).toBe(100)
})

test('Swagger UI is served, and the provider lists its fans', async () => {
  expect((await fetch(`http://localhost:${ports.PORT}/docs`)).status).toBe(200)
  expect((await fetch(`http://localhost:${ports.MOCK_IDP_PORT}/_mock/users`)).status).toBe(200)
})

test.each(['PORT', 'MOCK_IDP_PORT'] as const)(
  'a taken %s gives an error with the port and the variable',
  async name => {
    // The other port must be free, or it would be the one complained of.
    const other = name === 'PORT' ? 'MOCK_IDP_PORT' : 'PORT'
    const second = start({ [other]: String(freePort()) })
    expect(await second.exited).toBe(1)
    const said = await new Response(second.stderr).text()
    expect(said).toContain(`Port ${ports[name]} is taken`)
    expect(said).toContain(name)
  },
)

test('Ctrl-C stops both cleanly', async () => {
  dev.kill('SIGINT')
  expect(await dev.exited).toBe(0)
  for (const port of Object.values(ports)) await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
})
