import { afterAll, expect, test } from 'bun:test'
import { createMockIdp } from '../../mock-idp/app.ts'
import { serve } from '../../mock-idp/serve.ts'
import { commandOf } from '../support/executable.ts'
import { waitUntil } from '../support/wait-until.ts'

const idp = createMockIdp({ issuer: 'http://localhost', fans: 3 })
const listening = await serve(idp, 0)
const base = `http://127.0.0.1:${listening.port}`
const jwks = `${base}/.well-known/jwks.json`

afterAll(async () => {
  idp.close()
  await listening.stop()
})

function addFault(fault: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${base}/_mock/faults`, { method: 'POST', headers, body: JSON.stringify(fault) })
}

test('responds on a port, by address and by name', async () => {
  expect((await fetch(jwks)).status).toBe(200)
  expect((await fetch(jwks.replace('127.0.0.1', 'localhost'))).status).toBe(200)
})

test('rejects a rebound host on a port', async () => {
  expect((await fetch(jwks, { headers: { host: 'evil.example' } })).status).toBe(403)
})

test('reset breaks the connection in the middle of a response', async () => {
  await addFault({ match: 'jwks', kind: 'reset', count: 1 })
  await expect(fetch(jwks).then(response => response.text())).rejects.toThrow()
  expect((await fetch(jwks)).status).toBe(200)
})

test('hang lasts until the client aborts', async () => {
  await addFault({ match: 'jwks', kind: 'hang', count: 1 })
  const impatient = new AbortController()
  const hanging = fetch(jwks, { signal: impatient.signal })
  await faultsUsedUp()
  impatient.abort(new Error('enough'))
  await expect(hanging).rejects.toThrow('enough')
  expect((await fetch(jwks)).status).toBe(200)
})

test('drip continues until the client aborts', async () => {
  await addFault({ match: 'jwks', kind: 'drip', delayMs: 1, count: 1 })
  const impatient = new AbortController()
  const response = await fetch(jwks, { signal: impatient.signal })
  expect(response.status).toBe(200)
  const reader = response.body?.getReader()
  for (let bytes = 0; bytes < 5; bytes++) expect((await reader?.read())?.done).toBe(false)
  impatient.abort(new Error('enough'))
  await expect(reader?.read()).rejects.toThrow('enough')
})

/** Resolves once no fault is active. */
async function faultsUsedUp(): Promise<void> {
  const left = async () =>
    ((await (await fetch(`${base}/_mock/faults`)).json()) as { faults: unknown[] }).faults.length
  await waitUntil('every fault is used up', async () => (await left()) === 0)
}

async function start(env: Record<string, string>) {
  const child = Bun.spawn(commandOf('mock-idp/main.ts'), {
    env: { ...process.env, NODE_ENV: '', ...env },
    stderr: 'pipe',
    stdout: 'pipe',
  })
  return { child, exit: child.exited, stderr: () => new Response(child.stderr).text() }
}

test('does not start in production', async () => {
  const { exit, stderr } = await start({ NODE_ENV: 'production', MOCK_IDP_PORT: '0' })
  expect(await exit).toBe(1)
  expect(await stderr()).toContain('NODE_ENV=production')
})

test('names the port and the variable when the port is taken', async () => {
  const { exit, stderr } = await start({ MOCK_IDP_PORT: String(listening.port) })
  expect(await exit).toBe(1)
  expect(await stderr()).toBe(`mock-idp: port ${listening.port} is taken. Set MOCK_IDP_PORT to a free one.\n`)
})

test('exits with 0 on SIGTERM', async () => {
  const { child, exit } = await start({ MOCK_IDP_PORT: '0', IDP_ISSUER: 'http://localhost:4000' })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toContain('mock-idp: http://localhost:4000 on port')
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
})
