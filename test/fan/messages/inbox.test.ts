/** The inbox: pages, read marks over two devices, deletion, retention, the dashboard and the stream. */
import { afterEach, beforeAll, expect, test } from 'bun:test'
import { deleteOldMessages } from '../../../src/fan/messages/personal-data.ts'
import { bearer, closeStreams, openStream } from '../../delivery/stream/stream-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { addNotification, happens, inboxOf, knownFan } from './messages-world.ts'

onEachEngine('An inbox', world => {
  beforeAll(async () => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    await addNotification(world, { id: 'told', title: 'Number {{/n}}' })
  })
  afterEach(closeStreams)

  async function fanWith(count: number) {
    const fan = await knownFan(world)
    for (let n = 1; n <= count; n++) {
      world.clock.advance(1_000)
      await happens(world, fan.id, { n })
    }
    return fan
  }
  const read = async (fan: Fan, body: object) =>
    expectStatus(200, await fan.post('/api/user/inbox/read', body)).unread

  test('is paged, newest first, with the number of unread messages', async () => {
    const fan = await fanWith(3)
    const { messages, unread, nextCursor } = expectStatus(200, await fan.get('/api/user/inbox?limit=2'))
    expect([messages.map(({ title }: { title: string }) => title), unread]).toEqual([
      ['Number 3', 'Number 2'],
      3,
    ])
    // A new message changes no page.
    await happens(world, fan.id, { n: 4 })
    const rest = expectStatus(200, await fan.get(`/api/user/inbox?limit=2&cursor=${nextCursor}`))
    expect([rest.messages.map(({ title }: { title: string }) => title), rest.nextCursor]).toEqual([
      ['Number 1'],
      null,
    ])
    expect((await fan.get('/api/user/inbox?cursor=AAAA')).body.code).toBe('invalid_cursor')
    const other = await knownFan(world)
    expect((await other.get(`/api/user/inbox?cursor=${nextCursor}`)).body.code).toBe('invalid_cursor')
    expect(await inboxOf(await world.fan())).toEqual({ messages: [], unread: 0, nextCursor: null })
  })

  test('is read once, exactly, also by two devices at once', async () => {
    const fan = await fanWith(4)
    const [newest, , third] = (await inboxOf(fan)).messages
    if (!newest || !third) throw new Error('there are four messages')
    const readAt = world.clock.now().toISOString()
    expect(await read(fan, { ids: [third.id] })).toBe(3)
    world.clock.advance(1_000)
    await Promise.all([read(fan, { ids: [third.id, newest.id] }), read(fan, { ids: [newest.id] })])
    const { messages, unread } = await inboxOf(fan)
    const times = messages.map(message => message.readAt)
    expect([times, unread]).toEqual([[world.clock.now().toISOString(), null, readAt, null], 2])
    // A message after that of the time stays unread.
    await happens(world, fan.id, { n: 5 })
    expect(await read(fan, { until: messages[1]?.createdAt })).toBe(1)
    expect(expectStatus(200, await fan.get('/api/dashboard')).unread).toBe(1)
    // Messages of others stay as they are.
    const other = await fanWith(1)
    const [own] = (await inboxOf(other)).messages
    expect(await read(fan, { ids: [own?.id, newest.id] })).toBe(1)
    expect((await inboxOf(other)).unread).toBe(1)
    for (const body of [{}, { ids: [newest.id], until: newest.createdAt }, { ids: [] }])
      expect((await fan.post('/api/user/inbox/read', body)).status).toBe(422)
  })

  test('loses what the fan deletes, with its texts', async () => {
    const fan = await fanWith(2)
    const [message, other] = (await inboxOf(fan)).messages
    const remove = (by: Fan) => by.send(`/api/user/inbox/${message?.id}`, { method: 'DELETE' })
    expect((await remove(await knownFan(world))).body.code).toBe('message_not_found')
    expect((await remove(fan)).status).toBe(204)
    expect((await remove(fan)).body.code).toBe('message_not_found')
    expect(await inboxOf(fan)).toMatchObject({ messages: [{ id: other?.id }], unread: 1 })
    const rows = await world.db.read.select().from(world.db.tables.messages)
    expect(rows.find(({ id }) => id === message?.id)).toMatchObject({ title: '', body: '', url: null })
  })

  test('keeps messages for 90 days', async () => {
    const fan = await fanWith(1)
    const day = 86_400_000
    world.clock.advance(90 * day)
    await deleteOldMessages(world.db)
    expect((await inboxOf(fan)).messages).toHaveLength(1)
    await happens(world, fan.id, { n: 2 })
    world.clock.advance(1)
    await deleteOldMessages(world.db)
    expect((await inboxOf(fan)).messages.map(({ title }) => title)).toEqual(['Number 2'])
  })

  test('tells the stream of the fan how many are unread', async () => {
    const fan = await fanWith(0)
    const origin = `http://127.0.0.1:${world.app.server?.port}`
    const stream = await openStream(origin, 'topics=me', bearer(fan.token))
    await stream.nth(1)
    await happens(world, fan.id, { n: 1 })
    const told = async (nth: number) => {
      const frames = []
      for (let n = 2; frames.length < nth; n++) {
        const frame = await stream.nth(n)
        if (frame.event === 'inbox') frames.push(frame)
      }
      return frames[nth - 1]?.data
    }
    expect(await told(1)).toEqual({ unread: 1 })
    const [message] = (await inboxOf(fan)).messages
    await read(fan, { ids: [message?.id] })
    expect(await told(2)).toEqual({ unread: 0 })
  })
})
