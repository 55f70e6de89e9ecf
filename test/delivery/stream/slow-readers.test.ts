/** Back-pressure: what waits for a reader is bounded, and a reader that takes nothing gets `reset`. */
import { afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { insertRows } from '../../../db/bulk.ts'
import { Connection } from '../../../src/delivery/stream/connection.ts'
import { userIdOf } from '../../play/packs/packs-world.ts'
import { nextTurn, waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { happen } from '../webhooks/webhooks-world.ts'
import { parseStream, type Received } from './stream-world.ts'

const KIB = 1_024
/** Events of 16 KiB: more than the buffers of both sockets hold. */
const COUNT = 1_500

describe('Connections of streams', () => {
  const made = () => {
    const calls = { closed: 0, unread: 0 }
    const connection = new Connection({
      onClose: () => void calls.closed++,
      onUnreadEnd: () => void calls.unread++,
    })
    return { connection, calls, reader: connection.body.getReader() }
  }

  test('frames wait until they are read, and are read together', async () => {
    const { connection, reader } = made()
    connection.send('a')
    connection.send('b')
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('ab')
    const next = reader.read()
    connection.send('c')
    expect(Buffer.from((await next).value ?? []).toString()).toBe('c')
  })

  test('64 KiB can wait, counted in bytes, and more once they are read', async () => {
    const { connection, reader } = made()
    connection.send('é'.repeat(32 * KIB - 1))
    expect(connection.hasRoom).toBe(true)
    connection.send('é')
    expect(connection.hasRoom).toBe(false)
    const room = connection.room()
    await reader.read()
    await room
    expect(connection.hasRoom).toBe(true)
  })

  test('a reader that reads nothing between two calls is stalled, one that reads anything is not', async () => {
    const { connection, reader } = made()
    connection.send('x'.repeat(64 * KIB))
    expect([connection.isStalled(), connection.isStalled()]).toEqual([false, true])
    await reader.read()
    connection.send('x'.repeat(64 * KIB))
    expect([connection.isStalled(), connection.isStalled()]).toEqual([false, true])
  })

  test('the end of a stream that is not read is reported once, and releases waiting senders', async () => {
    const { connection, calls } = made()
    connection.send('x'.repeat(64 * KIB))
    const room = connection.room()
    connection.end()
    connection.end()
    await room
    expect(calls).toEqual({ closed: 1, unread: 1 })
  })

  test('the end reaches a reader that waits, and nothing is sent after it', async () => {
    const { connection, calls, reader } = made()
    const next = reader.read()
    await nextTurn()
    connection.end()
    connection.send('late')
    expect(await next).toMatchObject({ done: true })
    expect(calls).toEqual({ closed: 1, unread: 0 })
  })

  test('the connection is closed when the reader disconnects', async () => {
    const { connection, calls, reader } = made()
    await reader.cancel()
    expect([connection.closed, calls.closed]).toEqual([true, 1])
  })
})

onEachEngine('Streams of slow readers', world => {
  let port: number
  const sockets: Socket[] = []

  beforeAll(() => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    port = world.app.server?.port ?? 0
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await waitUntil('the server noticed', () => world.deps.streams.size === 0)
  })

  /** A client that reads only when it is told to. */
  function openPaused(token: string, headers: string[] = []) {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    let text = ''
    socket.on('data', chunk => (text += chunk)).pause()
    socket.on('error', () => {})
    const head = [
      'GET /api/stream?topics=me HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      ...headers,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    return { socket, received: (): Received[] => parseStream(text) }
  }

  /** Events with so much data that the buffers of the sockets cannot hold them, and one that wakes the stream. */
  async function happenALot(userId: string, count: number, from: number) {
    const { events } = world.db.tables
    const data = JSON.stringify({ note: 'x'.repeat(16 * KIB) })
    await world.db.write(async tx => {
      const at = tx.now()
      const common = { source: 'crm', userId, type: 'crm.noted', occurredAt: at, recordedAt: at, data }
      const rows = Array.from({ length: count }, (_, n) => ({
        ...common,
        eventId: `${userId} ${from + n}`,
        sequence: from + n,
      }))
      await insertRows(tx, events, rows)
    })
    await happen(world, userId)
  }

  test('a reader that stops reading gets the events up to that time, one reset, and later events', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { displayName: 'Ada' })
    const userId = (await userIdOf(world, fan)) ?? ''
    const { socket, received } = openPaused(fan.token)
    await waitUntil('the stream is open', () => world.deps.streams.size === 1)
    const resets = () => received().filter(({ event }) => event === 'reset').length
    let newest = 0
    const looks = spyOn(world.db, 'externalCommits')
    // On a slow machine the server may not find out in a round that the reader takes nothing.
    for (let round = 1; resets() < 2; round++) {
      await happenALot(userId, COUNT, newest + 1)
      newest += COUNT + 1
      const seen = looks.mock.calls.length
      await waitUntil('the server looked at its readers', () => looks.mock.calls.length > seen + 2 * round)
      socket.resume()
      await waitUntil('the reader has caught up', () => Number(received().at(-1)?.id) >= newest)
      socket.pause()
    }
    looks.mockRestore()
    socket.resume()
    await happen(world, userId, { type: 'reward.redeemed' })
    await waitUntil('the stream continues', () => received().at(-1)?.event === 'reward.redeemed')

    const ids = received().map(({ id }) => Number(id))
    const lost = received().findLastIndex(({ event }) => event === 'reset')
    expect(resets()).toBe(2)
    expect(ids.slice(0, lost)).toEqual(Array.from({ length: lost }, (_, n) => n))
    expect(ids.slice(lost)).toEqual([newest, newest + 1])
    expect(lost).toBeLessThan(newest)
  }, 600_000)

  test('a slow reader that continues to read resumes without a reset', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { displayName: 'Ada' })
    const userId = (await userIdOf(world, fan)) ?? ''
    await happenALot(userId, 200, 1)
    const { socket, received } = openPaused(fan.token, ['Last-Event-ID: 0'])
    socket.resume()
    await waitUntil('all arrived', () => received().length === 201)
    expect(received().map(({ id }) => Number(id))).toEqual(Array.from({ length: 201 }, (_, n) => n + 1))
  })
})
