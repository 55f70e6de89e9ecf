/** Eden's typed client on the application in process: the compiler checks the types, the test that they are true. */
import { expect, test } from 'bun:test'
import { treaty } from '@elysiajs/eden'
import { type App, createClient } from '../../src/app/eden.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

/** Compiles when `A` and `B` are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isSame = <A, B>(same: Same<A, B>) => expect<boolean>(same).toBe(true)

onEngine(sqliteEngine, 'Eden’s client', world => {
  const connect = () => treaty<App>(world.app).api

  test('narrows an error by its status and code', async () => {
    const { data, error } = await connect().rewards.claim.post({ rewardId: 'none' })
    expect(data).toBeNull()
    expect(error?.status).toBe(401)
    switch (error?.status) {
      case 401:
        isSame<typeof error.value.code, 'unauthenticated' | 'invalid_token'>(true)
        expect(error.value.code).toBe('unauthenticated')
        break
      case 404:
        isSame<typeof error.value.code, 'reward_not_found'>(true)
        break
      case 409:
        if (error.value.code === 'insufficient_points') isSame<typeof error.value.missingPoints, number>(true)
        // @ts-expect-error: only `insufficient_points` has the member
        if (error.value.code === 'already_claimed') error.value.missingPoints
        break
      case 422:
        isSame<typeof error.value.code, 'validation_failed' | 'idempotency_key_reused'>(true)
        if (error.value.code === 'validation_failed')
          isSame<undefined extends typeof error.value.errors ? 1 : 0, 0>(true)
        break
      case 429:
        isSame<typeof error.value.code, 'rate_limited'>(true)
        break
    }
  })

  test('narrows the refusals of operations for server keys', async () => {
    const lookUp = connect().redemptions({ code: 'none' })
    const { error } = await lookUp.get()
    expect(error?.status).toBe(401)
    switch (error?.status) {
      case 401:
        isSame<typeof error.value.code, 'unauthenticated' | 'invalid_server_key'>(true)
        break
      case 403:
        isSame<typeof error.value.code, 'insufficient_scope'>(true)
        isSame<typeof error.value.scope, string>(true)
        break
      case 404:
        isSame<typeof error.value.code, 'redemption_not_found'>(true)
        break
    }
    const key = await world.serverKey(['redemptions:read'])
    const refused = await lookUp.use.post({}, { headers: { authorization: `Bearer ${key}` } })
    if (refused.error?.status === 403) expect(refused.error.value.scope).toBe('redemptions:write')
    expect(refused.error?.status).toBe(403)
  })

  test('leaves instants as the strings that the types name', async () => {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: request => world.app.handle(request) })
    try {
      const { token } = await world.fan()
      const client = createClient(`http://127.0.0.1:${server.port}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const { data } = await client.api.user.onboarding.post({})
      isSame<NonNullable<typeof data>['completedAt'], string | null>(true)
      expect(data?.completedAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    } finally {
      await server.stop(true)
    }
  })

  test('types the body of a request and the data of a response', async () => {
    const api = connect()
    // @ts-expect-error: a member that the operation does not take
    const wrong = await api.rewards.claim.post({ rewardID: 'none' })
    expect(wrong.error?.status).toBe(401)
    const { data } = await api.teams.get()
    isSame<NonNullable<typeof data>['teams'][number]['id'], string>(true)
    expect(Array.isArray(data?.teams)).toBe(true)
  })
})
