/**
 * Visibility: every documented GET and every topic of the stream, read by A, who blocked B; by B; by a stranger, and by a fan who
 * mutes B. Found by walking the OpenAPI document: an operation without a line fails the suite.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { block, follow, type NamedFan, namedFan, put } from '../identity/relations/relations-world.ts'
import { type Document, operationsOf, readDocument, requiresServerKey } from '../platform/docs/document.ts'
import { addPack, buy, EUROS, expectStatus, FREE, open, start } from '../play/packs/packs-world.ts'
import { addStock, checkout } from '../play/shop/orders-world.ts'
import { addProduct, entryOf } from '../play/shop/products-world.ts'
import { completedTrade, drawnItem, offer } from '../play/trades/trades-world.ts'
import type { Answer, Client } from '../support/client.ts'
import { countQueries } from '../support/queries.ts'
import { onEachEngine } from '../support/world.ts'

/** Public for who has the id of a pack, which no read discloses: the proof of a draw names no fan. */
const ID_OF_A_PACK = 'readProof'

onEachEngine('Two fans, one of whom has blocked the other,', world => {
  let document: Document
  let [a, b, stranger, muting]: NamedFan[] = []
  /** What stands for each of the two, by handle. */
  const needles = new Map<string, string[]>()
  /** Paths of each operation of a fan or of anyone, by its id: with what the other one has, where there is a choice. */
  let paths: Record<string, (other: NamedFan) => string[]>
  let packs: Map<string, string>

  beforeAll(async () => {
    document = await readDocument(world)
    ;[a, b, stranger, muting] = [
      await namedFan(world),
      await namedFan(world),
      await namedFan(world),
      await namedFan(world),
    ]
    packs = new Map()
    const orders = new Map<string, string>()
    const stocked = await addStock(world, null)
    const packId = await addPack(world, { price: FREE })
    await countSerialNumbersFrom(packId)
    const product = entryOf()
    await addProduct(world, product)
    const kickoffAt = new Date(world.clock.ms + 60_000)
    const matchId = await world.match({ kickoffAt })
    for (const fan of all()) {
      expectStatus(200, await fan.post('/api/user/onboarding', {}))
      await world.grant(fan, 50)
      const { userPack } = await buy(fan, packId)
      expectStatus(200, await open(fan, userPack.id))
      packs.set(fan.handle, userPack.id)
      const [item] = expectStatus(200, await fan.get('/api/user/collection')).items
      const [serialNumber] = item.serialNumbers
      const items = [{ collectibleId: item.id, serialNumber }]
      const locker = { title: `Locker of ${fan.handle}`, theme: 'night', shelves: [{ title: '', items }] }
      expectStatus(200, await fan.put('/api/user/locker', locker))
      expectStatus(201, await start(fan, await addPack(world, { price: EUROS })))
      orders.set(fan.handle, expectStatus(201, await checkout(fan, stocked)).id)
      expectStatus(200, await fan.put(`/api/matches/${matchId}/prediction`, { homeScore: 1, awayScore: 0 }))
      needles.set(fan.handle, [
        fan.id,
        fan.handle,
        `Name of ${fan.handle}`,
        userPack.id,
        fan.subject,
        String(serialNumber),
      ])
    }
    for (const [one, other] of [
      [a, b],
      [b, a],
      [stranger, b],
      [muting, b],
    ] as const)
      await follow(need(one), need(other).handle)
    expectStatus(204, await put(need(muting), 'mutes', need(b).handle))
    expectStatus(204, await put(need(a), 'mutes', need(b).handle))
    const tradeId = await completedTrade(world, need(a), need(b))
    expectStatus(201, await offer(need(b), need(a).handle, [await drawnItem(world, need(b))]))
    await block(need(a), need(b).handle)

    const board = ['', '?around=me', '?period=week', '?limit=100', '?kind=predictions', '?among=following']
    paths = {
      readLeaderboard: () => board.map(query => `/api/leaderboard${query}`),
      readLocker: other => [`/api/lockers/${other.handle}`],
      readFan: other => [`/api/fans/${other.handle}`],
      openStream: () => [`/api/stream?topics=me,leaderboard,pack:${packId},match:${matchId}`],
      readPack: () => [`/api/packs/${packId}`],
      readProduct: () => [`/api/products/${product.id}`],
      readMatch: () => [`/api/matches/${matchId}`],
      readPrediction: () => [`/api/matches/${matchId}/prediction`],
      readPurchase: other => [`/api/packs/purchases/${packs.get(other.handle)}`],
      readOrder: other => [`/api/user/orders/${orders.get(other.handle)}`],
      readTrade: () => [`/api/trades/${tradeId}`],
      readProvenance: () => [`/api/collectibles/${packId}-common/serials/1/provenance`],
      [ID_OF_A_PACK]: other => [`/api/packs/proofs/${packs.get(other.handle)}`],
    }
  })

  /** From a number that is in no other text, so that serial numbers stand for their owners. */
  const countSerialNumbersFrom = (packId: string) =>
    world.db.write(async tx => {
      const { collectibles } = tx.tables
      const ids = ['common', 'rare', 'epic'].map(rarity => `${packId}-${rarity}`)
      for (const [at, id] of ids.entries())
        await tx
          .update(collectibles)
          .set({ minted: 700_411_000 + at * 1_000_000 })
          .where(eq(collectibles.id, id))
    })

  const all = () => [a, b, stranger, muting].map(need)

  function need(fan: NamedFan | undefined): NamedFan {
    if (!fan) throw new Error('the fans are made before')
    return fan
  }

  const reads = () =>
    operationsOf(document).filter(located => located.method === 'GET' && !requiresServerKey(located))

  const pathsOf = ({ path, operation }: ReturnType<typeof reads>[number], other: NamedFan) =>
    paths[operation.operationId]?.(other) ?? [path]

  /** All that is in the response, of a stream its first frames. */
  async function textOf(reader: Client & { token?: string }, path: string): Promise<string> {
    if (!path.startsWith('/api/stream?')) {
      const { body, headers } = await reader.get(path)
      return JSON.stringify([body ?? null, [...headers]])
    }
    const headers = { authorization: `Bearer ${reader.token}`, 'last-event-id': '0' }
    const response = await world.app.handle(new Request(`http://localhost${path}`, { headers }))
    expect(response.status).toBe(200)
    const frames = response.body?.getReader()
    let text = ''
    // All topics have sent their first frame.
    while (frames && !['leaderboard', 'pack', 'match'].every(topic => text.includes(`event: ${topic}`)))
      text += new TextDecoder().decode((await frames.read()).value)
    await frames?.cancel()
    return text
  }

  test('each read with a parameter in its path has a line here', () => {
    const withParameters = reads().filter(({ path }) => path.includes('{'))
    const missing = withParameters.map(({ operation }) => operation.operationId).filter(id => !(id in paths))
    expect(missing).toEqual([])
    const known = reads().map(({ operation }) => operation.operationId)
    expect(Object.keys(paths).filter(id => !known.includes(id))).toEqual([])
  })

  describe.each([
    ['the one who blocked', () => [need(a), need(b)]],
    ['the one who is blocked', () => [need(b), need(a)]],
  ] as const)('%s', (_, pair) => {
    test('reads nothing of the other in any response or stream, except the handle in the own list of blocks', async () => {
      const [reader, other] = pair()
      if (!reader || !other) throw new Error('a pair')
      for (const located of reads()) {
        const { operationId } = located.operation
        if (operationId === ID_OF_A_PACK) continue
        for (const path of pathsOf(located, other)) {
          // What the reader asks by is theirs.
          const text = (await textOf(reader, path)).replaceAll(path, '')
          const isNeedle = (needle: string) =>
            operationId !== 'readProvenance' || needle !== packs.get(other.handle)
          const found = (needles.get(other.handle) ?? []).filter(
            needle => isNeedle(needle) && text.includes(needle),
          )
          const isOwnBlock = operationId === 'listBlocks' && reader === a
          expect([path, found]).toEqual([path, isOwnBlock ? [other.handle] : []])
        }
      }
    })

    test('finds the other like a handle that nobody has, byte for byte, in every operation that takes a handle', async () => {
      const [reader, other] = pair()
      if (!reader || !other) throw new Error('a pair')
      const named = operationsOf(document).filter(({ path }) => path.includes('{handle}'))
      expect(named.length).toBeGreaterThan(6)
      const headers = { 'x-request-id': 'the-same-request' }
      const withBody = { headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }
      const ask = async (method: string, path: string) =>
        without(await reader.send(path, { method, headers, ...(method === 'PUT' ? withBody : {}) }))
      for (const { method, path, operation } of named) {
        // Whoever blocked may repeat it, and end it.
        if (/^(un)?blockFan$/.test(operation.operationId) && reader === a) continue
        const [hidden, unknown] = [
          await ask(method, path.replace('{handle}', other.handle)),
          await ask(method, path.replace('{handle}', 'nobody_at_all')),
        ]
        expect(hidden.status).toBe(404)
        expect([path, hidden]).toEqual([path, unknown])
      }
    })

    test('sees the row of the other on every board, with rank and points, and nothing that names them', async () => {
      const [reader, other] = pair()
      if (!reader || !other) throw new Error('a pair')
      const open = (await world.anonymous.get('/api/leaderboard')).body
      const seen = (await reader.get('/api/leaderboard')).body
      const at = open.entries.findIndex(({ userId }: { userId: string }) => userId === other.id)
      expect(at).not.toBe(-1)
      const nameless = { userId: null, handle: null, displayName: null, avatarUrl: null }
      expect(seen.entries[at]).toEqual({ ...open.entries[at], ...nameless })
      expect(seen.total).toBe(open.total)
      const others = (entries: unknown[]) => entries.filter((_, index) => index !== at)
      expect(others(seen.entries)).toEqual(others(open.entries))
    })
  })

  test('are visible to a stranger, and the muted one to who mutes them, on boards and by handle', async () => {
    for (const reader of [need(stranger), need(muting)]) {
      for (const one of [need(a), need(b)])
        expect((await reader.get(`/api/fans/${one.handle}`)).body.displayName).toBe(`Name of ${one.handle}`)
      const board = JSON.stringify((await reader.get('/api/leaderboard')).body)
      for (const one of [need(a), need(b)]) expect(board).toContain(one.id)
    }
    // The muted fan reads nothing of the mute.
    for (const located of reads())
      for (const path of pathsOf(located, need(muting)))
        expect((await textOf(need(b), path)).includes('muted')).toBe(false)
  })

  test('cost the same statements as a handle that nobody has', async () => {
    const ask = (handle: string) => need(b).get(`/api/fans/${handle}`)
    const count = async (handle: string) => {
      await ask(handle)
      return countQueries(world.db, () => ask(handle))
    }
    expect(await count(need(a).handle)).toBe(await count('nobody_at_all'))
  })
})

const without = ({ status, headers, body }: Answer) => {
  const kept = [...headers].filter(([name]) => !/^(ratelimit|date|server-timing)/i.test(name))
  return { status, body, headers: Object.fromEntries(kept) }
}
