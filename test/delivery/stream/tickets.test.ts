/** Tickets for `EventSource`: once, for 30 seconds, and no longer than the token. */
import { afterEach, beforeAll, expect, test } from 'bun:test'
import { waitUntil } from '../../support/wait-until.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { closeStreams, openStream } from './stream-world.ts'

const SECOND = 1_000

onEachEngine('Stream tickets', world => {
  let origin: string

  beforeAll(() => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${world.app.server?.port}`
  })
  afterEach(async () => {
    closeStreams()
    await waitUntil('the server noticed', () => world.deps.streams.size === 0)
  })

  const issue = async (fan: Pick<Fan, 'post'>) => (await fan.post('/api/stream/tickets')).body
  const open = (ticket: string) => openStream(origin, `topics=me&ticket=${encodeURIComponent(ticket)}`)

  async function refusal(ticket: string) {
    const path = `/api/stream?topics=me&ticket=${encodeURIComponent(ticket)}`
    const { status, body } = await world.anonymous.get(path)
    return [status, body?.code]
  }

  test.each(['session', 'native'])('a ticket of a %s token opens the stream of its fan', async kind => {
    const fan = await world.fan()
    const native = async () => (await fan.post('/api/auth/native-token')).body.token
    const { ticket, expiresAt } = await issue(
      kind === 'session' ? fan : world.withToken((await native()) as string),
    )
    expect(Date.parse(expiresAt)).toBe(world.clock.ms + 30 * SECOND)
    const stream = await open(ticket)
    expect(await stream.nth(1)).toMatchObject({ event: 'reset' })
    await fan.post('/api/user/onboarding')
    expect(await stream.nth(2)).toMatchObject({ event: 'onboarding.completed' })
    await fan.post('/api/auth/logout', { everywhere: true })
    await stream.ended()
  })

  test('one of many concurrent requests with the same ticket opens a stream', async () => {
    const { ticket } = await issue(await world.fan())
    const streams = await Promise.all(Array.from({ length: 10 }, () => open(ticket)))
    expect(streams.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(401)])
    expect(await refusal(ticket)).toEqual([401, 'invalid_token'])
  })

  test('a ticket is refused after 30 seconds', async () => {
    const { ticket } = await issue(await world.fan())
    world.clock.advance(30 * SECOND)
    expect(await refusal(ticket)).toEqual([401, 'invalid_token'])
  })

  test('a ticket ends with its token', async () => {
    const fan = await world.fan()
    const token = await world.idp.issueToken(fan.subject)
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    world.clock.ms = (exp - 5) * SECOND
    const { expiresAt } = await issue(world.withToken(token))
    expect(Date.parse(expiresAt)).toBe(exp * SECOND)
  })

  test('a ticket of a token that is logged out is refused', async () => {
    const fan = await world.fan()
    const { ticket } = await issue(fan)
    await fan.post('/api/auth/logout')
    expect(await refusal(ticket)).toEqual([401, 'invalid_token'])
  })

  test.each([
    ['that was changed', (ticket: string) => `${ticket.slice(0, -8)}AAAAAAAA`],
    ['that is none', () => 'abc'],
    ['of a cursor', () => world.deps.cursors.encode('list', 'position')],
  ])('a ticket %s is refused', async (_, change) => {
    const { ticket } = await issue(await world.fan())
    expect(await refusal(change(ticket))).toEqual([401, 'invalid_token'])
  })

  test('a ticket is not stored before it is used', async () => {
    const { revokedTokens } = world.db.tables
    const count = async () => (await world.db.read.select().from(revokedTokens)).length
    const before = await count()
    const { ticket } = await issue(await world.fan())
    expect(await count()).toBe(before)
    await open(ticket)
    expect(await count()).toBe(before + 1)
  })

  test('a ticket opens nothing but a stream', async () => {
    const { ticket } = await issue(await world.fan())
    const { status, body } = await world.anonymous.get('/api/user/profile', {
      authorization: `Bearer ${ticket}`,
    })
    expect([status, body.code]).toEqual([401, 'invalid_token'])
    expect((await open(ticket)).status).toBe(200)
  })

  test('an anonymous caller gets no ticket', async () => {
    const { status, body } = await world.anonymous.post('/api/stream/tickets')
    expect([status, body.code]).toEqual([401, 'unauthenticated'])
  })
})
