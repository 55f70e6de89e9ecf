/** `viem` is loaded when a fan links a wallet, not when the server starts, and never without a chain. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createClock } from '../../support/clock.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { root } from '../../support/executable.ts'
import { startApi, startProvider } from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { newAccount } from './wallets-world.ts'

/** Runs `work` against a server that prints each module of the libraries for wallets as it is loaded. */
async function onReportingServer(
  env: Record<string, string>,
  work: (ask: (path: string, body?: object) => Promise<Response>, output: string[]) => Promise<void>,
) {
  const temporary = await sqliteEngine.open(createClock())
  const provider = await startProvider()
  const preload = join(import.meta.dir, 'report-loads-process.ts')
  const api = await startApi(
    { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer, ...env },
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
    await work(
      (path, body) =>
        fetch(
          `${api.origin}${path}`,
          body ? { headers, method: 'POST', body: JSON.stringify(body) } : { headers },
        ),
      api.output,
    )
  } finally {
    await api.stop()
    await provider.stop()
    await temporary.remove()
  }
}

const isLoad = (line: string) => line.startsWith('loaded ')
const challenge = { address: newAccount().address, chainId: 1 }

test('a server loads viem for the first challenge of a wallet, and not before', () =>
  onReportingServer({}, async (ask, output) => {
    expect((await ask('/api/wallets')).status).toBe(200)
    expect((await ask('/api/rewards')).status).toBe(200)
    expect((await ask('/api/wallets/challenges', challenge)).status).toBe(201)
    await waitUntil('the log of the challenge', () =>
      output.some(line => line.includes('/api/wallets/challenges')),
    )
    const first = output.findIndex(line => isLoad(line) && line.includes('node_modules/viem/'))
    expect(first).toBeGreaterThan(output.findIndex(line => line.includes('"/api/rewards"')))
  }))

test('a server without a chain never loads viem, whatever is asked of wallets', () =>
  onReportingServer({ WALLET_CHAIN_IDS: 'off' }, async (ask, output) => {
    expect((await ask('/api/rewards')).status).toBe(200)
    expect((await ask('/api/wallets/challenges', challenge)).status).toBe(422)
    expect((await ask('/api/wallets', { nonce: 'none', signature: '0x12' })).status).toBe(409)
    expect((await ask('/api/wallets')).status).toBe(200)
    await waitUntil('the log of the last request', () => output.some(line => line.includes('"/api/wallets"')))
    expect(output.filter(isLoad)).toEqual([])
  }))
