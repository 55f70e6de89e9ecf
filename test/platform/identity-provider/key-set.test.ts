/** When the provider's keys are fetched because of an unknown key id. */
import { expect, test } from 'bun:test'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import {
  createKeySet,
  FETCH_COOLDOWN_MS,
  KEYS_FRESH_MS,
} from '../../../src/platform/identity-provider/key-set.ts'

const HOUR_MS = 3_600_000

async function keyNamed(kid: string): Promise<JWK> {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
}
const [old, renewed] = await Promise.all([keyNamed('old'), keyNamed('new')])

/** A key set with the old key, and a provider whose responses the test controls. */
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
  /** The provider's response to the last fetch; an empty set is a failure. */
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
/** Runs the callbacks of settled promises. */
const settle = () => new Promise(setImmediate)
const outcomes = async (work: Promise<unknown>[]) =>
  (await Promise.allSettled(work)).map(({ status }) => status)

test('a token of a new key that arrives during a fetch waits for that fetch', async () => {
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

test('an unknown key id causes one fetch per cooldown, although every fetch succeeds', async () => {
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

test('a scheduled fetch does not delay the discovery of a new key', async () => {
  const { clock, fetches, findWith, refreshWith } = await createStage()
  clock.ms += KEYS_FRESH_MS / 2
  await refreshWith([old])
  expect(await findWith('new', [old, renewed])).toBe('fulfilled')
  expect(fetches).toHaveLength(3)
})

test('after a failed scheduled fetch, a new key stays unknown until the cooldown has passed', async () => {
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
