/** Signing keys in a file: tokens outlive a restart of the provider. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMockIdp } from '../../mock-idp/app.ts'
import { createKeyFile } from '../../mock-idp/oidc/key-file.ts'
import { commandOf } from '../support/executable.ts'

const folder = mkdtempSync(join(tmpdir(), 'matchday-keys-'))
afterAll(() => rmSync(folder, { recursive: true }))
const issuer = 'http://localhost:4000'

const start = (path: string) => createMockIdp({ issuer, fans: 3, keyStore: createKeyFile(path) })
const userinfo = async (idp: ReturnType<typeof start>, token: string) =>
  (await idp.handle(new Request(`${issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } })))
    .status

test('a token is valid after a restart, and after a rotation and a restart', async () => {
  const path = join(folder, 'keys.json')
  const first = start(path)
  const token = await first.issueToken('fan-0001')
  const rotate = new Request(`${issuer}/_mock/keys/rotate`, { method: 'POST' })
  expect(await userinfo(start(path), token)).toBe(200)
  expect((await first.handle(rotate)).status).toBeLessThan(300)
  const restarted = start(path)
  expect(await userinfo(restarted, token)).toBe(200)
  expect(await userinfo(restarted, await first.issueToken('fan-0002'))).toBe(200)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('the folder of the file is created', () => {
  const path = join(folder, 'data', 'keys.json')
  start(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('without a file each start generates new keys', async () => {
  const token = await createMockIdp({ issuer, fans: 3 }).issueToken('fan-0001')
  expect(await userinfo(createMockIdp({ issuer, fans: 3 }), token)).toBe(401)
})

test.each(['', '{}', '[]', '[{"kid":1}]'])(
  'a file with the content %j prevents the start, with advice',
  async text => {
    const path = join(folder, `${Bun.hash(text)}.json`)
    writeFileSync(path, text)
    const child = Bun.spawn(commandOf('mock-idp/main.ts'), {
      env: { PATH: process.env.PATH ?? '', MOCK_IDP_PORT: '0', IDP_ISSUER: issuer, MOCK_IDP_KEYS: path },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    expect(await new Response(child.stderr).text()).toContain('Delete it to create new ones.')
    expect(await child.exited).toBe(1)
  },
)

test('MOCK_IDP_HOST names another address to listen on', async () => {
  const child = Bun.spawn(commandOf('mock-idp/main.ts'), {
    env: {
      PATH: process.env.PATH ?? '',
      MOCK_IDP_PORT: '0',
      MOCK_IDP_HOST: '127.0.0.2',
      IDP_ISSUER: 'http://127.0.0.2:4000',
      MOCK_IDP_FANS: '3',
    },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  try {
    let said = ''
    for await (const chunk of child.stdout) {
      said += Buffer.from(chunk).toString()
      if (said.includes('on port')) break
    }
    const port = /on port (\d+)/.exec(said)?.[1]
    const discovery = await fetch(`http://127.0.0.2:${port}/.well-known/openid-configuration`)
    expect(discovery.status).toBe(200)
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  } finally {
    child.kill()
  }
})
