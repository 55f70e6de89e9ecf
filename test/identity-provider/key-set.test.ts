/** When the provider is asked for its keys because of a key id that nobody knows. */
import { expect, test } from 'bun:test'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { createKeySet, FETCH_COOLDOWN_MS, KEYS_FRESH_MS } from '../../src/identity-provider/key-set.ts'

const HOUR_MS = 3_600_000

async function keyNamed(kid: string): Promise<JWK> {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
}
const [old, renewed] = await Promise.all([keyNamed('old'), keyNamed('new')])

/** A key set that holds the old key, over a provider that answers when the test says so. */
async function createStage() {
  const clock = { ms: 0 }
  const fetches: PromiseWithResolvers<Record<string, unknown>>[] = []
  const keySet = createKeySet({
    load() {
      const fetch = Promise.withResolvers<Record<string, unknown>>()
      fetches.push(fetch)
      return fetch.promise
    },
    elapsed: () => clock.ms,
    usableMs: HOUR_MS,
    onChange: () => {},
    onFailure: () => {},
  })
  const find = async (kid: string) => keySet.find({ alg: 'ES256', kid }, { payload: '', signature: '' })
  /** What the provider answers to the last fetch; an empty set is a failure. */
  const reply = (keys: JWK[]) => fetches.at(-1)?.resolve({ keys })
  async function refreshWith(keys: JWK[]) {
    const refreshed = keySet.refresh()
    reply(keys)
    await refreshed
  }
  async function findWith(kid: string, keys: JWK[]) {
    const found = outcomes([find(kid)])
    await settle()
    reply(keys)
    return (await found)[0]
  }
  await refreshWith([old])
  return { clock, fetches, find, findWith, refreshWith, reply }
}
/** All that waits for what has happened already has run. */
const settle = () => new Promise(setImmediate)
const outcomes = async (work: Promise<unknown>[]) =>
  (await Promise.allSettled(work)).map(({ status }) => status)

test('a token of a new key that comes while the keys are fetched waits for that fetch', async () => {
  const { fetches, find, reply } = await createStage()
  const first = find('new')
  await settle()
  expect(fetches).toHaveLength(2)
  const second = find('new')
  await settle()
  expect(fetches).toHaveLength(2)
  reply([old, renewed])
  expect(await outcomes([first, second])).toEqual(['fulfilled', 'fulfilled'])
})

test('an unknown key id asks once a cooldown, though every fetch succeeds', async () => {
  const { clock, fetches, findWith } = await createStage()
  expect(await findWith('unknown', [old])).toBe('rejected')
  expect(fetches).toHaveLength(2)
  clock.ms += FETCH_COOLDOWN_MS - 1
  expect(await findWith('unknown', [old])).toBe('rejected')
  expect(fetches).toHaveLength(2)
  clock.ms += 1
  expect(await findWith('unknown', [old])).toBe('rejected')
  expect(fetches).toHaveLength(3)
})

test('a fetch on schedule does not keep a new key unknown', async () => {
  const { clock, fetches, findWith, refreshWith } = await createStage()
  clock.ms += KEYS_FRESH_MS / 2
  await refreshWith([old])
  expect(await findWith('new', [old, renewed])).toBe('fulfilled')
  expect(fetches).toHaveLength(3)
})

test('after a fetch on schedule that failed, a new key stays unknown until the cooldown has passed', async () => {
  const { clock, fetches, findWith, refreshWith } = await createStage()
  clock.ms += KEYS_FRESH_MS / 2
  await refreshWith([])
  expect(await findWith('new', [old, renewed])).toBe('rejected')
  clock.ms += FETCH_COOLDOWN_MS - 1
  expect(await findWith('new', [old, renewed])).toBe('rejected')
  expect(fetches).toHaveLength(2)
  clock.ms += 1
  expect(await findWith('new', [old, renewed])).toBe('fulfilled')
  expect(fetches).toHaveLength(3)
})
