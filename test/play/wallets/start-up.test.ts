/** `viem` is loaded when a fan links a wallet, not when the server starts. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createClock } from '../../support/clock.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { root } from '../../support/executable.ts'
import { startApi, startProvider } from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { newAccount } from './wallets-world.ts'

test('a server loads viem for the first challenge of a wallet, and not before', async () => {
  const temporary = await sqliteEngine.open(createClock())
  const provider = await startProvider()
  const preload = join(import.meta.dir, 'report-loads-process.ts')
  const api = await startApi(
    { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer },
    {
      command: [process.execPath, '--preload', preload, 'src/main.ts'],
      cwd: root,
      PATH: process.env.PATH ?? '',
    },
  )
  try {
    const headers = {
      authorization: `Bearer ${await provider.idp.issueToken('fan-0001')}`,
      'content-type': 'application/json',
    }
    const ask = (path: string, init = {}) => fetch(`${api.origin}${path}`, { headers, ...init })
    expect((await ask('/api/wallets')).status).toBe(200)
    expect((await ask('/api/rewards')).status).toBe(200)
    const body = JSON.stringify({ address: newAccount().address, chainId: 1 })
    expect((await ask('/api/wallets/challenges', { method: 'POST', body })).status).toBe(201)
    await waitUntil('the log of the challenge', () =>
      api.output.some(line => line.includes('/api/wallets/challenges')),
    )
    const first = api.output.findIndex(
      line => line.startsWith('loaded ') && line.includes('node_modules/viem/'),
    )
    expect(first).toBeGreaterThan(api.output.findIndex(line => line.includes('"/api/rewards"')))
  } finally {
    await api.stop()
    await provider.stop()
    await temporary.remove()
  }
})
