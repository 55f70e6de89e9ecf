/**
 * Visibility: every documented GET, every topic of the stream and the files of pictures, read by A, who blocked B; by B; by a
 * stranger, and by a fan who mutes B; before and after a moderator hides, mutes or suspends a fan, by that fan and by others. Found
 * by walking the OpenAPI document: an operation without a line fails the suite.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { recordDecision } from '../../src/identity/sanctions/decisions.ts'
import { fetchPicture, newPng, upload } from '../club/pictures/pictures-world.ts'
import { block, follow, type NamedFan, namedFan, put } from '../identity/relations/relations-world.ts'
import { type Document, operationsOf, readDocument, requiresServerKey } from '../platform/docs/document.ts'
import { create, join } from '../play/leagues/leagues-world.ts'
import { addPack, buy, EUROS, expectStatus, FREE, open, start } from '../play/packs/packs-world.ts'
import { addStock, checkout } from '../play/shop/orders-world.ts'
import { addProduct, entryOf } from '../play/shop/products-world.ts'
import { topUp } from '../play/top-ups/cash-world.ts'
import { completedTrade, drawnItem, offer } from '../play/trades/trades-world.ts'
import type { Answer, Client } from '../support/client.ts'
import { countQueries, countStatements } from '../support/queries.ts'
import { onEachEngine } from '../support/world.ts'

/** The proof of a draw is public for clients that know the id of a pack, which no read discloses. It names no fan. */
const ID_OF_A_PACK = 'readProof'

onEachEngine('Two fans, after one has blocked the other,', world => {
  let document: Document
  let [a, b, stranger, muting, hidden, muted, suspended]: NamedFan[] = []
  /** The texts that identify each of the two fans, by handle. */
  const needles = new Map<string, string[]>()
  /** Paths of each operation of a fan or of anyone, by its id: with what the other one has, where there is a choice. */
  let paths: Record<string, (other: NamedFan) => string[]>
  let packs: Map<string, string>
  const made: NamedFan[] = []
  /** By handle: the address of the avatar, the trade with the stranger, and the path of an item. */
  const pictures = new Map<string, string>()
  const tradeIds = new Map<string, string>()
  const itemPaths = new Map<string, string>()

  beforeAll(async () => {
    document = await readDocument(world)
    for (let at = 0; at < 7; at++) made.push(await namedFan(world))
    ;[a, b, stranger, muting, hidden, muted, suspended] = made
    packs = new Map()
    const orders = new Map<string, string>()
    const topUps = new Map<string, string>()
    const stocked = await addStock(world, null)
    const packId = await addPack(world, { price: FREE })
    await countSerialNumbersFrom(packId)
    const product = entryOf()
    await addProduct(world, product)
    const kickoffAt = new Date(world.clock.ms + 60_000)
    const matchId = await world.match({ kickoffAt })
    for (const fan of made) {
      const avatar = expectStatus(201, await upload(fan, newPng())).url
      expectStatus(200, await fan.patch('/api/user/profile', { avatarUrl: avatar }))
      pictures.set(fan.handle, avatar)
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
      topUps.set(fan.handle, (await topUp(fan, 500)).id)
      orders.set(fan.handle, expectStatus(201, await checkout(fan, stocked)).id)
      expectStatus(200, await fan.put(`/api/matches/${matchId}/prediction`, { homeScore: 1, awayScore: 0 }))
      itemPaths.set(fan.handle, `${item.id}/serials/${serialNumber}`)
      needles.set(fan.handle, [
        fan.id,
        fan.handle,
        `Name of ${fan.handle}`,
        userPack.id,
        fan.subject,
        avatar,
        String(serialNumber),
      ])
    }
    for (const [one, other] of [
      [a, b],
      [b, a],
      [stranger, b],
      [muting, b],
      ...[hidden, muted, suspended].flatMap(fan => [[stranger, fan] as const, [fan, stranger] as const]),
    ] as const)
      await follow(need(one), need(other).handle)
    expectStatus(204, await put(need(muting), 'mutes', need(b).handle))
    expectStatus(204, await put(need(a), 'mutes', need(b).handle))
    const tradeId = await completedTrade(world, need(a), need(b))
    expectStatus(201, await offer(need(b), need(a).handle, [await drawnItem(world, need(b))]))
    for (const fan of [hidden, muted, suspended]) {
      tradeIds.set(need(fan).handle, await completedTrade(world, need(fan), need(stranger)))
      expectStatus(
        201,
        await offer(need(stranger), need(fan).handle, [await drawnItem(world, need(stranger))]),
      )
      expectStatus(204, await put(need(muting), 'mutes', need(fan).handle))
    }
    await block(need(a), need(b).handle)

    const league = await create(need(stranger))
    for (const fan of made) if (fan !== stranger) expectStatus(200, await join(fan, league.code))

    const board = ['', '?around=me', '?period=week', '?limit=100', '?kind=predictions', '?among=following']
    paths = {
      readLeaderboard: () => board.map(query => `/api/leaderboard${query}`),
      readLeague: () => [`/api/leagues/${league.id}`],
      readLeagueRounds: () => [`/api/leagues/${league.id}/rounds`],
      readLocker: other => [`/api/lockers/${other.handle}`],
      readFan: other => [`/api/fans/${other.handle}`],
      openStream: () => [`/api/stream?topics=me,leaderboard,pack:${packId},match:${matchId}`],
      readPack: () => [`/api/packs/${packId}`],
      readProduct: () => [`/api/products/${product.id}`],
      readMatch: () => [`/api/matches/${matchId}`],
      readPrediction: () => [`/api/matches/${matchId}/prediction`],
      readPredictionRules: () => [`/api/matches/${matchId}/predictions`],
      readTopUp: other => [`/api/user/top-ups/${topUps.get(other.handle)}`],
      listCashEntries: () => ['/api/cash/EUR/entries'],
      listAccountEntries: () => ['/api/user/accounts/status/entries'],
      readBands: () => ['/api/accounts/status/bands'],
      readPurchase: other => [`/api/packs/purchases/${packs.get(other.handle)}`],
      issueDownload: other => [`/api/user/orders/${orders.get(other.handle)}/lines/1/download`],
      readOrder: other => [`/api/user/orders/${orders.get(other.handle)}`],
      readReceipt: other => [`/api/user/orders/${orders.get(other.handle)}/receipt`],
      readTrade: other => [`/api/trades/${tradeIds.get(other.handle) ?? tradeId}`],
      readProvenance: other => [`/api/collectibles/${itemPaths.get(other.handle)}/provenance`],
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

  function need(fan: NamedFan | undefined): NamedFan {
    if (!fan) throw new Error('the fans are made before')
    return fan
  }

  const reads = () =>
    operationsOf(document).filter(located => located.method === 'GET' && !requiresServerKey(located))

  const pathsOf = ({ path, operation }: ReturnType<typeof reads>[number], other: NamedFan) =>
    paths[operation.operationId]?.(other) ?? [path]

  /**
   * The texts that identify the other fan in a response. A reader of an item's history knows its number, and the history
   * names the pack of its draw.
   */
  function needlesOf(operationId: string, { handle }: NamedFan): string[] {
    if (operationId === ID_OF_A_PACK) return []
    const all = needles.get(handle) ?? []
    const asked = [packs.get(handle), all.at(-1)]
    return operationId === 'readProvenance' ? all.filter(needle => !asked.includes(needle)) : all
  }

  /** All that is in the response, of a stream its first frames. */
  async function textOf(reader: Client & { token?: string }, path: string): Promise<string> {
    if (!path.startsWith('/api/stream?')) {
      const { body, headers } = await reader.get(path)
      return JSON.stringify([body ?? null, [...headers]])
    }
    const address = reader.token === undefined ? path.replace('topics=me,', 'topics=') : path
    const headers = {
      'last-event-id': '0',
      ...(reader.token === undefined ? {} : { authorization: `Bearer ${reader.token}` }),
    }
    const response = await world.app.handle(new Request(`http://localhost${address}`, { headers }))
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
    test('no response and no stream shows anything of the other fan, except the handle in the fan’s own list of blocks', async () => {
      const [reader, other] = pair()
      if (!reader || !other) throw new Error('a pair')
      for (const located of reads()) {
        const { operationId } = located.operation
        for (const path of pathsOf(located, other)) {
          // The reader's own input is not a leak.
          const text = (await textOf(reader, path)).replaceAll(path, '')
          const found = needlesOf(operationId, other).filter(needle => text.includes(needle))
          const isOwnBlock = operationId === 'listBlocks' && reader === a
          expect([path, found]).toEqual([path, isOwnBlock ? [other.handle] : []])
        }
      }
    })

    test('every operation that takes a handle answers as for a handle that nobody has, byte for byte', async () => {
      const [reader, other] = pair()
      if (!reader || !other) throw new Error('a pair')
      const named = operationsOf(document).filter(({ path }) => path.includes('{handle}'))
      expect(named.length).toBeGreaterThan(6)
      const headers = { 'x-request-id': 'the-same-request' }
      const withBody = { headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }
      const ask = async (method: string, path: string) =>
        without(await reader.send(path, { method, headers, ...(method === 'PUT' ? withBody : {}) }))
      for (const { method, path, operation } of named) {
        // The fan who blocked may repeat it, and end it.
        if (/^(un)?blockFan$/.test(operation.operationId) && reader === a) continue
        const [hidden, unknown] = [
          await ask(method, path.replace('{handle}', other.handle)),
          await ask(method, path.replace('{handle}', 'nobody_at_all')),
        ]
        expect(hidden.status).toBe(404)
        expect([path, hidden]).toEqual([path, unknown])
      }
    })

    test('every board shows the row of the other fan with rank and points, and without a name', async () => {
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

  test('are visible to a stranger on boards and by handle, and a muted fan is visible to the fan who mutes them', async () => {
    for (const reader of [need(stranger), need(muting)]) {
      for (const one of [need(a), need(b)])
        expect((await reader.get(`/api/fans/${one.handle}`)).body.displayName).toBe(`Name of ${one.handle}`)
      const board = JSON.stringify((await reader.get('/api/leaderboard')).body)
      for (const one of [need(a), need(b)]) expect(board).toContain(one.id)
    }
    // The muted fan reads nothing of the mute.
    for (const located of reads())
      for (const path of pathsOf(located, need(muting)))
        expect((await textOf(need(b), path)).includes('"muted":true')).toBe(false)
  })

  describe('and a fan, after a moderator', () => {
    const by = { reason: 'harassment', decidedBy: 'Ana' } as const

    /** Each read by its operation and path. */
    async function readAll(reader: Client & { token?: string }, other: NamedFan) {
      const found = new Map<string, string>()
      for (const located of reads())
        for (const path of pathsOf(located, other)) {
          const text = await textOf(reader, path)
          found.set(`${located.operation.operationId} ${path}`, text.replaceAll(path, ''))
        }
      return found
    }

    /** Each response has headers of its own, and a stream begins with the newest ETags. */
    const bodyIn = (operation: string, text = '') =>
      operation === 'openStream' ? null : JSON.stringify({ ...JSON.parse(text)[0], requestId: null })

    /** Operations whose responses differ. */
    function differing(before: Map<string, string>, after: Map<string, string>) {
      const operations = new Set<string>()
      for (const [read, text] of before) {
        const [operation = ''] = read.split(' ', 1)
        if (bodyIn(operation, text) !== bodyIn(operation, after.get(read))) operations.add(operation)
      }
      return [...operations].toSorted()
    }

    const needlesIn = (texts: Map<string, string>, other: NamedFan) =>
      [...texts].flatMap(([read, text]) =>
        needlesOf(read.split(' ', 1)[0] ?? '', other)
          .filter(needle => text.includes(needle))
          .map(needle => [read, needle]),
      )

    test('hides: no read of others shows the fan, and the handle is answered as one that nobody has, byte for byte', async () => {
      const [fan, other] = [need(hidden), need(stranger)]
      const item = await drawnItem(world, other)
      const before = await readAll(fan, other)
      expect(needlesIn(await readAll(other, fan), fan)).not.toEqual([])
      await world.db.write(tx => recordDecision(tx, { ...by, fanId: fan.id, kind: 'hide' }))
      for (const reader of [other, need(muting), need(a), world.anonymous])
        expect(needlesIn(await readAll(reader, fan), fan)).toEqual([])
      expect((await fetchPicture(world, pictures.get(fan.handle) ?? '')).status).toBe(404)

      const named = operationsOf(document).filter(({ path }) => path.includes('{handle}'))
      const { id: ownLeague } = await create(other)
      const headers = { 'x-request-id': 'the-same-request' }
      const ofBody = { ...headers, 'content-type': 'application/json' }
      const asks: ((handle: string) => Promise<Answer>)[] = [
        ...named.map(({ method, path }) => (handle: string) => {
          const body = method === 'PUT' ? { headers: ofBody, body: '{}' } : { headers }
          return other.send(path.replace('{handle}', handle).replace('{leagueId}', ownLeague), {
            method,
            ...body,
          })
        }),
        ...[
          (handle: string) => ({ path: '/api/trades', body: { to: handle, give: [item] } }),
          ...['fan', 'locker'].map(kind => (id: string) => ({
            path: '/api/reports',
            body: { subject: { kind, id }, reason: 'spam' },
          })),
        ].map(request => (handle: string) => {
          const { path, body } = request(handle)
          return other.send(path, { method: 'POST', headers: ofBody, body: JSON.stringify(body) })
        }),
      ]
      for (const ask of asks) {
        const count = async (handle: string) => {
          const answer = without(await ask(handle))
          const reads = await countQueries(world.db, () => ask(handle))
          return { ...answer, reads, statements: await countStatements(world.db, () => ask(handle)) }
        }
        const found = await count(fan.handle)
        expect(found).toMatchObject({ status: 404, body: { code: 'fan_not_found' } })
        expect(found.reads + found.statements).toBeGreaterThan(0)
        expect(found).toEqual(await count('nobody_at_all'))
      }
      // The fan can do the same as before. Boards show their row to everyone alike.
      expect(differing(before, await readAll(fan, other))).toEqual([
        // The message of the sanction.
        'listInbox',
        'listSanctions',
        'readDashboard',
        'readLeaderboard',
        'readLeague',
      ])
    })

    test('mutes: no feed of others shows the fan, and nothing else changes, also for the fan', async () => {
      const [fan, other] = [need(muted), need(stranger)]
      const [own, before] = [await readAll(fan, other), await readAll(other, fan)]
      await world.db.write(tx => recordDecision(tx, { ...by, fanId: fan.id, kind: 'mute' }))
      const after = await readAll(other, fan)
      expect(differing(before, after)).toEqual(['readFeed'])
      const feeds = (reads: Map<string, string>) =>
        needlesIn(reads, fan).filter(([path = '']) => path.startsWith('readFeed'))
      expect(feeds(before)).not.toEqual([])
      expect(feeds(after)).toEqual([])
      expect(differing(own, await readAll(fan, other))).toEqual([
        'listInbox',
        'listSanctions',
        'readDashboard',
      ])
    })

    test('suspends: the fan can read as before, and others see the fan as before', async () => {
      const [fan, other] = [need(suspended), need(stranger)]
      const [own, before] = [await readAll(fan, other), await readAll(other, fan)]
      const until = new Date(world.clock.ms + 86_400_000)
      await world.db.write(tx => recordDecision(tx, { ...by, fanId: fan.id, kind: 'suspend', until }))
      expect(differing(before, await readAll(other, fan))).toEqual([])
      expect(differing(own, await readAll(fan, other))).toEqual([
        'listInbox',
        'listSanctions',
        'readDashboard',
      ])
    })
  })

  test('a blocked handle takes the same statements as a handle that nobody has', async () => {
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
