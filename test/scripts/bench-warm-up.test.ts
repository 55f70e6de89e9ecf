/** How long the bench loads a server before it believes a number, and how callers become known to it. */
import { expect, test } from 'bun:test'
import { introduce } from '../../scripts/bench/introduce.ts'
import { warmUp } from '../../scripts/bench/warm-up.ts'

const options = { quick: false, seconds: 4, warmUp: 12 }

/** A server that brings so many requests in each second of load, the last one for good. */
function server(...throughputs: number[]) {
  const loads: number[] = []
  return {
    loads,
    load: async (seconds: number) => ({
      perSecond: throughputs[Math.min(loads.push(seconds), throughputs.length) - 1] ?? 0,
    }),
  }
}

test('a server is warm when four seconds in a row bring nothing better', async () => {
  const fast = server(100, 100, 100)
  expect(await warmUp(fast.load, options)).toEqual({ seconds: 5, steady: true })
  expect(fast.loads).toEqual([1, 1, 1, 1, 1])

  const slow = server(10, 20, 40, 60, 70, 72)
  expect(await warmUp(slow.load, options)).toEqual({ seconds: 9, steady: true })

  const unsteady = server(100, 100, 80, 120, 120, 110)
  expect(await warmUp(unsteady.load, options)).toEqual({ seconds: 8, steady: true })
})

test('a warm-up ends without that: when it takes too long, when its requests run short, and with --quick', async () => {
  const restless = server(...Array.from({ length: 20 }, (_, at) => 100 * 1.2 ** at))
  expect(await warmUp(restless.load, options)).toEqual({ seconds: 12, steady: false })

  const scarce = server(10, 20, 40, 80)
  expect(await warmUp(scarce.load, options, perSecond => perSecond < 20)).toEqual({
    seconds: 2,
    steady: false,
  })

  const quick = server(10, 20)
  expect(await warmUp(quick.load, { ...options, quick: true })).toMatchObject({ seconds: 2 })
  expect(quick.loads).toEqual([2])
})

test('an introduction shows every token once, to several workers on a dozen connections, and stops at a refusal', async () => {
  const seen: string[] = []
  const api = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      seen.push(`${new URL(request.url).pathname} ${request.headers.get('authorization')}`)
      return new Response('ready', { status: request.url.endsWith('/refused') ? 401 : 200 })
    },
  })
  try {
    const tokens = Array.from({ length: 100 }, (_, at) => `token-${at}`)
    const expected = tokens.map(token => `/api/rewards Bearer ${token}`)
    await introduce(api.url.origin, tokens, '/api/rewards', { workers: 1 })
    expect(seen.toSorted()).toEqual(expected.toSorted())

    seen.length = 0
    await introduce(api.url.origin, tokens, '/api/rewards', { workers: 2 })
    expect(seen.toSorted()).toEqual(expected.flatMap(line => Array(12).fill(line)).toSorted())

    await expect(introduce(api.url.origin, tokens, '/refused', { workers: 1 })).rejects.toThrow('answers 401')
  } finally {
    await api.stop(true)
  }
})
