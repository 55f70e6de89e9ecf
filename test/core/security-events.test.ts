/** Security events are logged once each, with stable names and without personal data. */
import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { logSecurityEvent, SECURITY_EVENTS } from '../../src/core/security-events.ts'
import { deleted, deliver, updated } from '../identity/users/deliveries.ts'
import { root } from '../support/dev.ts'
import { onEachEngine } from '../support/world.ts'

onEachEngine('Security events', world => {
  beforeEach(() => {
    world.logged.length = 0
  })
  /** Lines with a `securityEvent`, without their level and time. */
  const events = () =>
    world.logged.flatMap(text => {
      const { level, time, msg, ...line } = JSON.parse(text)
      return 'securityEvent' in line ? [{ level, ...line }] : []
    })
  const WARN = 40

  test('a delivery of the identity webhook whose signature does not verify', async () => {
    const { subject } = await world.fan()
    const event = updated(world, subject, { name: 'Forged Name' })
    expect((await deliver(world, event)).status).toBe(204)
    expect(events()).toEqual([])
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    for (const envelope of [{ secret }, { skew: -301 }, { headers: { 'webhook-signature': null } }]) {
      const answer = await deliver(world, event, envelope)
      const requestId = answer.headers.get('x-request-id')
      const path = '/api/webhooks/identity'
      expect([answer.status, events().pop()]).toEqual([
        401,
        { level: WARN, securityEvent: 'webhook_signature_invalid', requestId, path },
      ])
    }
    expect(events()).toHaveLength(3)
    expect(world.logged.join()).not.toContain('Forged')
  })

  test('the reuse of a refresh token, with the session that it ended', async () => {
    const fan = await world.fan()
    const { refreshToken, sessionId } = (await fan.post('/api/auth/native-token', {})).body
    const refresh = (token = refreshToken) =>
      world.anonymous.post('/api/auth/native-token/refresh', { refreshToken: token })
    expect((await refresh()).status).toBe(200)
    const { body: successor } = await refresh()
    expect((await refresh(successor.refreshToken)).status).toBe(200)
    expect(events()).toEqual([])
    const answer = await refresh()
    expect(answer.status).toBe(401)
    const requestId = answer.headers.get('x-request-id')
    expect(events()).toEqual([{ level: WARN, securityEvent: 'refresh_token_reused', requestId, sessionId }])
    const again = await refresh()
    expect(again.status).toBe(401)
    expect(events()[1]).toEqual({
      level: WARN,
      securityEvent: 'ended_session_used',
      requestId: again.headers.get('x-request-id'),
      sessionId,
    })
    expect(world.logged.join()).not.toContain(refreshToken)
  })

  test('a native token whose session was ended', async () => {
    const fan = await world.fan()
    const { token, sessionId } = (await fan.post('/api/auth/native-token', {})).body
    const device = world.withToken(token)
    expect((await device.get('/api/rewards')).status).toBe(200)
    expect((await fan.send(`/api/auth/sessions/${sessionId}`, { method: 'DELETE' })).status).toBe(204)
    expect(events()).toEqual([])
    const { status, headers } = await device.get('/api/rewards')
    const requestId = headers.get('x-request-id')
    const event = { securityEvent: 'ended_session_used', requestId, path: '/api/rewards', sessionId }
    expect([status, events()]).toEqual([401, [{ level: WARN, ...event }]])
    expect(world.logged.join()).not.toContain(token)
  })

  test('a logout everywhere, and not a logout of one session', async () => {
    const fan = await world.fan()
    const { id: userId } = (await fan.post('/api/user/profile', {})).body
    const other = world.withToken(await world.idp.issueToken(fan.subject))
    expect((await other.post('/api/auth/logout', {})).status).toBe(204)
    expect(events()).toEqual([])
    const { status, headers } = await fan.post('/api/auth/logout', { everywhere: true })
    const requestId = headers.get('x-request-id')
    expect([status, events()]).toEqual([
      204,
      [{ level: WARN, securityEvent: 'logout_everywhere', requestId, userId }],
    ])
  })

  test('a token of a user deleted by the provider, session token and native token', async () => {
    const fan = await world.fan()
    const { id: userId } = (await fan.post('/api/user/profile', {})).body
    const native = world.withToken((await fan.post('/api/auth/native-token', {})).body.token)
    expect((await deliver(world, deleted(world, fan.subject))).status).toBe(204)
    for (const client of [fan, native]) {
      world.logged.length = 0
      const { status, headers } = await client.get('/api/rewards')
      const requestId = headers.get('x-request-id')
      expect([status, events()]).toEqual([
        401,
        [{ level: WARN, securityEvent: 'deleted_user_token_used', requestId, path: '/api/rewards', userId }],
      ])
    }
    expect(world.logged.join()).not.toContain(fan.subject)
  })

  test('an invalid token is no security event: expired, of another issuer or with an invalid signature', async () => {
    for (const defect of ['expired', 'wrong_issuer', 'wrong_key', 'alg_none'] as const) {
      const token = await world.idp.issueToken('fan-0001', { defect })
      expect((await world.withToken(token).get('/api/rewards')).status).toBe(401)
    }
    expect(events()).toEqual([])
  })
})

describe('a flood of events', () => {
  afterEach(() => void jest.useRealTimers())

  test('writes ten lines per second and event, and one line with the number of the others', () => {
    jest.useFakeTimers()
    const lines: { securityEvent: string; count?: number }[] = []
    const log = pino({ base: null }, { write: line => void lines.push(JSON.parse(line)) })
    const burst = (size: number) => {
      for (let n = 0; n < size; n++) logSecurityEvent(log, 'webhook_signature_invalid', {})
    }
    const taken = () => lines.splice(0).map(({ securityEvent, count }) => [securityEvent, count])
    const single = ['webhook_signature_invalid', undefined]
    burst(5_000)
    logSecurityEvent(log, 'logout_everywhere', {})
    expect(taken()).toEqual([...Array(10).fill(single), ['logout_everywhere', undefined]])
    jest.advanceTimersByTime(1_000)
    expect(taken()).toEqual([['webhook_signature_invalid', 4_990]])
    burst(1)
    jest.advanceTimersByTime(1_000)
    expect(taken()).toEqual([single])
  })
})

test('docs/security.md lists exactly the existing events', () => {
  const text = readFileSync(join(root, 'docs/security.md'), 'utf8')
  const [, section = ''] = text.split('## Security events\n')
  const listed = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z_]+)`/gm)].map(([, name]) => name)
  expect(listed).toEqual(Object.keys(SECURITY_EVENTS))
})
