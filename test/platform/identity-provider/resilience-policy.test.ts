import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { NotAskedError, ProviderError } from '../../../src/platform/identity-provider/fetch-json.ts'
import { createResiliencePolicy } from '../../../src/platform/identity-provider/resilience-policy.ts'
import { KICK_OFF } from '../../support/clock.ts'

/** A provider that the test controls, and that counts its requests. */
function createProvider() {
  const provider = {
    asked: 0,
    answers: () => 'an answer',
    ask: async () => {
      provider.asked++
      return provider.answers()
    },
  }
  return provider
}

const failing = (kind: ProviderError['kind'], status?: number, retryAfter?: number) => () => {
  throw new ProviderError('it fails', kind, retryAfter, status)
}
const kindOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    error => (error instanceof ProviderError ? error.kind : error),
  )

afterEach(() => {
  setSystemTime()
})

test('an unavailable provider is called twice; an invalid response and a refusal are final', async () => {
  for (const [kind, times] of [
    ['unavailable', 2],
    ['invalid', 1],
    ['refused', 1],
  ] as const) {
    const { run: call } = createResiliencePolicy({ retryWaitMs: 2 })
    const provider = createProvider()
    provider.answers = failing(kind)
    expect([await kindOf(call(provider.ask)), provider.asked]).toEqual([kind, times])
  }
})

test('the circuit opens after five consecutive failures, and closes after one success', async () => {
  // The library of the circuit breaker only uses the system clock.
  setSystemTime(KICK_OFF)
  const { run: call } = createResiliencePolicy({ retryWaitMs: 2, openMs: 10_000 })
  const provider = createProvider()
  const wellAgain = provider.answers
  provider.answers = failing('unavailable')
  for (let n = 0; n < 10; n++) expect(await kindOf(call(provider.ask))).toBe('unavailable')
  expect(provider.asked).toBe(5)

  setSystemTime(KICK_OFF + 9_999)
  expect(await kindOf(call(provider.ask))).toBe('unavailable')
  expect(provider.asked).toBe(5)

  setSystemTime(KICK_OFF + 10_000)
  expect(await kindOf(call(provider.ask))).toBe('unavailable')
  // One failed attempt opens it again.
  expect(provider.asked).toBe(6)

  setSystemTime(KICK_OFF + 20_000)
  provider.answers = wellAgain
  for (let n = 0; n < 3; n++) expect(await kindOf(call(provider.ask))).toBe('answered')
  expect(provider.asked).toBe(9)
})

test('refusals and successes in between do not open the circuit', async () => {
  const { run: call } = createResiliencePolicy({ retryWaitMs: 2, openMs: 10_000 })
  const provider = createProvider()
  for (let n = 0; n < 20; n++) {
    provider.answers = failing('refused')
    expect(await kindOf(call(provider.ask))).toBe('refused')
  }
  expect(provider.asked).toBe(20)
})

test.each([408, 425, 429])(
  'responses with status %i to one fan are not retried and do not open the circuit',
  async status => {
    const { run: call } = createResiliencePolicy({ retryWaitMs: 2, openMs: 60_000 })
    const provider = createProvider()
    const wellAgain = provider.answers
    provider.answers = failing('unavailable', status)
    for (let n = 0; n < 20; n++) expect(await kindOf(call(provider.ask))).toBe('unavailable')
    expect(provider.asked).toBe(20)
    provider.answers = wellAgain
    expect(await kindOf(call(provider.ask))).toBe('answered')
  },
)

test('a request that was not sent does not open the circuit', async () => {
  const { run: call } = createResiliencePolicy({ retryWaitMs: 2, openMs: 60_000 })
  const provider = createProvider()
  const wellAgain = provider.answers
  provider.answers = () => {
    throw new NotAskedError(30)
  }
  for (let n = 0; n < 20; n++) expect(await kindOf(call(provider.ask))).toBe('unavailable')
  expect(provider.asked).toBe(20)
  provider.answers = wellAgain
  expect(await kindOf(call(provider.ask))).toBe('answered')
})

test('a failure with Retry-After is not retried', async () => {
  const { run: call } = createResiliencePolicy({ retryWaitMs: 2 })
  const provider = createProvider()
  provider.answers = failing('unavailable', 503, 30)
  await kindOf(call(provider.ask))
  expect(provider.asked).toBe(1)
})
