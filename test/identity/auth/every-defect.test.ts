/** Every defect that a provider's token can have, at every operation that reads one. */
import { beforeAll, expect, test } from 'bun:test'
import { defects } from '../../../mock-idp/oidc/defects.ts'
import {
  isProtected,
  type Located,
  operationsOf,
  readDocument,
  readsToken,
} from '../../platform/docs/document.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { tokenOf } from './provider-controls.ts'

onEngine(sqliteEngine, 'every documented operation', world => {
  let operations: Located[]
  beforeAll(async () => {
    operations = operationsOf(await readDocument(world)).filter(readsToken)
  })

  /** The body is invalid for every schema, so that nothing is executed: authentication precedes validation. */
  const call = ({ method, path }: Located, token: string) =>
    world.withToken(token).send(path.replace(/\{[^}]+\}/g, 'some-id'), {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: '{"no":"member"}' }),
    })

  test('is covered: there are protected operations of each method, and a valid token is accepted by all', async () => {
    const locked = operations.filter(isProtected)
    expect(locked.map(({ method }) => method)).toEqual(
      expect.arrayContaining(['GET', 'POST', 'PATCH', 'DELETE']),
    )
    for (const located of operations) {
      const { status, headers } = await call(located, await tokenOf(world, {}))
      expect([200, 404, 415, 422], located.name).toContain(status)
      expect(headers.get('www-authenticate'), located.name).toBeNull()
    }
  })

  test('accepts a native token as well, or requires a session: it is never 401', async () => {
    const { token } = (await (await world.fan()).post('/api/auth/native-token', {})).body
    for (const located of operations) {
      const { status, headers } = await call(located, token)
      expect([200, 403, 404, 415, 422], located.name).toContain(status)
      expect(headers.get('www-authenticate'), located.name).toBeNull()
    }
  })

  for (const defect of defects) {
    test(`refuses a token with the defect ${defect} with 401 invalid_token`, async () => {
      const token = await tokenOf(world, { defect })
      for (const located of operations) {
        const { status, headers, body } = await call(located, token)
        expect([status, body?.code], located.name).toEqual([401, 'invalid_token'])
        expect(headers.get('www-authenticate'), located.name).toBe(
          `Bearer error="invalid_token", error_description="${body.detail}"`,
        )
      }
    })
  }
})
