/** The warm-up of the bench, and the priming of tokens. */
import { expect, test } from 'bun:test'
import { primeTokens } from '../../scripts/bench/prime-tokens.ts'
import { warmUp } from '../../scripts/bench/warm-up.ts'

const options = { quick: false, seconds: 4, warmUp: 12 }

/** A server with these throughputs per second of load; the last one repeats. */
function server(...throughputs: number[]) {
  const loads: number[] = []
  return {
    loads,
    load: async (seconds: number) => ({
      perSecond: throughputs[Math.min(loads.push(seconds), throughputs.length) - 1] ?? 0,
    }),
  }
}

test('a warm-up ends after four seconds without improvement', async () => {
  const fast = server(100, 100, 100)
  expect(await warmUp(fast.load, options)).toEqual({ seconds: 5, steady: true })
  expect(fast.loads).toEqual([1, 1, 1, 1, 1])

  const slow = server(10, 20, 40, 60, 70, 72)
  expect(await warmUp(slow.load, options)).toEqual({ seconds: 9, steady: true })

  const unsteady = server(100, 100, 80, 120, 120, 110)
  expect(await warmUp(unsteady.load, options)).toEqual({ seconds: 8, steady: true })
})

test('a warm-up ends earlier at its time limit, with too few requests left, and with --quick', async () => {
  const improving = server(...Array.from({ length: 20 }, (_, at) => 100 * 1.2 ** at))
  expect(await warmUp(improving.load, options)).toEqual({ seconds: 12, steady: false })

  const scarce = server(10, 20, 40, 80)
  expect(await warmUp(scarce.load, options, perSecond => perSecond < 20)).toEqual({
    seconds: 2,
    steady: false,
  })

  const quick = server(10, 20)
  expect(await warmUp(quick.load, { ...options, quick: true })).toMatchObject({ seconds: 2 })
  expect(quick.loads).toEqual([2])
})

test('priming sends every token once, and fails on an error', async () => {
  const seen: string[] = []
  const api = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      seen.push(`${new URL(request.url).pathname} ${request.headers.get('authorization')}`)
      return new Response('ready', { status: request.url.endsWith('/rejected') ? 401 : 200 })
    },
  })
  try {
    const tokens = Array.from({ length: 100 }, (_, at) => `token-${at}`)
    const expected = tokens.map(token => `/api/rewards Bearer ${token}`)
    await primeTokens(api.url.origin, tokens, '/api/rewards')
    expect(seen.toSorted()).toEqual(expected.toSorted())

    await expect(primeTokens(api.url.origin, tokens, '/rejected')).rejects.toThrow('responds with 401')
  } finally {
    await api.stop(true)
  }
})
