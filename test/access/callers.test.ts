/** Access: every operation of the OpenAPI document, tried by every kind of caller. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { deleted, deliver } from '../identity/users/deliveries.ts'
import {
  isProtected,
  type Located,
  operationsOf,
  readDocument,
  readsToken,
} from '../platform/docs/document.ts'
import { patientFan } from '../play/packs/packs-world.ts'
import { dump } from '../support/dump.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

/** Operations that need a session token of the provider. */
const SESSIONS_ONLY = ['createNativeToken', 'syncIdentity', 'syncNamedIdentity']

onEngine(sqliteEngine, 'every operation', world => {
  let operations: Located[]
  beforeAll(async () => {
    operations = operationsOf(await readDocument(world)).filter(readsToken)
  })

  const signIn = async (token: string) =>
    (await world.withToken(token).post('/api/auth/native-token')).body as Record<string, string>

  /** Tokens that were valid before, by the reason why they are not. */
  const spent: Record<string, () => Promise<string[]>> = {
    'a session that was logged out': async () => {
      const { token, post } = await patientFan(world)
      await post('/api/auth/logout')
      return [token]
    },
    'a fan who logged out everywhere': async () => {
      const { token, post } = await patientFan(world)
      const native = await signIn(token)
      await post('/api/auth/logout', { everywhere: true })
      return [token, native.token ?? '']
    },
    'a device that was logged out': async () => {
      const native = await signIn((await patientFan(world)).token)
      await world.withToken(native.token ?? '').post('/api/auth/logout')
      return [native.token ?? '']
    },
    'a device that was signed out from another': async () => {
      const fan = await patientFan(world)
      const { token = '', sessionId } = await signIn(fan.token)
      const { status } = await fan.send(`/api/auth/sessions/${sessionId}`, { method: 'DELETE' })
      expect(status).toBe(204)
      return [token]
    },
    'a user that the provider deleted': async () => {
      const { token, subject } = await patientFan(world)
      const native = await signIn(token)
      expect((await deliver(world, deleted(world, subject))).status).toBe(204)
      return [token, native.token ?? '', await world.idp.issueToken(subject)]
    },
    'a refresh token in place of an access token': async () => {
      const native = await signIn((await patientFan(world)).token)
      return [native.refreshToken ?? '']
    },
  }

  const call = ({ method, path }: Located, headers: Record<string, string>) =>
    world.anonymous.send(path.replace(/\{[^}]+\}/g, 'some-id'), {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'GET' ? {} : { body: '{}' }),
    })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  describe('refuses', () => {
    for (const [who, makeTokens] of Object.entries(spent)) {
      test(`${who}, and nothing is written`, async () => {
        const tokens = await makeTokens()
        const before = await dump(world.db)
        expect(operations.length).toBeGreaterThan(15)
        for (const located of operations) {
          for (const token of tokens) {
            const { status, headers, body } = await call(located, bearer(token))
            expect([status, body?.code], located.name).toEqual([401, 'invalid_token'])
            expect(headers.get('www-authenticate'), located.name).toStartWith('Bearer error="invalid_token"')
          }
        }
        expect(await dump(world.db)).toEqual(before)
      })
    }

    test('a caller without a token at every protected operation, and nothing is written', async () => {
      const before = await dump(world.db)
      for (const located of operations.filter(isProtected)) {
        const { status, body } = await call(located, {})
        expect([status, body?.code], located.name).toEqual([401, 'unauthenticated'])
      }
      expect(await dump(world.db)).toEqual(before)
    })
  })

  test('accepts a fan with a session token or a native token, except where a session is required', async () => {
    const fan = await patientFan(world)
    for (const located of operations) {
      // Logging out would revoke the token of the other requests.
      if (['logOut', 'deleteAccount'].includes(located.operation.operationId)) continue
      const { token = '' } = await signIn(fan.token)
      const bySession = await call(located, bearer(fan.token))
      const byDevice = await call(located, bearer(token))
      const name = located.name
      expect([401, 403], name).not.toContain(bySession.status)
      if (SESSIONS_ONLY.includes(located.operation.operationId)) {
        expect([byDevice.status, byDevice.body.code], name).toEqual([403, 'session_required'])
      } else {
        expect([401, 403], name).not.toContain(byDevice.status)
      }
    }
  })
})
