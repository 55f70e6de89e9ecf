/**
 * What fans have with the club apart from points: totals of three seasons in accounts, memberships, codes, invitations, consents and
 * age bands. Written once, with the verbs of the application.
 */
import { and, asc, desc, eq, isNotNull, lte } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../db/index.ts'
import type { AgeBand } from '../../src/core/age-bands.ts'
import type { Caller } from '../../src/core/caller.ts'
import type { NewEvent } from '../../src/economy/events/event.ts'
import { writeEvents } from '../../src/economy/events/record-event.ts'
import { writeConsents } from '../../src/fan/consents/consents.ts'
import { completeOnboarding } from '../../src/fan/onboarding/onboarding.ts'
import { readReferral } from '../../src/fan/referrals/referrals.ts'
import { storeAge } from '../../src/identity/users/age.ts'
import { lockToCount } from '../../src/identity/users/locks.ts'
import { type CatalogueRecord, writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { generateCodes, listUnused, voidCodes } from '../../src/play/codes/generate.ts'
import { redeemCode } from '../../src/play/codes/redeem.ts'
import { type StatedMembership, writeMemberships } from '../../src/play/memberships/write-memberships.ts'
import { type Calendar, DAY_MS, MINUTE_MS, readCalendar } from './calendar.ts'
import { PROVIDER } from './crowd.ts'
import { documents } from './demo-documents.ts'
import {
  IMPORTED,
  loyaltyOf,
  MEMBER,
  newNewsletter,
  SEASON_TICKET,
  SHARED_CODE,
  UNIQUE_CAMPAIGN,
} from './demo-loyalty.ts'
import { seasonsOf } from './demo-seasons.ts'
import type { SeedParameters } from './groups.ts'
import { createSeedSources, type SeedSources, withSources } from './sources.ts'

/** Far from the indexes of fans, and of the other parts. */
const INDEX = 100_000_004
/** After the part before it. It takes ten minutes. */
const BEFORE_NOW_MS = 29 * MINUTE_MS
/** Of the crowd: who has been at matches of the last seasons. */
const ATTENDING = 0.16
/** Fans per unit of work. */
const IMPORT_SIZE = 1_000
const [CODES, FANS] = [200, 200]
const INVITERS = 5
/** From the code of an inviter to the invitations: an invited fan has joined within a day, and every inviter earlier. */
const INVITED_MS = 2 * DAY_MS

interface Member extends Caller {
  name: string | null
}

/** Writes nothing the second time. */
export const seedLoyalty = (
  db: Database,
  {
    seed,
    provider,
    instant,
    onboardingPoints,
  }: Pick<SeedParameters, 'seed' | 'provider' | 'instant' | 'onboardingPoints'>,
): Promise<void> =>
  db.write(async real => {
    const detailed = await readDetailed(real, provider.name)
    const [first] = detailed
    if (!first) return
    // A concurrent seed waits here, and then finds the rows of this one.
    await lockToCount(real, first.userId)
    const accounts = await real.select({ id: real.tables.accounts.id }).from(real.tables.accounts).limit(1)
    if (accounts.length > 0) return
    const calendar = await readCalendar(real, instant ?? real.now())
    const start = new Date(calendar.now.getTime() - BEFORE_NOW_MS)
    const sources = createSeedSources(seed, calendar)(INDEX, start)
    const tx = withSources(real, sources)
    const crowd = await readCrowd(tx)
    for (const record of loyaltyOf(calendar)) await writeRecord(tx, record)
    await importSeasons(tx, calendar, sources, { detailed, crowd })
    await writeMemberships(tx, membershipsOf(calendar, detailed))
    sources.pass(MINUTE_MS)
    await redeem(tx, sources, detailed)
    await invite(tx, sources, { members: detailed, crowd, points: onboardingPoints })
    await consent(tx, detailed)
    await stateAges(tx, detailed)
  })

/** The first fans of the provider with a handle. */
async function readDetailed(reader: Reader, provider: string): Promise<Member[]> {
  const { users, pointsAccounts } = reader.tables
  const rows = await reader
    .select(memberOf(reader))
    .from(users)
    .innerJoin(pointsAccounts, eq(pointsAccounts.userId, users.id))
    .where(and(eq(users.provider, provider), isNotNull(users.handle)))
    .orderBy(asc(users.subject))
    .limit(FANS)
  return rows.map(row => ({ ...row, isNew: false }))
}

/** Those who have joined, from the newest on. */
async function readCrowd(reader: Reader): Promise<Member[]> {
  const { users } = reader.tables
  const rows = await reader
    .select(memberOf(reader))
    .from(users)
    .where(and(eq(users.provider, PROVIDER), lte(users.createdAt, reader.now())))
    .orderBy(desc(users.createdAt), asc(users.id))
  return rows.map(row => ({ ...row, isNew: false }))
}

const memberOf = ({ tables: { users } }: Reader) => ({
  userId: users.id,
  provider: users.provider,
  subject: users.subject,
  name: users.displayName,
})

/** What the ticket office knows of the seasons: most come now and then, few always, and who is always there also travels. */
async function importSeasons(
  tx: Transaction,
  calendar: Calendar,
  { faker }: SeedSources,
  { detailed, crowd }: { detailed: Member[]; crowd: Member[] },
): Promise<void> {
  const attending = crowd.filter(() => faker.datatype.boolean({ probability: ATTENDING }))
  const seasons = seasonsOf(calendar)
    .map(({ id, startsAt, endsAt }) => ({ id, starts: Date.parse(startsAt), ends: Date.parse(endsAt) }))
    .filter(({ starts }) => starts < calendar.now.getTime())
  const events = [...detailed, ...attending].flatMap(({ userId }) => {
    const loyal = faker.number.float()
    return seasons.flatMap(({ id, starts, ends }): NewEvent[] => {
      const points = 5 * Math.floor(120 * loyal ** 2 * faker.number.float({ min: 0.4, max: 1.2 }))
      if (points === 0) return []
      const data = { season: id, points, away: Math.floor(points / 90) }
      const at = Math.min(ends - DAY_MS, calendar.now.getTime() - DAY_MS)
      const occurredAt = new Date(Math.max(starts, at))
      return [
        { source: 'ticket-office', eventId: `${id}-${userId}`, userId, type: IMPORTED, occurredAt, data },
      ]
    })
  })
  // Seasons of a fan stay together.
  for (let from = 0; from < events.length; from += IMPORT_SIZE)
    await writeEvents(tx, events.slice(from, from + IMPORT_SIZE))
}

/** Season tickets, of which some were renewed and some were not, and members. */
function membershipsOf(calendar: Calendar, members: Member[]): StatedMembership[] {
  const [, last, current, next] = seasonsOf(calendar)
  if (!last || !current || !next) return []
  const held = ({ userId, name }: Member, nth: number, kindId: string, season: typeof last) => ({
    ref: `${kindId}-${season.id}-${nth}`,
    userId,
    kindId,
    number: String(4_001 + nth).padStart(6, '0'),
    holder: name,
    startsAt: new Date(season.startsAt),
    endsAt: new Date(season.endsAt),
  })
  return members.flatMap((member, nth) => {
    const of = (kindId: string, ...seasons: (typeof last)[]) =>
      seasons.map(season => held(member, nth, kindId, season))
    return (
      [
        of(SEASON_TICKET, last, current),
        of(MEMBER, current),
        of(SEASON_TICKET, current, next),
        of(SEASON_TICKET, last),
        [],
        of(MEMBER, last, current),
      ][nth % 6] ?? []
    )
  })
}

/** Every fourth fan enters the code on the screens, and some have scratch cards. Two of those are void. */
async function redeem(tx: Transaction, { pass }: SeedSources, members: Member[]): Promise<void> {
  const codes = await generateCodes(tx, UNIQUE_CAMPAIGN, CODES)
  for (const [nth, member] of members.entries()) {
    // The first fan has not entered it yet.
    if (nth % 4 === 1) await redeemCode(tx, member, { code: SHARED_CODE })
    if (nth % 5 === 2) await redeemCode(tx, member, { code: codes[nth] ?? '' })
    pass(1_000)
  }
  const unused = await listUnused(tx, UNIQUE_CAMPAIGN, { after: '', size: 2 })
  await voidCodes(tx, UNIQUE_CAMPAIGN, unused)
}

/** The newest of the crowd were invited by the first fans, and have completed their onboarding. */
async function invite(
  tx: Transaction,
  { pass }: SeedSources,
  { members, crowd, points }: { members: Member[]; crowd: Member[]; points: number },
): Promise<void> {
  pass(-INVITED_MS)
  const codes: string[] = []
  for (const inviter of members.slice(0, INVITERS)) codes.push((await readReferral(tx, inviter)).code)
  pass(INVITED_MS)
  for (const [nth, referralCode] of codes.entries()) {
    const invitee = crowd[nth]
    if (!invitee) continue
    await completeOnboarding(tx, invitee, { referralCode }, { points, claims: null, queuedSync: null })
    pass(MINUTE_MS)
  }
}

/** Some agreed to the newsletter before its new version, and some of these again; a few have withdrawn. */
async function consent(tx: Transaction, members: Member[]): Promise<void> {
  const newsletter = ([document]: CatalogueRecord[]) =>
    document?.kind === 'document' ? document.entry.version : ''
  const state = (userId: string, granted: boolean, version: string) =>
    writeConsents(tx, { userId }, { marketing: { granted, version } })
  const renewed = newNewsletter()
  const before = documents.find(({ purpose }) => purpose === 'marketing')?.version ?? ''
  const first = members.filter((_, nth) => nth % 3 !== 0)
  for (const { userId } of first) await state(userId, true, before)
  for (const record of renewed) await writeRecord(tx, record)
  for (const [nth, { userId }] of first.entries()) {
    if (nth % 2 === 0) await state(userId, true, newsletter(renewed))
    if (nth % 7 === 3) await state(userId, false, before)
  }
}

/** The last fans are minors, one with the consent of a guardian; some adults were checked. */
async function stateAges(tx: Transaction, members: Member[]): Promise<void> {
  const assuredAt = tx.now()
  const state = ({ userId }: Member, ageBand: AgeBand, guardianConsent?: boolean) =>
    storeAge(tx, userId, { ageBand, source: 'ticket-office', assuredAt, guardianConsent })
  for (const member of members.slice(0, 12)) await state(member, 'adult')
  const [young, younger] = members.toReversed()
  if (young && younger && members.length > 20) {
    await state(young, '16_17')
    await state(younger, '13_15', true)
  }
}
