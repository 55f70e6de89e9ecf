/** Segments: the same fans in memory and in SQL, for every fact and operator; requirements; the command. */
import { beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { OPERATORS } from '../../../../src/club/catalogue/operators.ts'
import { conditionFault, factNamed, factNames } from '../../../../src/club/segments/facts.ts'
import { type SegmentCondition, segmentKind } from '../../../../src/club/segments/segment-kind.ts'
import { eraseUser } from '../../../../src/fan/account/erase-user.ts'
import { countMembers, readSample } from '../../../../src/operate/admin/segments/count-members.ts'
import { listMembers, meetsAll, readFacts } from '../../../../src/operate/admin/segments/segments.ts'
import { addAccount } from '../../../economy/accounts/accounts-world.ts'
import { addOfEachKind, blockersOf, liveIn } from '../../../play/eligibility/eligibility-world.ts'
import { addPack, FREE, userIdOf } from '../../../play/packs/packs-world.ts'
import { runScript } from '../../../scripts/run-script.ts'
import { type Fan, onEachEngine } from '../../../support/world.ts'

const DAY_MS = 86_400_000
const FANS = 24
/** The facts, those of families with a name. */
const FACTS = factNames.map(name =>
  name.replace('CURRENCY', 'EUR').replace('PURPOSE', 'marketing').replace('ACCOUNT', 'status'),
)
const VALUES: Record<string, (string | number | boolean)[]> = {
  text: ['GB', 'PT', 'en-GB', 'adult', '13_15', 'gold', 'none'],
  set: ['gold', 'silver', 'none'],
  number: [-1, 0, 1, 2, 3, 50, 100],
  days: [-1, 0, 1, 2, 10, 400, 20_000],
  boolean: [true, false],
}

/** Repeatable. */
function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  const upTo = (max: number) => Math.floor(next() * (max + 1))
  const pick = <One>(of: readonly One[]): One => {
    const one = of[upTo(of.length - 1)]
    if (one === undefined) throw new Error('a list is empty')
    return one
  }
  return { upTo, pick, maybe: <One>(one: One): One | null => (next() < 0.5 ? one : null) }
}

onEachEngine('A segment', world => {
  const ids: string[] = []

  beforeAll(async () => {
    const random = createRandom(7)
    const now = world.clock.now()
    const at = (days: number) => new Date(now.getTime() - days * DAY_MS - random.upTo(1) * (DAY_MS - 1))
    const kind = { name: 'M', benefits: '[]', active: true, createdAt: now, updatedAt: now }
    const teamId = await world.team()
    await addAccount(world, { id: 'status', window: null })
    const matchIds = [await world.match(), await world.match()]
    const packId = await addPack(world, { price: FREE })
    await world.db.write(async tx => {
      for (const id of ['gold', 'silver']) await tx.insert(tx.tables.memberships).values({ id, ...kind })
      for (let n = 0; n < FANS; n++) {
        const id = `fan-of-segment-${String(n).padStart(2, '0')}`
        ids.push(id)
        const text = {
          country: random.maybe(random.pick(['GB', 'PT'])),
          locale: random.maybe('en-GB'),
          favoriteTeamId: random.maybe(teamId),
          ageBand: random.maybe(random.pick(['adult', '13_15'])),
        }
        // Also created a moment ago, and by a clock that is ahead.
        const createdAt = n === 0 ? new Date(now.getTime() + 5_000) : at(random.pick([0, 1, 2, 10, 400]))
        const user = { id, provider: 'segments', subject: id, ...text, createdAt, updatedAt: now }
        await tx.insert(tx.tables.users).values(user)
        const balance = random.pick([0, 1, 2, 50, 100])
        const account = { userId: id, balance, lifetime: balance + random.upTo(2), seq: 1, headHash: 'h' }
        if (random.maybe(true))
          await tx.insert(tx.tables.pointsAccounts).values({ ...account, updatedAt: now })
        if (random.maybe(true))
          await tx.insert(tx.tables.onboardings).values({ userId: id, completedAt: now })
        for (let m = random.upTo(2); m > 0; m--) {
          const period = random.pick([
            { startsAt: at(10), endsAt: new Date(now.getTime() + DAY_MS) },
            { startsAt: at(10), endsAt: now },
            { startsAt: now, endsAt: new Date(now.getTime() + 1) },
          ])
          const row = { ref: `${id}-${m}`, userId: id, kindId: random.pick(['gold', 'silver']), ...period }
          await tx
            .insert(tx.tables.fanMemberships)
            .values({ ...row, begun: false, createdAt: now, updatedAt: now })
        }
        for (let e = 1; e <= random.upTo(3); e++) {
          const event = { source: 'segments', eventId: `${id}-${e}`, userId: id, sequence: e, type: 'a.b' }
          const recordedAt = at(random.pick([0, 1, 2, 10]))
          await tx
            .insert(tx.tables.events)
            .values({ ...event, recordedAt, occurredAt: recordedAt, data: '{}' })
        }
        for (let seq = 1; seq <= random.upTo(3); seq++) {
          const consent = { userId: id, purpose: 'marketing', seq, granted: random.maybe(true) !== null }
          const of = { documentId: 'news', version: '1', source: 'app', changedAt: now }
          await tx.insert(tx.tables.consents).values({ ...consent, ...of })
        }
        if (random.maybe(true)) {
          const tierId = random.maybe(random.pick(['gold', 'silver']))
          const head = { balance: 0, seq: 0, headHash: 'h', minusTotal: 0, reachedAt: now, updatedAt: now }
          const row = { userId: id, accountId: 'status', tierId, basis: 'all', ...head }
          await tx.insert(tx.tables.fanAccounts).values(row)
        }
        for (const matchId of matchIds.slice(0, random.upTo(2)))
          await tx.insert(tx.tables.checkIns).values({ userId: id, matchId, checkedInAt: now })
        for (const matchId of matchIds.slice(0, random.upTo(2))) {
          const row = { matchId, userId: id, homeScore: 1, awayScore: 0, state: 'open', points: 0, booked: 0 }
          await tx.insert(tx.tables.predictions).values({ ...row, createdAt: now, changedAt: now })
        }
        for (let p = random.upTo(3); p > 0; p--) {
          const purchaseId = `${id}-purchase-${p}`
          const free = { priceAmount: 0, priceCurrency: 'POINTS', status: 'completed', completedAt: now }
          const times = { createdAt: now, expiresAt: now, serverSeed: 's', seedHash: 'h', terms: '{}' }
          await tx
            .insert(tx.tables.packPurchases)
            .values({ id: purchaseId, packId, userId: id, ...free, ...times })
          const opened = random.maybe({ openedAt: now, clientSeed: 'seed' })
          const pack = { id: `${id}-pack-${p}`, purchaseId, packId, userId: id, createdAt: now, ...opened }
          await tx.insert(tx.tables.userPacks).values(pack)
        }
        for (let o = random.upTo(2); o > 0; o--) {
          const status = random.pick(['completed', 'cancelled'])
          const order = { id: `${id}-order-${o}`, userId: id, status, priceAmount: 50, discountAmount: 0 }
          const times = { createdAt: now, expiresAt: now, completedAt: status === 'completed' ? now : null }
          const priceCurrency = random.pick(['EUR', 'GBP'])
          await tx.insert(tx.tables.orders).values({ ...order, priceCurrency, ...times })
        }
      }
    })
  })

  /** Every condition without a fault of a fact. */
  function conditionsOf(fact: string): SegmentCondition[] {
    const values = VALUES[factNamed(fact)?.type ?? ''] ?? []
    return OPERATORS.flatMap(op => {
      const lists = [values.slice(0, 2), values.slice(1)]
      return (op === 'in' ? lists : [...values, true, false]).map(value => ({ fact, op, value }))
    }).filter(condition => conditionFault(condition) === null)
  }

  async function compare(when: SegmentCondition[]): Promise<number> {
    const { read } = world.db
    const rows = await listMembers(read, when, { after: 'fan-of-segment', size: 1_000 })
    const found = rows.map(({ userId }) => userId).filter(id => ids.includes(id))
    const inMemory: string[] = []
    for (const id of ids) if (await meetsAll(read, id, when)) inMemory.push(id)
    expect([when, found]).toEqual([when, inMemory])
    const everyone = await listMembers(read, when, { after: '', size: 10_000 })
    // From the sets of the conditions, and by looking up each fan.
    const counts = [await countMembers(read, when, -1), await countMembers(read, when)]
    expect([when, counts]).toEqual([when, [everyone.length, everyone.length]])
    const sample = (await readSample(read, when)).map(({ id }) => id)
    expect([when, sample]).toEqual([when, everyone.slice(0, 10).map(({ userId }) => userId)])
    return found.length
  }

  test.each(FACTS)('has the same fans in memory and in SQL by %s and each operator', async fact => {
    const counts: number[] = []
    for (const condition of conditionsOf(fact)) counts.push(await compare([condition]))
    expect(counts.length).toBeGreaterThan(3)
    // Some conditions tell fans apart: the fans differ in the fact.
    expect(counts.some(found => found > 0 && found < FANS)).toBe(true)
  })

  test('has the same fans by any conditions together', async () => {
    const random = createRandom(11)
    let some = 0
    for (let n = 0; n < 60; n++) {
      const when = Array.from({ length: 1 + random.upTo(2) }, () =>
        random.pick(conditionsOf(random.pick(FACTS))),
      )
      if ((await compare(when)) > 0) some++
    }
    expect(some).toBeGreaterThan(10)
  })

  test('counts whole days, of the future none', async () => {
    const [ahead = ''] = ids
    expect(await readFacts(world.db.read, ahead, ['registeredDaysAgo'])).toEqual({ registeredDaysAgo: 0 })
  })

  test('contains no erased and no merged fan', async () => {
    const everybody: SegmentCondition[] = [{ fact: 'registeredDaysAgo', op: 'gte', value: 0 }]
    const before = await countMembers(world.db.read, everybody)
    const fan = await world.fan()
    await liveIn(fan, 'IS')
    const when: SegmentCondition[] = [{ fact: 'country', op: 'in', value: ['IS'] }]
    expect(await countMembers(world.db.read, when)).toBe(1)
    const { users } = world.db.tables
    const id = (await userIdOf(world, fan)) ?? ''
    const merge = (into: string | null) =>
      world.db.write(tx => tx.update(users).set({ mergedIntoId: into }).where(eq(users.id, id)))
    await merge(ids[0] ?? '')
    expect(await countMembers(world.db.read, when)).toBe(0)
    await merge(null)
    const { name: provider } = world.config.identity
    await world.db.write(tx => eraseUser(tx, { provider, subject: fan.subject }))
    expect(await countMembers(world.db.read, everybody)).toBe(before)
  })

  test('is required by entries of each kind, and its name is nowhere', async () => {
    const entry = {
      id: 'from-ireland',
      name: 'Secret name',
      when: [{ fact: 'country', op: 'eq', value: 'IE' }],
    } as const
    await world.db.write(tx => segmentKind.upsert(tx, { ...entry, when: [...entry.when] }))
    const [inside, outside]: [Fan, Fan] = [await world.fan(), await world.fan()]
    await liveIn(inside, 'IE')
    await liveIn(outside, 'PT')
    for (const { id, list, ask } of await addOfEachKind(world, { segment: entry.id })) {
      const refused = await ask(outside, id)
      expect([refused.status, refused.body.code]).toEqual([409, 'not_in_segment'])
      expect(JSON.stringify(refused.body)).not.toMatch(/Secret|ireland/)
      if (list === 'quests') {
        const idsOf = async (fan: Fan) =>
          (await fan.get('/api/quests')).body.quests.map((quest: { id: string }) => quest.id)
        const stranger = await world.fan()
        await liveIn(stranger, 'PT')
        expect(await idsOf(stranger)).not.toContain(id)
        // They have completed it.
        expect(await idsOf(outside)).toContain(id)
        expect(await idsOf(inside)).toContain(id)
      } else expect(await blockersOf(outside, id, list)).toContain('not_in_segment')
      expect((await ask(inside, id)).body.code).toBeUndefined()
    }
    await world.db.write(tx => segmentKind.deactivate(tx, entry.id))
    const [again] = await addOfEachKind(world, { segment: entry.id })
    expect((await again?.ask(inside, again.id))?.body.code).toBe('not_in_segment')
  })

  if (world.databaseUrl !== null)
    test('is counted and exported by the command', async () => {
      const fan = await world.fan()
      await liveIn(fan, 'FO')
      const when: SegmentCondition[] = [{ fact: 'country', op: 'eq', value: 'FO' }]
      await world.db.write(tx => segmentKind.upsert(tx, { id: 'faroe', name: 'Faroe', when }))
      const run = (...parameters: string[]) =>
        runScript('segments', parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' } })
      expect((await run('count', 'faroe')).out).toBe('1\n')
      const { out } = await run('export', 'faroe', '--csv')
      const id = await userIdOf(world, fan)
      expect(out).toBe(`userId,provider,subject,handle\r\n${id},mock-idp,${fan.subject},\r\n`)
      expect(JSON.parse((await run('export', 'faroe')).out)).toMatchObject({ userId: id })
      expect((await run('count', 'none')).code).toBe(1)
    })
})

test.each([
  ['an unknown fact', { fact: 'birthday', op: 'eq', value: 1 }, 'fact'],
  ['a purpose that is no slug', { fact: 'consent.No Slug', op: 'eq', value: true }, 'fact'],
  ['an order of texts', { fact: 'country', op: 'gt', value: 'A' }, 'op'],
  ['a list for eq', { fact: 'points', op: 'eq', value: [1] }, 'value'],
  ['no list for in', { fact: 'points', op: 'in', value: 1 }, 'value'],
  ['a fraction', { fact: 'points', op: 'gt', value: 1.5 }, 'value'],
  ['a text for a number', { fact: 'points', op: 'gt', value: '1' }, 'value'],
  ['a number for exists', { fact: 'country', op: 'exists', value: 1 }, 'value'],
] as const)('a segment with %s is refused', (_, condition, member) => {
  const when = [
    { ...condition, value: Array.isArray(condition.value) ? [...condition.value] : condition.value },
  ]
  // Guarantee of the cast: the schema allows these values.
  const entry = { id: 'wrong', name: 'Wrong', when: when as SegmentCondition[] }
  expect(segmentKind.faults(entry).map(({ pointer }) => pointer)).toEqual([`/when/0/${member}`])
})
