/** Creates relations, trades and lockers of some seeded fans with the verbs of the application, once. */
import { and, asc, eq, inArray, isNotNull, isNull, like, notInArray, type SQL } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../db/index.ts'
import type { Caller } from '../../src/core/caller.ts'
import { decide } from '../../src/fan/moderation/cases.ts'
import { recordNotice } from '../../src/fan/moderation/notices.ts'
import { fileReport } from '../../src/fan/moderation/reports.ts'
import { blockFan } from '../../src/identity/relations/block.ts'
import { followFan } from '../../src/identity/relations/follow.ts'
import { muteFan } from '../../src/identity/relations/mute.ts'
import { appealSanction, decideAppeal } from '../../src/identity/sanctions/appeals.ts'
import { lockToCount } from '../../src/identity/users/locks.ts'
import { writeLocker } from '../../src/play/lockers/write-locker.ts'
import { isOwnedBy } from '../../src/play/packs/ownership.ts'
import { acceptTrade } from '../../src/play/trades/accept.ts'
import { declineTrade } from '../../src/play/trades/end.ts'
import { offerTrade } from '../../src/play/trades/offer.ts'
import { type Calendar, MINUTE_MS, readCalendar } from './calendar.ts'
import type { SeedParameters } from './groups.ts'
import { createSeedSources, withSources } from './sources.ts'

/** Far from the indexes of fans, so that their draws do not change. */
const INDEX = 100_000_000
const [COLLECTORS, OTHERS] = [4, 6]
const SIZE = COLLECTORS + OTHERS
/** After the part before it, and reports are of today. */
const BEFORE_NOW_MS = 36 * MINUTE_MS
const LIMITS = { openTradesPerFan: 1_000, tradeRestHours: 0 }

interface Member extends Caller {
  handle: string
}

/** Writes nothing if the fans already have relations, or if too few have handles and items. */
export const seedSociety = (
  db: Database,
  parameters: Pick<SeedParameters, 'seed' | 'provider' | 'instant'>,
) =>
  db.write(async tx => {
    const members = await readMembers(tx, parameters.provider.name)
    const [first] = members
    if (!first || members.length < SIZE) return
    // A concurrent seed waits here, and then finds the rows of this one.
    await lockToCount(tx, first.userId)
    if (await haveRelations(tx, members)) return
    const calendar = await readCalendar(tx, parameters.instant ?? tx.now())
    await write(seeded(tx, parameters.seed, calendar), members)
  })

/** The first fans of the seed with handles: those with items, and then others. */
async function readMembers(reader: Reader, provider: string): Promise<Member[]> {
  const { users, userItems } = reader.tables
  const collectors = reader.select({ userId: userItems.userId }).from(userItems)
  const select = (isCollector: SQL, limit: number) =>
    reader
      .select({ userId: users.id, provider: users.provider, subject: users.subject, handle: users.handle })
      .from(users)
      .where(
        and(eq(users.provider, provider), like(users.subject, 'fan-%'), isNotNull(users.handle), isCollector),
      )
      .orderBy(asc(users.subject))
      .limit(limit)
  const rows = [
    ...(await select(inArray(users.id, collectors), COLLECTORS)),
    ...(await select(notInArray(users.id, collectors), OTHERS)),
  ]
  return rows.flatMap(({ handle, ...member }) => (handle === null ? [] : { ...member, isNew: false, handle }))
}

async function haveRelations(reader: Reader, members: Member[]): Promise<boolean> {
  const { fanRelations: relations } = reader.tables
  const ids = members.map(({ userId }) => userId)
  const found = await reader.select().from(relations).where(inArray(relations.fanId, ids)).limit(1)
  return found.length > 0
}

/** The unit of work with the time, ids and random bytes of the seed. */
function seeded(tx: Transaction, seed: number, calendar: Calendar): Transaction {
  const start = new Date(calendar.now.getTime() - BEFORE_NOW_MS)
  return withSources(tx, createSeedSources(seed, calendar)(INDEX, start))
}

async function write(tx: Transaction, members: Member[]): Promise<void> {
  const at = (place: number): Member => {
    const member = members[place % members.length]
    if (!member) throw new Error('a society has members')
    return member
  }
  for (const place of members.keys())
    for (const distance of [1, 2, 5]) await followFan(tx, at(place), at(place + distance).handle)
  await muteFan(tx, at(0), at(3).handle)
  await blockFan(tx, at(5), at(8).handle)

  for (const place of [0, 1, 2]) {
    const [first, ...others] = await readItems(tx, at(place), 6)
    const shelves = [
      { title: 'Favourites', items: first ? [first] : [] },
      { title: 'All the rest', items: others },
    ]
    await writeLocker(tx, at(place), { title: 'North stand', theme: 'night', shelves })
  }

  const offer = async (from: number, to: number, wants: boolean) => {
    const [give, want] = [await readItems(tx, at(from), 1), wants ? await readItems(tx, at(to), 1) : []]
    return offerTrade(tx, at(from), { to: at(to).handle, give, want }, LIMITS)
  }
  const accepted = await offer(2, 3, true)
  await acceptTrade(tx, at(3), accepted.id, accepted, LIMITS)
  const declined = await offer(1, 0, true)
  await declineTrade(tx, at(0), declined.id)
  await offer(0, 1, false)
  await offer(1, 0, true)

  const report = (by: number, about: number, reason: 'spam' | 'harassment', note: string) =>
    fileReport(tx, at(by), { subject: { kind: 'fan', id: at(about).handle }, reason, note })
  await report(4, 9, 'spam', 'The same link in every text.')
  await report(5, 9, 'spam', 'Advertises tickets.')
  await report(2, 8, 'harassment', 'Insults after the derby.')
  const by = { reason: 'harassment', decidedBy: 'Ana' } as const
  const facts = 'Two messages after the derby insulted another fan.'
  const sanction = await decide(tx, at(8).userId, { ...by, kind: 'mute', facts })
  const appeal = await appealSanction(tx, at(8), { sanctionId: sanction.id, text: 'I quoted others.' })
  await decideAppeal(tx, appeal.id, { reason: 'other', decidedBy: 'Bruno', granted: true })
  const notice = {
    category: 'intellectual_property',
    subject: { kind: 'locker', id: at(1).handle },
    location: `https://club.example/lockers/${at(1).handle}`,
    explanation: 'The title of the locker is a trade mark of our shop.',
    name: 'Rita Costa',
    email: 'rita@example.com',
    goodFaith: true,
  } as const
  await recordNotice(tx, notice, 'en')
}

/** Items that can be traded now. */
async function readItems(reader: Reader, { userId }: Member, limit: number) {
  const { userItems } = reader.tables
  const { collectibleId, serialNumber, changedHandsAt } = userItems
  return reader
    .select({ collectibleId, serialNumber })
    .from(userItems)
    .where(and(isOwnedBy(reader, userId), isNull(changedHandsAt)))
    .orderBy(asc(collectibleId), asc(serialNumber))
    .limit(limit)
}
