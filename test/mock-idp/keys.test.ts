import { expect, test } from 'bun:test'
import { decodeProtectedHeader } from 'jose'
import { createWorld } from './world.ts'

interface Keys {
  current: string
  keys: { kid: string; alg: string }[]
  retired?: string[]
}

test('tokens of a rotated key are valid until that key is retired', async () => {
  const { idp, json, get, userinfo } = createWorld()
  const old = await idp.issueToken('fan-0001')
  const rotated = await json<Keys>('POST', '/_mock/keys/rotate')
  expect(rotated.keys).toHaveLength(2)
  const fresh = await idp.issueToken('fan-0001')
  expect(decodeProtectedHeader(fresh).kid).toBe(rotated.current)
  expect(decodeProtectedHeader(old).kid).not.toBe(rotated.current)
  for (const token of [old, fresh]) expect((await userinfo(token)).status).toBe(200)

  const retired = await json<Keys>('POST', '/_mock/keys/retire')
  expect(retired.retired).toEqual([decodeProtectedHeader(old).kid ?? ''])
  const jwks = (await (await get('/.well-known/jwks.json')).json()) as Keys
  expect(jwks.keys.map(({ kid }) => kid)).toEqual([rotated.current])
  expect((await userinfo(old)).status).toBe(401)
  expect((await userinfo(fresh)).status).toBe(200)
})

test('a rotation may choose one of the four algorithms and no other', async () => {
  const { idp, json, send, userinfo } = createWorld()
  for (const alg of ['ES256', 'RS256', 'PS256', 'EdDSA']) {
    const { keys } = await json<Keys>('POST', '/_mock/keys/rotate', { alg })
    expect(keys[0]?.alg).toBe(alg)
    const token = await idp.issueToken('fan-0001')
    expect(decodeProtectedHeader(token).alg).toBe(alg)
    expect((await userinfo(token)).status).toBe(200)
  }
  expect((await send('POST', '/_mock/keys/rotate', { alg: 'HS256' })).status).toBe(400)
})

test('no two providers share a key', async () => {
  const [one, two] = [createWorld(), createWorld()]
  expect((await two.userinfo(await one.idp.issueToken('fan-0001'))).status).toBe(401)
})
