/** Who may: each requirement, met, not met and unknown; lists and verbs; entries of each kind; facts that change meanwhile. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { DomainError } from '../../../src/core/problems.ts'
import { Type } from '../../../src/core/typebox.ts'
import { planRecord, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { readCatalogue } from '../../../src/play/catalogue-file/read-file.ts'
import { eligibilityProblems } from '../../../src/play/eligibility/problems.ts'
import { defineRequirement } from '../../../src/play/eligibility/requirement.ts'
import type { Requires } from '../../../src/play/eligibility/requires.ts'
import type { Client } from '../../support/client.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import { balanceOf, buy, expectStatus, patientFan, refusal, start } from '../packs/packs-world.ts'
import { addQuest, claim as claimQuest, happen, read as readQuest, userIdOf } from '../quests/quests-world.ts'
import { ADDRESS, addStock, checkout, freeStock } from '../shop/orders-world.ts'
import { addProduct, entryOf } from '../shop/products-world.ts'
import { drawnItem } from '../trades/trades-world.ts'
import {
  addCollectible,
  addOfEachKind,
  addPackFor,
  addReward,
  blockersOf,
  claim,
  give,
  liveIn,
} from './eligibility-world.ts'

onEachEngine('A requirement', world => {
  const fanIn = async (country: string | null): Promise<Fan> => {
    const fan = await patientFan(world)
    await liveIn(fan, country)
    return fan
  }

  test.each<[string, Requires, string | null, boolean]>([
    ['countries, of a fan who lives there', { countries: ['GB', 'PT'] }, 'PT', true],
    ['countries, of a fan who lives elsewhere', { countries: ['GB'] }, 'PT', false],
    ['countries, of a fan without a country', { countries: ['GB'] }, null, false],
    ['notCountries, of a fan who lives elsewhere', { notCountries: ['GB'] }, 'PT', true],
    ['notCountries, of a fan who lives there', { notCountries: ['GB', 'PT'] }, 'PT', false],
    ['notCountries, of a fan without a country', { notCountries: ['GB'] }, null, false],
  ])('%s: %j', async (_, requires, country, isMet) => {
    const fan = await fanIn(country)
    const rewardId = await addReward(world, requires)
    expect(await blockersOf(fan, rewardId)).toEqual(isMet ? [] : ['not_sold_there'])
    const answer = await claim(fan, rewardId)
    expect(answer.status).toBe(isMet ? 200 : 409)
    if (!isMet) expect(answer.body).toMatchObject({ code: 'not_sold_there', country, ...requires })
  })

  test('collectibleId is met by an owner, until the item has another owner', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const collectibleId = await addCollectible(world)
    const rewardId = await addReward(world, { collectibleId })
    const again = await addReward(world, { collectibleId })
    expect(await blockersOf(fan, rewardId)).toEqual(['collectible_required'])
    expect((await claim(fan, rewardId)).body).toMatchObject({ code: 'collectible_required', collectibleId })
    await give(world, fan, collectibleId)
    expect(await blockersOf(fan, rewardId)).toEqual([])
    expect(await blockersOf(other, rewardId)).toEqual(['collectible_required'])
    expectStatus(200, await claim(fan, rewardId))
    const { userItems } = world.db.tables
    const ownerId = await userIdOf(world, other)
    const isItem = eq(userItems.collectibleId, collectibleId)
    await world.db.write(tx => tx.update(userItems).set({ ownerId }).where(isItem))
    expect(await blockersOf(other, again)).toEqual([])
    expect(refusal(await claim(fan, again))).toEqual([409, 'collectible_required'])
    expectStatus(200, await claim(other, again))
  })

  test('points are lifetime points: spending does not lower them', async () => {
    const fan = await patientFan(world, 100)
    const [rewardId, higher] = [
      await addReward(world, { points: 100 }),
      await addReward(world, { points: 101 }),
    ]
    await world.grant(fan, -60)
    expect((await balanceOf(fan)).lifetime).toBe(100)
    expect(await blockersOf(fan, higher)).toEqual(['insufficient_points'])
    expect((await claim(fan, higher)).body).toMatchObject({
      code: 'insufficient_points',
      pointsRequired: 101,
      points: 100,
      missingPoints: 1,
    })
    expectStatus(200, await claim(fan, rewardId))
  })

  test('all requirements are checked in one order, before the stock, and the first that fails is the answer', async () => {
    const fan = await fanIn(null)
    const collectibleId = await addCollectible(world)
    const holds = { chainId: 1, contract: `0x${'a'.repeat(40)}`, minimum: '1' }
    const requires = { points: 5, holds, collectibleId, notCountries: ['GB'], countries: ['PT'] }
    const rewardId = await addReward(world, requires, { stockRemaining: 0 })
    const codes = ['not_sold_there', 'collectible_required', 'not_a_holder', 'insufficient_points']
    expect(await blockersOf(fan, rewardId)).toEqual([...codes, 'out_of_stock'])
    expect(refusal(await claim(fan, rewardId))).toEqual([409, 'not_sold_there'])
    await liveIn(fan, 'PT')
    expect(refusal(await claim(fan, rewardId))).toEqual([409, 'collectible_required'])
    await give(world, fan, collectibleId)
    expect(refusal(await claim(fan, rewardId))).toEqual([409, 'not_a_holder'])
    const { rewards } = expectStatus(200, await fan.get('/api/rewards'))
    expect(rewards.find(({ id }: { id: string }) => id === rewardId)).toMatchObject({
      claimable: false,
      requires,
    })
  })

  test('is not checked for a claimed reward, nor before the points of the reward', async () => {
    const fan = await fanIn('PT')
    const rewardId = await addReward(world, { countries: ['PT'] })
    expectStatus(200, await claim(fan, rewardId))
    await liveIn(fan, 'GB')
    expect(await blockersOf(fan, rewardId)).toEqual(['already_claimed'])
    expect(refusal(await claim(fan, rewardId))).toEqual([409, 'already_claimed'])
    const requires = JSON.stringify({ countries: ['PT'] })
    const expensive = await world.reward({ pointsRequired: 10, requires })
    expect(await blockersOf(fan, expensive)).toEqual(['insufficient_points', 'not_sold_there'])
    expect(refusal(await claim(fan, expensive))).toEqual([409, 'insufficient_points'])
  })

  test('counts for the claimable rewards of the dashboard', async () => {
    const fan = await fanIn('PT')
    const claimable = async () => (await fan.get('/api/dashboard')).body.rewards.claimable
    const before = await claimable()
    await addReward(world, { countries: ['PT'] })
    await addReward(world, { countries: ['GB'] })
    expect(await claimable()).toBe(before + 1)
  })

  test('of a pack is shown, and checked when a purchase starts', async () => {
    const [fan, other] = [await fanIn('PT'), await fanIn('GB')]
    const packId = await addPackFor(world, { countries: ['PT'] })
    expect((await world.anonymous.get(`/api/packs/${packId}`)).body.requires).toEqual({ countries: ['PT'] })
    expect(refusal(await start(other, packId))).toEqual([409, 'not_sold_there'])
    await buy(fan, packId)
  })

  test('of a product is checked against the shipping address, otherwise against the profile', async () => {
    const [fan, stranger] = [await fanIn('GB'), await fanIn(null)]
    const scarf = await addStock(world, 10, { requires: { countries: ['PT'] } })
    const credit = await addStock(world, 10, { kind: 'voucher', requires: { countries: ['PT'] } })
    expect(ADDRESS.country).toBe('PT')
    expectStatus(201, await checkout(fan, scarf))
    const refused = await checkout(fan, credit)
    expect(refused.body).toMatchObject({ code: 'not_sold_there', productId: credit, country: 'GB' })
    expect(refusal(await checkout(stranger, credit))).toEqual([409, 'not_sold_there'])
    expect(await freeStock(world, credit)).toBe(10)
    await liveIn(stranger, 'PT')
    expectStatus(201, await checkout(stranger, credit))
  })

  test('of a pack is checked for a product that delivers the pack', async () => {
    const [fan, other] = [await fanIn('PT'), await fanIn('GB')]
    const packId = await addPackFor(world, { countries: ['PT'] })
    const productId = await addStock(world, 10, { kind: 'pack', delivers: { packId } })
    const refused = await checkout(other, productId)
    expect(refused.body).toMatchObject({ code: 'not_sold_there', productId })
    expectStatus(201, await checkout(fan, productId))
  })

  test.each(['manual', 'auto'] as const)(
    'of a quest is checked before its reward is given (%s)',
    async mode => {
      const fan = await fanIn('GB')
      const quest = await addQuest(world, {
        claim: mode,
        reward: { points: 7 },
        requires: { countries: ['PT'] },
      })
      expect(await readQuest(fan, quest)).toMatchObject({
        state: 'in_progress',
        blockedBy: ['not_sold_there'],
      })
      await happen(world, fan, quest.type)
      expect(await readQuest(fan, quest)).toMatchObject({ state: 'completed', blockedBy: ['not_sold_there'] })
      expect(refusal(await claimQuest(fan, quest.id))).toEqual([409, 'not_sold_there'])
      expect((await balanceOf(fan)).balance).toBe(0)
      await liveIn(fan, 'PT')
      expectStatus(200, await claimQuest(fan, quest.id))
      expect((await balanceOf(fan)).balance).toBe(7)
      expect(await readQuest(fan, quest)).toMatchObject({ state: 'claimed', blockedBy: [] })
    },
  )

  test('of a quest is met by a fan who gets the reward at once', async () => {
    const fan = await fanIn('PT')
    const first = await addQuest(world)
    const requires = { quests: [first.id], countries: ['PT'] }
    const quest = await addQuest(world, { claim: 'auto', reward: { points: 7 }, requires })
    expect(await readQuest(fan, quest)).toMatchObject({ state: 'locked', blockedBy: [first.id] })
    await happen(world, fan, quest.type)
    await happen(world, fan, first.type)
    expect((await balanceOf(fan)).balance).toBe(7)
  })

  test('that changes while a claim runs is checked in its old or new form, and in its new form from then on', async () => {
    const fan = await fanIn('PT')
    const rewardIds = await Promise.all(
      Array.from({ length: 6 }, () => addReward(world, { countries: ['PT'] })),
    )
    const [moved, ...claims] = await Promise.all([
      fan.patch('/api/user/profile', { country: 'GB' }),
      ...rewardIds.map(id => claim(fan, id)),
    ])
    expect(moved.status).toBe(200)
    for (const answer of claims) expect([200, 409]).toContain(answer.status)
    const later = await addReward(world, { countries: ['PT'] })
    expect(refusal(await claim(fan, later))).toEqual([409, 'not_sold_there'])
  })

  test('for an item that is given away at the same time is met by one of the two fans, or by both in turn', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const handle = `other_${world.clock.ms}`.slice(0, 20)
    expectStatus(201, await other.post('/api/user/profile', { handle }))
    const item = await drawnItem(world, fan)
    const rewardId = await addReward(world, { collectibleId: item.collectibleId })
    world.clock.advance(86_400_000 * 2)
    const trade = expectStatus(201, await fan.post('/api/trades', { to: handle, give: [item], want: [] }))
    const [accepted, own, taken] = await Promise.all([
      other.post(`/api/trades/${trade.id}/accept`, { version: trade.version }),
      claim(fan, rewardId),
      claim(other, rewardId),
    ])
    expect(accepted.status).toBe(200)
    for (const answer of [own, taken])
      if (answer.status !== 200) expect(refusal(answer)).toEqual([409, 'collectible_required'])
    if (own.status !== 200) expect(refusal(await claim(fan, rewardId))).toEqual([409, 'collectible_required'])
    if (taken.status !== 200) expectStatus(200, await claim(other, rewardId))
  })

  test('blockedBy of each list begins with the code that the verb refuses with, for any requires and fan', async () => {
    const collectibleId = await addCollectible(world)
    const some = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 })
    const requirements = fc.record(
      {
        countries: some('PT', 'GB', 'ES'),
        notCountries: some('PT', 'GB', 'ES'),
        collectibleId: fc.constant(collectibleId),
        points: fc.integer({ min: 1, max: 20 }),
      },
      { requiredKeys: [] },
    )
    const fans = fc.record({
      country: fc.constantFrom('PT', 'GB', null),
      points: fc.integer({ min: 0, max: 20 }),
      isOwner: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(requirements, fans, fc.constantFrom(0, 1), async (requires, facts, stockRemaining) => {
        const fan = await fanIn(facts.country)
        if (facts.points > 0) await world.grant(fan, facts.points)
        if (facts.isOwner) await give(world, fan, collectibleId)
        const empty = await addReward(world, requires, { stockRemaining })
        const entries = [
          { id: empty, list: 'rewards', ask: claim },
          ...(await addOfEachKind(world, requires)),
        ]
        for (const { id, list, ask } of entries) {
          const blockers = await blockersOf(fan, id, list)
          const answer = await ask(fan, id)
          expect([list, answer.status < 300 ? undefined : answer.body.code]).toEqual([list, blockers[0]])
        }
      }),
      { numRuns: 25 },
    )
  })

  test('is shown of packs and products to each caller, and to no one else', async () => {
    const [fan, other] = [await fanIn('PT'), await fanIn('GB')]
    const entries = await addOfEachKind(world, { countries: ['PT'] })
    const shared = entries.filter(({ list }) => /^(packs|products)/.test(list))
    expect(shared).toHaveLength(3)
    // Twice, so that each may be served from what another caller left in the cache.
    for (const [list, id] of [...shared, ...shared].flatMap(one => [[one.list, one.id], [one.list]])) {
      const [name = ''] = (list ?? '').split('?')
      const path = id === undefined ? `${list}` : `${name}/${id}`
      const read = async (client: Client) => {
        const { headers, body } = await client.get(`/api/${path}`)
        const listed: { id: string; blockedBy?: string[] }[] = body[name] ?? [body]
        const entry = listed.find(({ id }) => shared.some(one => one.id === id))
        return { blockedBy: entry?.blockedBy, headers, body }
      }
      const [own, stranger, anonymous] = [await read(fan), await read(other), await read(world.anonymous)]
      expect([path, own.blockedBy]).toEqual([path, []])
      expect([path, stranger.blockedBy]).toEqual([path, ['not_sold_there']])
      expect(JSON.stringify(anonymous.body)).not.toContain('blockedBy')
      for (const { headers } of [own, stranger])
        expect(headers.get('cache-control')).toBe('private, no-cache')
      expect(anonymous.headers.get('cache-control')).toStartWith('public')
      for (const { headers } of [own, stranger, anonymous])
        expect(headers.get('vary')).toContain('Authorization')
      expect(new Set([own, stranger, anonymous].map(({ headers }) => headers.get('etag'))).size).toBe(3)
    }
  })

  test('is shown with the texts in the language of the request, and not to a caller with a wrong token', async () => {
    const fan = await fanIn('GB')
    const entry = entryOf({
      name: { en: 'Scarf', pt: 'Cachecol' },
      requires: { countries: ['PT'] },
      variants: [{ id: 'one', name: 'One size' }],
    })
    await addProduct(world, entry)
    for (const [lang, name] of [
      ['pt', 'Cachecol'],
      ['en', 'Scarf'],
    ]) {
      const path = `/api/products/${entry.id}?lang=${lang}`
      const answer = await fan.get(path)
      expect(answer.body).toMatchObject({ name, blockedBy: ['not_sold_there'] })
      expect(answer.headers.get('content-language')).toContain(lang ?? '')
      expect((await world.anonymous.get(path)).body).toEqual({ ...answer.body, blockedBy: undefined })
    }
    expect(refusal(await world.withToken('wrong').get('/api/products'))).toEqual([401, 'invalid_token'])
  })

  test('names collectibles that exist, or that the same import describes, before or after', async () => {
    const entry = {
      ...{ id: 'for-owners', title: 'For owners', description: 'A scarf.', itemType: 'scarf' },
      ...{ pointsRequired: 0, requires: { collectibleId: 'unknown' } },
    }
    const record = { kind: 'reward', entry } as const
    const refused = {
      code: 'catalogue_conflict',
      explanation: { errors: [{ pointer: '/requires/collectibleId' }] },
    }
    await expect(planRecord(world.db.read, record)).rejects.toMatchObject(refused)
    await expect(world.db.write(tx => writeRecord(tx, record))).rejects.toMatchObject(refused)
    const stated = new Set(['collectibles unknown'])
    expect((await planRecord(world.db.read, record, { stated })).outcome).toBe('created')
  })
})

const entries = {
  rewards: { id: 'a', title: 'A', description: 'A.', itemType: 'a', pointsRequired: 0 },
  quests: {
    ...{ id: 'a', title: 'A', description: 'A.', kind: 'quest', period: 'once' },
    steps: [{ id: 'a', eventType: 'shop.purchase', target: 1 }],
  },
  packs: {
    ...{ id: 'a', name: 'A', description: 'A.', price: { amount: 0, currency: 'POINTS' }, itemsPerPack: 1 },
    items: [{ id: 'b', weight: 1_000_000, name: 'B', description: 'B.', rarity: 'common' }],
  },
  products: {
    ...{ id: 'a', name: 'A', description: 'A.', category: 'a', kind: 'voucher' },
    ...{ price: { amount: 0, currency: 'POINTS' }, variants: [{ id: 'a', name: 'A' }] },
  },
}

test.each(Object.entries(entries))(
  'an import of %s names the place of what `requires` cannot have',
  (list, entry) => {
    const faultsOf = (requires: unknown) =>
      readCatalogue(JSON.stringify({ [list]: [{ ...entry, requires }] }), false).faults.map(
        ({ pointer, message }) => [pointer, message],
      )
    const at = (member: string) => `/${list}/0/requires/${member}`
    expect(faultsOf({ points: 1, countries: ['GB'] })).toEqual([])
    expect(faultsOf(null)).toEqual([])
    expect(faultsOf({ level: 'gold' })).toEqual([[at('level'), 'is unknown']])
    expect(faultsOf({ points: 0 })).toEqual([[at('points'), expect.stringContaining('whole number')]])
    expect(faultsOf({ countries: ['GB', 'gb'] })).toEqual([[at('countries/1'), 'must be a country like GB']])
    expect(faultsOf({ notCountries: ['ZZ'] })).toEqual([
      [at('notCountries/0'), 'must be a country of ISO 3166-1 alpha-2, or XK'],
    ])
    expect(faultsOf({ countries: ['GB', 'GB'] })).toEqual([[at('countries/1'), 'must be listed once']])
  },
)

const { not_sold_there, collectible_required } = eligibilityProblems
const describe = { entry: Type.Boolean(), shown: Type.Boolean() }
const notSoldThere = () => new DomainError(not_sold_there, { country: null })

/** For `tsc`, which reports each `@ts-expect-error` whose line compiles. */
void [
  defineRequirement({
    member: 'returned',
    describe,
    problems: [not_sold_there],
    check: async (_reader, _candidate, asked) => asked.map(({ stated }) => (stated ? null : notSoldThere())),
  }),
  defineRequirement({
    member: 'listedAndNeverReturned',
    describe,
    // @ts-expect-error collectible_required is never returned
    problems: [not_sold_there, collectible_required],
    check: async (_reader, _candidate, asked) => asked.map(({ stated }) => (stated ? null : notSoldThere())),
  }),
  defineRequirement({
    member: 'returnedAndNotListed',
    describe,
    problems: [collectible_required],
    // @ts-expect-error not_sold_there is not listed
    check: async (_reader, _candidate, asked) => asked.map(({ stated }) => (stated ? null : notSoldThere())),
  }),
]
