/** Teams, rewards and packs as an importer states them, while fans claim and buy. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { RESERVED_SLUGS } from '../../../src/club/catalogue/entry-schema.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { entryKinds, planRecord, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import type { PackEntry } from '../../../src/play/packs/entry-schema.ts'
import { findBreach, findFlaw } from '../../../src/play/packs/proof.ts'
import type { RewardEntry } from '../../../src/play/rewards/reward-kind.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEachEngine, onEngine, type World } from '../../support/world.ts'
import { buy, complete, expectStatus, HOLD, open, patientFan, start } from '../packs/packs-world.ts'

let made = 0

const reward = (fields: Partial<RewardEntry> = {}) => ({
  kind: 'reward' as const,
  entry: {
    id: `import-${++made}`,
    title: 'Scarf',
    description: 'One scarf.',
    itemType: 'voucher',
    pointsRequired: 0,
    ...fields,
  },
})

function pack(fields: Partial<PackEntry> = {}) {
  const id = fields.id ?? `import-${++made}`
  const item = (rarity: string, weight: number) => {
    return { id: `${id}-${rarity}`, weight, name: rarity, description: rarity, rarity }
  }
  const entry: PackEntry = {
    id,
    name: 'Pack',
    description: 'A pack.',
    price: { amount: 10, currency: 'POINTS' },
    itemsPerPack: 3,
    items: [item('common', 900_000), item('rare', 100_000)],
    ...fields,
  }
  return { kind: 'pack' as const, entry }
}

const write = ({ db }: World, record: ReturnType<typeof reward> | ReturnType<typeof pack>) =>
  db.write(tx => writeRecord(tx, record))

/** Where the entry is at fault. */
async function pointersOf(attempt: Promise<unknown>) {
  const error = await attempt.catch((thrown: unknown) => thrown)
  if (!(error instanceof DomainError)) throw error
  expect(error.code).toBe('catalogue_conflict')
  return error.explanation.errors?.map(fault => ('pointer' in fault ? fault.pointer : ''))
}

async function rowOf({ db }: World, id: string) {
  const { rewards } = db.tables
  const [row] = await db.read.select().from(rewards).where(eq(rewards.id, id))
  return row
}

onEachEngine('Catalogue entries', world => {
  const claim = async (rewardId: string) => (await world.fan()).post('/api/rewards/claim', { rewardId })

  test('report what they change, write it, and change nothing the second time', async () => {
    const first = reward({ stock: 5 })
    expect(await planRecord(world.db.read, first)).toEqual({ outcome: 'created', members: {} })
    expect(await rowOf(world, first.entry.id)).toBeUndefined()
    expect((await write(world, first)).outcome).toBe('created')
    expect((await write(world, first)).outcome).toBe('unchanged')
    const before = await rowOf(world, first.entry.id)
    world.clock.advance(1_000)
    const second = reward({ ...first.entry, title: 'Shirt', endsAt: '2026-12-24T18:00:00.000Z' })
    expect(await write(world, second)).toEqual({
      outcome: 'changed',
      members: { title: ['Scarf', 'Shirt'], endsAt: [null, new Date('2026-12-24T18:00:00.000Z')] },
    })
    expect(await rowOf(world, first.entry.id)).toMatchObject({
      title: 'Shirt',
      stockRemaining: 5,
      createdAt: before?.createdAt,
      updatedAt: world.clock.now(),
    })
  })

  test('state the total stock, so that stating it again returns no units', async () => {
    const entry = reward({ stock: 5 })
    const { id } = entry.entry
    await write(world, entry)
    for (let claims = 0; claims < 3; claims++) expectStatus(200, await claim(id))
    expect((await write(world, entry)).outcome).toBe('unchanged')
    expect((await rowOf(world, id))?.stockRemaining).toBe(2)

    expect(await write(world, reward({ ...entry.entry, stock: 10 }))).toMatchObject({
      members: { stock: [5, 10] },
    })
    expect((await rowOf(world, id))?.stockRemaining).toBe(7)
    await write(world, reward({ ...entry.entry, stock: 3 }))
    expect((await claim(id)).body.code).toBe('out_of_stock')
    expect(await pointersOf(write(world, reward({ ...entry.entry, stock: 2 })))).toEqual(['/stock'])
    expect(await pointersOf(planRecord(world.db.read, reward({ ...entry.entry, stock: 2 })))).toEqual([
      '/stock',
    ])

    await write(world, reward({ ...entry.entry, stock: null }))
    expectStatus(200, await claim(id))
    await write(world, reward({ ...entry.entry, stock: 10 }))
    expect((await rowOf(world, id))?.stockRemaining).toBe(6)
  })

  test('lose no unit of stock when claims run at the same time', async () => {
    const entry = reward({ stock: 30 })
    const { id } = entry.entry
    await write(world, entry)
    const claims = Array.from({ length: 24 }, () => claim(id))
    const imports = Array.from({ length: 24 }, (_, n) =>
      write(world, reward({ ...entry.entry, stock: 30 + (n % 5) })),
    )
    const answers = await Promise.all(claims)
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200))
    await Promise.all(imports)
    await write(world, entry)
    expect((await rowOf(world, id))?.stockRemaining).toBe(6)
  })

  test('never have a supply below the number of sold and held packs', async () => {
    const entry = pack({ supply: 5 })
    const { id } = entry.entry
    await write(world, entry)
    await buy(await patientFan(world, 100), id)
    expectStatus(201, await start(await patientFan(world, 100), id))
    expect(await pointersOf(write(world, pack({ ...entry.entry, supply: 1 })))).toEqual(['/supply'])
    expect((await write(world, pack({ ...entry.entry, supply: 2 }))).members).toEqual({ supply: [5, 2] })
    world.clock.advance(HOLD)
    expect((await write(world, pack({ ...entry.entry, supply: 1 }))).outcome).toBe('changed')
  })

  test('change odds, items and price only for later purchases', async () => {
    const entry = pack()
    const { id, items } = entry.entry
    await write(world, entry)
    const fan = await patientFan(world, 100)
    const held = expectStatus(201, await start(await patientFan(world, 100), id))
    const bought = await buy(fan, id)

    const other = { id: `${id}-epic`, weight: 1_000_000, name: 'Epic', description: 'Epic', rarity: 'epic' }
    const next = pack({
      ...entry.entry,
      price: { amount: 99, currency: 'POINTS' },
      itemsPerPack: 1,
      items: [other],
    })
    const { members } = await write(world, next)
    expect(Object.keys(members).toSorted()).toEqual(
      ['itemsPerPack', 'price', ...[...items, other].map(item => `items/${item.id}`)].toSorted(),
    )
    expect(expectStatus(200, await world.anonymous.get(`/api/packs/${id}`)).odds).toEqual([
      { rarity: 'epic', probability: '1.000000' },
    ])

    const { proof } = expectStatus(200, await open(fan, bought.userPack.id))
    expect(findFlaw(proof)).toBeNull()
    expect(findBreach(proof, bought)).toBeNull()
    expect(proof.items).toHaveLength(3)
    expect(proof.weights).toEqual(items.map(({ id, rarity, weight }) => ({ id, rarity, weight })))
    expect(held.price.amount).toBe(10)
  })

  test('keep the rarity of a collectible, which purchases have promised', async () => {
    const entry = pack()
    await write(world, entry)
    const [first, ...others] = entry.entry.items
    if (!first) throw new Error('the pack has items')
    const relabelled = pack({ ...entry.entry, items: [{ ...first, rarity: 'legendary' }, ...others] })
    expect(await pointersOf(write(world, relabelled))).toEqual(['/items/0/rarity'])
    const renamed = pack({ ...entry.entry, items: [{ ...first, name: 'Renamed' }, ...others] })
    expect((await write(world, renamed)).members).toMatchObject({
      [`items/${first.id}`]: [{ name: 'common' }, { name: 'Renamed' }],
    })
  })

  test('can refer only to existing collectibles', async () => {
    const described = pack()
    await write(world, described)
    const reference = (id: string) => pack({ items: [{ id, weight: 1_000_000 }] })
    expect((await write(world, reference(described.entry.items[0]?.id ?? ''))).outcome).toBe('created')
    const nowhere = reference('nowhere-at-all')
    expect(await pointersOf(write(world, nowhere))).toEqual(['/items/0/id'])
    expect(await planRecord(world.db.read, described)).toMatchObject({ outcome: 'unchanged' })
    // Nothing of the refused pack was kept.
    expect((await world.anonymous.get(`/api/packs/${nowhere.entry.id}`)).status).toBe(404)
  })

  test('that are deactivated do not change what fans have', async () => {
    const [prize, bundle] = [reward(), pack()]
    await write(world, prize)
    await write(world, bundle)
    const fan = await patientFan(world, 100)
    expectStatus(200, await fan.post('/api/rewards/claim', { rewardId: prize.entry.id }))
    const { id } = expectStatus(201, await start(fan, bundle.entry.id))
    await world.db.write(tx => entryKinds.reward.deactivate(tx, prize.entry.id))
    await world.db.write(tx => entryKinds.pack.deactivate(tx, bundle.entry.id))

    expect((await world.anonymous.get('/api/packs')).body).not.toMatchObject({
      packs: expect.arrayContaining([expect.objectContaining({ id: bundle.entry.id })]),
    })
    expectStatus(200, await fan.post('/api/rewards/redeem', { rewardId: prize.entry.id }))
    const { userPack } = expectStatus(200, await complete(fan, id))
    expectStatus(200, await open(fan, userPack.id))
  })
})

onEngine(sqliteEngine, 'Slugs', world => {
  test('that are segments of other paths are all reserved', async () => {
    const document = await world.app.handle(new Request('http://localhost/docs/json'))
    const { paths } = (await document.json()) as { paths: object }
    const words = Object.keys(paths).flatMap(path => {
      const [, word] = /^\/api\/(?:packs|rewards|teams)\/([a-z]+)/.exec(path) ?? []
      return word === undefined ? [] : [word]
    })
    expect(words.length).toBeGreaterThan(4)
    expect(RESERVED_SLUGS).toEqual(expect.arrayContaining(words))
  })
})
