/** Requests to chains: deadlines, the guard against internal addresses, and the log. */
import { expect, test } from 'bun:test'
import { pino } from 'pino'
import { createGuardedFetch } from '../../../src/core/ssrf-guard.ts'
import type { Fetch } from '../../../src/platform/identity-provider/fetch-json.ts'
import { createChains } from '../../../src/play/wallets/chains.ts'

const [CONTRACT, OWNER] = [`0x${'c'.repeat(40)}`, `0x${'A'.repeat(40)}`] as const

function chainsBy(fetch: Fetch, url = 'https://rpc.example/key-of-the-club') {
  const lines: string[] = []
  const log = pino({ base: null }, { write: line => void lines.push(line) })
  const resilience = { deadlineMs: 50, retryWaitMs: 2, openMs: 60_000 }
  const elapsed = () => performance.now()
  return { lines, chains: createChains({ rpcUrls: new Map([[1, url]]), fetch, log, elapsed, resilience }) }
}

test('a call to a chain that never responds ends at the deadline, and is not made after too many failures', async () => {
  let asked = 0
  const { chains, lines } = chainsBy(() => {
    asked++
    return new Promise(() => {})
  })
  for (let n = 0; n < 20; n++)
    await expect(chains.balancesOf(1, CONTRACT, [OWNER])).rejects.toMatchObject({ code: 'chain_unavailable' })
  expect(asked).toBeLessThanOrEqual(6)
  expect(lines.join('\n')).toContain('no complete response within 50 ms')
  expect(lines.join('\n')).not.toContain('key-of-the-club')
})

test.each([
  ['resolves to a private address', 'https://rpc.example/', ['10.0.0.7']],
  ['resolves to a metadata service', 'https://rpc.example/', ['169.254.169.254']],
  ['is a loopback address', 'http://127.0.0.1:8545/', []],
])('in production, a URL whose host %s is not called', async (_, url, addresses) => {
  let sent = 0
  const transport = async () => {
    sent++
    return new Response('{}')
  }
  const guarded = createGuardedFetch({ publicOnly: true, resolve: async () => addresses, transport })
  const { chains, lines } = chainsBy(guarded, url)
  await expect(chains.balancesOf(1, CONTRACT, [OWNER])).rejects.toMatchObject({ code: 'chain_unavailable' })
  expect(sent).toBe(0)
  expect(lines.join('\n')).toContain('its address is not permitted')
})
