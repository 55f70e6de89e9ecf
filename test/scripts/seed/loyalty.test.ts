/** What seeded fans have with the club apart from points: seasons in accounts, memberships, codes, invitations, consents, ages. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { and, eq, isNotNull } from 'drizzle-orm'
import { SHARED_CODE } from '../../../scripts/seed/demo-loyalty.ts'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { readBands } from '../../../src/economy/accounts/bands.ts'
import { reportCampaign } from '../../../src/play/codes/generate.ts'
import { redeemCode } from '../../../src/play/codes/redeem.ts'
import { stateAt } from '../../../src/play/memberships/periods.ts'
import { createClock } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { engines, sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { options as sixtyFans } from './sixty-fans.ts'

const options = { ...sixtyFans, seed: 1, fans: 120, crowd: 400, exclusive: true }

/** Rows of the seed, without those of staff, whose keys are secrets. */
const isLoyalty = (row: string) =>
  /^\["(accountEntries|fanAccounts|fanMemberships|campaignCodes|codeRedemptions|referral|consents)/.test(row)

describe.each(engines)('The loyalty of a seed ($name)', engine => {
  let one: TemporaryDatabase
  beforeAll(async () => {
    one = await engine.open(createClock())
    await seedDatabase(one.db, options)
  })
  afterAll(() => one.remove())

  test('is the same in another database', async () => {
    const other = await engine.open(createClock())
    await seedDatabase(other.db, options)
    expect((await dump(other.db)).filter(isLoyalty)).toEqual((await dump(one.db)).filter(isLoyalty))
    await other.remove()
  })

  test('has two accounts with entries in three seasons, fans in every tier, and bands', async () => {
    const { read, tables } = one.db
    const seasons = await read.select().from(tables.seasons)
    const entries = await read.select().from(tables.accountEntries)
    const seasonOf = (at: Date) => seasons.find(({ startsAt, endsAt }) => startsAt <= at && at < endsAt)?.id
    for (const accountId of ['loyalty', 'away']) {
      const own = entries.filter(entry => entry.accountId === accountId)
      expect(new Set(own.map(({ countedAt }) => seasonOf(countedAt))).size).toBe(3)
      const fans = await read
        .select()
        .from(tables.fanAccounts)
        .where(eq(tables.fanAccounts.accountId, accountId))
      const tiers =
        accountId === 'loyalty' ? ['bronze', 'gold', 'silver', null] : ['road-captain', 'traveller', null]
      expect(new Set(fans.map(({ tierId }) => tierId))).toEqual(new Set(tiers))
    }
    const { bands } = await readBands(read, 'loyalty')
    expect(bands.length).toBeGreaterThan(5)
  })

  test('has memberships that are ended, active, renewed and upcoming', async () => {
    const { read, tables } = one.db
    const memberships = await read.select().from(tables.fanMemberships)
    const states = new Set(memberships.map(row => stateAt(row, read.now())))
    expect(states).toEqual(new Set(['ended', 'active', 'upcoming']))
    const told = await read.selectDistinct({ type: tables.events.type }).from(tables.events)
    expect(told.map(({ type }) => type)).toContain('membership.renewed')
    expect(told.map(({ type }) => type)).toContain('membership.started')
  })

  test('has codes of each state, and one that the first fan can still enter', async () => {
    const { read, tables } = one.db
    const { unused, voided, generated, days } = await reportCampaign(read, 'scratch-card')
    expect({ voided, redeemed: generated - unused - voided > 3, days: days.length }).toEqual({
      voided: 2,
      redeemed: true,
      days: 1,
    })
    const [first] = await read
      .select()
      .from(tables.users)
      .where(and(eq(tables.users.provider, 'mock-idp'), isNotNull(tables.users.handle)))
      .orderBy(tables.users.subject)
      .limit(1)
    if (!first) throw new Error('there are fans')
    const caller = { userId: first.id, provider: first.provider, subject: first.subject, isNew: false }
    const undone = new Error('nothing stays')
    let gave: unknown
    const entered = one.db.write(async tx => {
      gave = (await redeemCode(tx, caller, { code: SHARED_CODE })).gave
      throw undone
    })
    expect(await entered.catch(error => error)).toBe(undone)
    expect(gave).toMatchObject({ points: 50 })
  })

  test('has invitations, consents of two versions and withdrawn ones, and age bands', async () => {
    const { read, tables } = one.db
    const referrals = await read.select().from(tables.referrals)
    expect(referrals).toHaveLength(5)
    const consents = await read.select().from(tables.consents)
    expect(new Set(consents.map(({ version }) => version)).size).toBe(2)
    expect(consents.some(({ granted }) => !granted)).toBe(true)
    const users = await read.select().from(tables.users)
    const ages = users.flatMap(({ ageBand, guardianConsent }) =>
      ageBand ? [`${ageBand} ${guardianConsent}`] : [],
    )
    expect(new Set(ages)).toEqual(new Set(['adult null', '13_15 true', '16_17 null']))
  })
})

test('a large club has codes that are older than the records of the invited, and nothing of a fan who has not joined yet', async () => {
  const { db, remove } = await sqliteEngine.open(createClock())
  await seedDatabase(db, { ...options, fans: 60, crowd: 5_000 })
  const { read, tables } = db
  const users = await read.select().from(tables.users)
  const codes = await read.select().from(tables.referralCodes)
  const referrals = await read.select().from(tables.referrals)
  const joinedAt = new Map(users.map(({ id, createdAt }) => [id, createdAt.getTime()]))
  const issuedAt = new Map(codes.map(({ userId, createdAt }) => [userId, createdAt.getTime()]))
  const joined = (userId: string | null) => joinedAt.get(userId ?? '') ?? Number.NaN
  for (const { inviterId, inviteeId, invitedAt } of referrals) {
    const issued = issuedAt.get(inviterId) ?? Number.NaN
    const times = [joined(inviterId), issued, joined(inviteeId), invitedAt.getTime()]
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  }
  // Some of the crowd join after the time of these rows.
  const last = Math.max(...referrals.map(({ invitedAt }) => invitedAt.getTime()))
  expect(users.some(({ createdAt }) => createdAt.getTime() > last)).toBe(true)
  const [onboardings, events, entries] = [
    await read.select().from(tables.onboardings),
    await read.select().from(tables.events),
    await read.select().from(tables.accountEntries),
  ]
  const times = [
    ...onboardings.map(({ userId, completedAt }) => [userId, completedAt] as const),
    ...events.map(({ userId, recordedAt }) => [userId, recordedAt] as const),
    ...entries.map(({ userId, createdAt }) => [userId, createdAt] as const),
  ]
  expect(times.filter(([userId, at]) => at.getTime() < joined(userId))).toEqual([])
  await remove()
})
