import { expect, test } from 'bun:test'
import { defects } from '../../mock-idp/oidc/defects.ts'
import { createWorld, issuer } from './world.ts'

test('userinfo gives the standard claims of the token’s user, by GET and POST', async () => {
  const { idp, userinfo } = createWorld()
  const token = await idp.issueToken('fan-0005')
  const claims = await (await userinfo(token)).json()
  expect(claims).toMatchObject({
    sub: 'fan-0005',
    name: expect.any(String),
    preferred_username: expect.any(String),
    email_verified: expect.any(Boolean),
    picture: `${issuer}/avatars/fan-0005.png`,
    updated_at: expect.any(Number),
  })
  const posted = await idp.fetch(`${issuer}/userinfo`, {
    method: 'POST',
    headers: { authorization: `bearer ${token}` },
  })
  expect(await posted.json()).toEqual(claims)
})

test('userinfo without a token sends a challenge without an error code', async () => {
  const response = await createWorld().get('/userinfo')
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="mock-idp"')
})

for (const defect of defects) {
  test(`userinfo rejects a token with the defect ${defect}`, async () => {
    const { idp, userinfo } = createWorld()
    const response = await userinfo(await idp.issueToken('fan-0001', { defect }))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })
}

test('userinfo uses the provider’s clock', async () => {
  const { idp, userinfo } = createWorld()
  const token = await idp.issueToken('fan-0001', { expiresIn: 60 })
  await idp.advance(59_000)
  expect((await userinfo(token)).status).toBe(200)
  await idp.advance(1_000)
  expect((await userinfo(token)).status).toBe(401)
})

test('a deleted user’s token is invalid, and its sub is never reused', async () => {
  const { idp, userinfo, send } = createWorld()
  const token = await idp.issueToken('fan-0001')
  expect((await send('DELETE', '/_mock/users/fan-0001')).status).toBe(204)
  expect((await userinfo(token)).status).toBe(401)
  expect((await send('POST', '/_mock/users', { sub: 'fan-0001' })).status).toBe(409)
  await expect(idp.issueToken('fan-0001')).rejects.toThrow('no user')
})
