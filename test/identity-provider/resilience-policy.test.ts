import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { NotAskedError, ProviderError } from '../../src/identity-provider/fetch-json.ts'
import { createResiliencePolicy } from '../../src/identity-provider/resilience-policy.ts'
import { KICK_OFF } from '../support/clock.ts'

/** A provider that does as told, and counts how often it is asked. */
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

test('an unavailable provider is asked twice, an invalid answer and a refusal are final', async () => {
  for (const [kind, times] of [
    ['unavailable', 2],
    ['invalid', 1],
    ['refused', 1],
  ] as const) {
    const call = createResiliencePolicy({ retryWaitMs: 2 })
    const provider = createProvider()
    provider.answers = failing(kind)
    expect([await kindOf(call(provider.ask)), provider.asked]).toEqual([kind, times])
  }
})

test('the breaker opens after five failures in a row, and closes when one call is answered', async () => {
  // The breaker's library knows the machine's clock alone.
  setSystemTime(KICK_OFF)
  const call = createResiliencePolicy({ retryWaitMs: 2, openMs: 10_000 })
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
  // One try, and it is open again.
  expect(provider.asked).toBe(6)

  setSystemTime(KICK_OFF + 20_000)
  provider.answers = wellAgain
  for (let n = 0; n < 3; n++) expect(await kindOf(call(provider.ask))).toBe('answered')
  expect(provider.asked).toBe(9)
})

test('refusals and answers in between open no breaker', async () => {
  const call = createResiliencePolicy({ retryWaitMs: 2, openMs: 10_000 })
  const provider = createProvider()
  for (let n = 0; n < 20; n++) {
    provider.answers = failing('refused')
    expect(await kindOf(call(provider.ask))).toBe('refused')
  }
  expect(provider.asked).toBe(20)
})

test.each([408, 425, 429])(
  'answers of status %i to one fan are not retried and open no breaker',
  async status => {
    const call = createResiliencePolicy({ retryWaitMs: 2, openMs: 60_000 })
    const provider = createProvider()
    const wellAgain = provider.answers
    provider.answers = failing('unavailable', status)
    for (let n = 0; n < 20; n++) expect(await kindOf(call(provider.ask))).toBe('unavailable')
    expect(provider.asked).toBe(20)
    provider.answers = wellAgain
    expect(await kindOf(call(provider.ask))).toBe('answered')
  },
)

test('a call that was not made says nothing about the provider, and opens no breaker', async () => {
  const call = createResiliencePolicy({ retryWaitMs: 2, openMs: 60_000 })
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
  const call = createResiliencePolicy({ retryWaitMs: 2 })
  const provider = createProvider()
  provider.answers = failing('unavailable', 503, 30)
  await kindOf(call(provider.ask))
  expect(provider.asked).toBe(1)
})
