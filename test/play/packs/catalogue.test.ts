import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { onEachEngine } from '../../support/world.ts'
import { addPack, complete, DAY, FREE, HOLD, patientFan, refusal, start } from './packs-world.ts'

interface Pack {
  id: string
  odds: { rarity: string; probability: string }[]
  supply: { total: number; remaining: number } | null
}

onEachEngine('GET /api/packs of an empty catalogue', world => {
  test('needs no token, may be cached for seconds, and does not depend on the caller', async () => {
    const { status, headers, body } = await world.anonymous.get('/api/packs')
    expect([status, body]).toEqual([200, { packs: [] }])
    expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=1, must-revalidate')
    expect((await (await world.fan()).get('/api/packs')).body).toEqual(body)
  })
})

onEachEngine('GET /api/packs', world => {
  const at = (ms: number) => new Date(world.clock.ms + ms)
  const list = async (): Promise<Pack[]> => (await world.anonymous.get('/api/packs')).body.packs
  const find = async (id: string) => (await list()).find(pack => pack.id === id)

  test('lists a pack with its price, odds and supply', async () => {
    const id = await addPack(world, { supply: 7, startsAt: at(0), endsAt: at(DAY) })
    expect(await find(id)).toEqual({
      id,
      name: id,
      description: id,
      imageUrl: null,
      price: { amount: 100, currency: 'POINTS' },
      itemsPerPack: 3,
      supply: { total: 7, remaining: 7 },
      odds: [
        { rarity: 'common', probability: '0.700000' },
        { rarity: 'rare', probability: '0.250000' },
        { rarity: 'epic', probability: '0.050000' },
      ],
      sponsorId: null,
      requires: {},
      tradable: true,
      active: true,
      startsAt: at(0).toISOString(),
      endsAt: at(DAY).toISOString(),
    } as unknown as Pack)
  })

  test('omits deactivated entries, and those before their start or after their end, to the millisecond', async () => {
    const hidden = [
      await addPack(world, { active: false }),
      await addPack(world, { startsAt: at(1) }),
      await addPack(world, { endsAt: at(0) }),
    ]
    const shown = [await addPack(world, { startsAt: at(0) }), await addPack(world, { endsAt: at(1) })]
    const ids = (await list()).map(({ id }) => id)
    expect(ids.filter(id => hidden.includes(id))).toEqual([])
    expect(ids).toEqual(expect.arrayContaining(shown))

    world.clock.advance(1)
    const later = (await list()).map(({ id }) => id)
    expect([later.includes(hidden[1] ?? ''), later.includes(shown[1] ?? '')]).toEqual([true, false])
  })

  test('lists by id, in the same order on either engine', async () => {
    for (const id of ['b-pack', 'a-pack', 'B-pack', 'a_pack', 'a-pack-2']) await addPack(world, { id })
    const ids = (await list()).map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(ids).toEqual(expect.arrayContaining(['B-pack', 'a-pack', 'a-pack-2', 'a_pack', 'b-pack']))
  })

  test('odds are the weights by rarity, and add up to exactly 1', async () => {
    const weights = { common: 333_333, uncommon: 333_333, rare: 333_333, legendary: 1 }
    const id = await addPack(world, { weights })
    const { odds } = (await find(id)) ?? { odds: [] }
    const millionths = odds.map(({ probability }) => BigInt(probability.replace('.', '')))
    expect(millionths.reduce((sum, each) => sum + each, 0n)).toBe(1_000_000n)
    expect(Object.fromEntries(odds.map(({ rarity }, n) => [rarity, Number(millionths[n])]))).toEqual(weights)
    expect(odds.at(-1)).toEqual({ rarity: 'legendary', probability: '0.000001' })
  })

  test('a certain item has the probability 1.000000', async () => {
    const id = await addPack(world, { weights: { common: 1_000_000 } })
    expect((await find(id))?.odds).toEqual([{ rarity: 'common', probability: '1.000000' }])
  })

  test('supply is null without a limit', async () => {
    expect((await find(await addPack(world)))?.supply).toBeNull()
  })

  test('the remaining supply is neither sold nor held, and grows when holds expire', async () => {
    const id = await addPack(world, { supply: 3, price: FREE })
    const fan = await patientFan(world)
    const { body: first } = await start(fan, id)
    expect((await find(id))?.supply).toEqual({ total: 3, remaining: 2 })
    await complete(fan, first.id)
    expect((await find(id))?.supply).toEqual({ total: 3, remaining: 2 })
    await start(fan, id)
    expect((await find(id))?.supply).toEqual({ total: 3, remaining: 1 })
    world.clock.advance(HOLD)
    expect((await find(id))?.supply).toEqual({ total: 3, remaining: 2 })
  })
})

onEachEngine('GET /api/packs/{packId}', world => {
  test('returns the items by id with the weights from which the odds are computed', async () => {
    const id = await addPack(world)
    const { status, headers, body } = await world.anonymous.get(`/api/packs/${id}`)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=1, must-revalidate')
    expect(body.items).toEqual(
      [
        ['common', 700_000],
        ['epic', 50_000],
        ['rare', 250_000],
      ].map(([rarity, weight]) => ({
        id: `${id}-${rarity}`,
        name: rarity,
        description: rarity,
        imageUrl: null,
        rarity,
        weight,
      })),
    )
    const { items, ...pack } = body
    const { packs } = (await world.anonymous.get('/api/packs')).body
    expect(packs.find((each: Pack) => each.id === id)).toEqual(pack)
  })

  test('a pack that is not on sale can still be read, and says so', async () => {
    const ids = [
      await addPack(world, { active: false }),
      await addPack(world, { endsAt: new Date(world.clock.ms) }),
    ]
    for (const id of ids) {
      const { status, body } = await world.anonymous.get(`/api/packs/${id}`)
      expect([status, body.active, body.items.length]).toEqual([200, false, 3])
    }
  })

  test('refuses a pack that does not exist with 404 pack_not_found, which must not be cached', async () => {
    const answer = await world.anonymous.get('/api/packs/no-such-pack')
    expect(refusal(answer)).toEqual([404, 'pack_not_found'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('shows new weights at once', async () => {
    const id = await addPack(world)
    const change = (rarity: string, weight: number) =>
      world.db.write(tx => {
        const { packItems } = tx.tables
        const one = and(eq(packItems.packId, id), eq(packItems.collectibleId, `${id}-${rarity}`))
        return tx.update(packItems).set({ weight }).where(one)
      })
    await change('common', 650_000)
    await change('epic', 100_000)
    const { odds } = (await world.anonymous.get(`/api/packs/${id}`)).body
    expect(odds).toEqual([
      { rarity: 'common', probability: '0.650000' },
      { rarity: 'rare', probability: '0.250000' },
      { rarity: 'epic', probability: '0.100000' },
    ])
  })
})
