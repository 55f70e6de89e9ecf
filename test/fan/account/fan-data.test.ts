/** The declarations of `db/schema/` about the data of fans are complete, and the export and the erasure do what they say. */
import { beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Tables } from '../../../db/index.ts'
import { postgres, sqlite } from '../../../db/schema/columns.ts'
import type { Merge } from '../../../db/schema/fan-column.ts'
import { fanData, listFanColumns } from '../../../db/schema/fan-data.ts'
import { columnOf } from '../../../db/schema/shape.ts'
import { tablesOf } from '../../../db/schema/tables.ts'
import { streamJson } from '../../../src/core/stream-json.ts'
import { accountKind } from '../../../src/economy/accounts/account-kind.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import { moveRows } from '../../../src/operate/admin/merge/move-rows.ts'
import { membershipKind } from '../../../src/play/memberships/membership-kind.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { addPack } from '../../play/packs/packs-world.ts'
import { addQuestion } from '../../play/questions/questions-world.ts'
import { addQuest, userIdOf } from '../../play/quests/quests-world.ts'
import { onEachEngine } from '../../support/world.ts'

const declared = () =>
  Object.entries(fanData).flatMap(([name, columns]) =>
    Object.keys(columns).map(column => `${name}.${column}`),
  )

test.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
])(
  'every column that points to a fan declares its export, its erasure and its merge in the tables of %s',
  (_, kit) => {
    const tables = tablesOf(kit)
    expect(listFanColumns(tables).toSorted()).toEqual(declared().toSorted())

    const { table, idOf, timestamp } = kit
    const follows = table('follows', {
      followerId: idOf(tables.users),
      followedId: idOf(tables.users),
      followedAt: timestamp().notNull(),
    })
    const found = listFanColumns({ ...tables, follows })
    expect(found.filter(column => !declared().includes(column))).toEqual([
      'follows.followerId',
      'follows.followedId',
    ])
  },
)

type Name = keyof typeof fanData
type Rows<Of extends Name> = {
  [Column in keyof (typeof fanData)[Of]]: { row: Tables[Of]['$inferInsert']; shown?: string }
}
/** A row of the fan for each column, and what the export shows of it. */
type Filled = { [Of in Name]: Rows<Of> }

interface Declaration {
  export: string | null
  erasure: 'keep' | 'delete' | { clear?: string[]; replace?: string[] }
  merge: Merge<string>
}

onEachEngine('The declared data of a fan', world => {
  let fan: { provider: string; subject: string }
  let userId: string
  let filled: Filled
  let document: Record<string, unknown>
  let merged: Map<string, [from: number, into: number]>

  const declarations: [name: Name, column: string, declaration: Declaration][] = Object.entries(
    fanData,
  ).flatMap(([name, columns]) =>
    // Guarantee of the casts: the names of the entries of `fanData` are its keys, and of its entries declarations.
    Object.entries(columns).map(([column, declaration]): [Name, string, Declaration] => [
      name as Name,
      column,
      declaration as Declaration,
    ]),
  )
  /** The condition for the rows of the fan; the fan's own record by its id, since an erasure replaces the subject. */
  function isTheirs(name: Name, property: string) {
    const table = world.db.tables[name]
    if (name === 'users') return eq(world.db.tables.users.id, userId)
    return eq(columnOf(table, property), property === 'subject' ? fan.subject : userId)
  }
  const read = async (name: Name, column: string): Promise<Record<string, unknown>[]> =>
    world.db.read.select().from(world.db.tables[name]).where(isTheirs(name, column))
  /** Guarantee of the cast: `filled` has a row for each column, of the type of its table. */
  const rowOf = (name: Name, column: string) =>
    (filled[name] as Record<string, { row: object; shown?: string }>)[column] ?? fail(name)
  const erase = () => world.db.write(tx => eraseUser(tx, fan))

  async function expectErased(name: Name, column: string, before: Record<string, unknown>[]) {
    const { erasure } = declarations.find(([of, at]) => of === name && at === column)?.[2] ?? fail(name)
    const after = await read(name, column)
    if (erasure === 'keep') return expect(after, name).toEqual(before)
    if (erasure === 'delete') return expect(after, name).toEqual([])
    const { clear = [], replace = [] } = erasure
    expect(after, name).toHaveLength(1)
    const changed = Object.keys(after[0] ?? {}).filter(
      property => !Bun.deepEquals(after[0]?.[property], before[0]?.[property]),
    )
    expect(changed.toSorted(), name).toEqual([...clear, ...replace].toSorted())
    for (const property of clear) expect(after[0]?.[property], `${name}.${property}`).toBeNull()
    for (const property of replace) expect(after[0]?.[property], `${name}.${property}`).not.toBeNull()
  }
  const fail = (name: string): never => {
    throw new Error(`${name} is not declared`)
  }

  beforeAll(async () => {
    const signedIn = await world.fan()
    fan = { provider: world.config.identity.name, subject: signedIn.subject }
    userId = await userIdOf(world, signedIn)
    const otherId = await userIdOf(world, await world.fan())
    const [matchId, rewardId, packId] = [await world.match(), await world.reward(), await addPack(world)]
    const { id: ruleId } = await addRule(world)
    const { id: questId } = await addQuest(world)
    const questionId = await addQuestion(world)
    const collectibleId = `${packId}-common`
    await world.db.write(tx => accountKind.upsert(tx, { id: 'status', name: 'Status', unit: 'points' }))
    const kindId = 'season-ticket'
    await world.db.write(tx => membershipKind.upsert(tx, { id: kindId, name: 'Season ticket' }))
    /** Another one in each table, so that the export shows which rows it has. */
    const at = (day: number) => new Date(Date.UTC(2020, 0, day))
    const shownAt = (day: number) => at(day).toISOString()
    const purchaseId = 'purchase-of-fan'
    const decision = { seq: 1, kind: 'hide', reason: 'spam', decidedBy: 'Ana', createdAt: at(26) }
    const report = {
      ...{ subjectKind: 'fan', reference: 'bob', reason: 'spam', note: 'A note.', evidence: '{}' },
      createdAt: at(27),
    }
    filled = {
      users: {
        subject: {
          row: {
            ...{ id: userId, ...fan, createdAt: at(1), updatedAt: at(1), sessionsEndedAt: at(1) },
            ...{ displayName: 'Ada', handle: 'ada', avatarUrl: 'https://example.com/a', bio: 'Row 7' },
            ...{ country: 'GB', locale: 'en-GB', favoriteTeamId: await world.team(), nameKey: 'ada' },
            ...{ ageBand: 'adult', ageSource: 'school', ageAssuredAt: at(1), guardianConsent: true },
            guardianAssuredAt: at(1),
            ownLimits: '{"spending":null,"next":null,"pauseUntil":"2027-01-01T00:00:00.000Z"}',
          },
          shown: 'Row 7',
        },
      },
      identities: {
        userId: {
          row: {
            ...{
              userId,
              email: 'ada@example.com',
              emailVerified: true,
              name: 'Ada',
              picture: 'https://e.com',
            },
            ...{ updatedAt: at(2), statedAt: at(2), fieldTimes: '{}', syncedAt: at(2) },
            emailHash: 'hash-of-ada',
            nameKey: 'ada',
            emailKey: 'ada@example.com',
          },
          shown: 'ada@example.com',
        },
      },
      deferredSyncs: {
        userId: {
          row: { userId, encryptedToken: 'sealed', tokenExpiresAt: at(3), attempts: 1, nextAttemptAt: at(3) },
          shown: shownAt(3),
        },
      },
      onboardings: { userId: { row: { userId, completedAt: at(4) }, shown: shownAt(4) } },
      nativeSessions: {
        subject: {
          row: {
            ...{ id: 'session', ...fan, deviceName: 'Phone of Ada', originIssuedAt: at(5), generation: 1 },
            ...{ tokenExpiresAt: at(5), rotatedAt: at(5), createdAt: at(5), expiresAt: at(5) },
          },
          shown: 'Phone of Ada',
        },
      },
      idempotencyKeys: {
        subject: {
          row: {
            ...fan,
            route: 'POST /',
            key: 'key-of-ada',
            fingerprint: '',
            response: '{}',
            expiresAt: at(6),
          },
          shown: 'key-of-ada',
        },
      },
      fanRelations: {
        fanId: { row: { fanId: userId, otherId, followedAt: at(25) }, shown: shownAt(25) },
        otherId: { row: { fanId: otherId, otherId: userId, followedAt: at(26) }, shown: shownAt(26) },
      },
      followCounts: { userId: { row: { userId, following: 1 } } },
      termsAcceptances: {
        userId: { row: { userId, version: 'terms-7', acceptedAt: new Date(0) }, shown: 'terms-7' },
      },
      moderationDecisions: {
        fanId: {
          row: { ...decision, id: 'decision-7', fanId: userId },
          shown: 'decision-7',
        },
      },
      reports: {
        reporterId: {
          row: { ...report, id: 'report-7', reporterId: userId, fanId: otherId, subjectId: otherId },
          shown: 'report-7',
        },
        fanId: { row: { ...report, id: 'report-8', reporterId: otherId, fanId: userId, subjectId: userId } },
      },
      contentNotices: {
        fanId: {
          row: {
            ...{ id: 'notice-7', content: `fan ${userId}`, place: 1, repeats: 0, category: 'hate' },
            ...{ subjectKind: 'fan', fanId: userId, reference: 'ada', location: '/fans/ada' },
            ...{
              explanation: 'Notice 7',
              evidence: '{}',
              language: 'en',
              answer: 'Answer 7',
              createdAt: at(27),
            },
          },
        },
      },
      appeals: {
        fanId: {
          row: {
            id: 'appeal-7',
            sanctionId: 'decision-7',
            fanId: userId,
            text: 'Appeal 7',
            createdAt: at(28),
          },
          shown: 'Appeal 7',
        },
      },
      moderationNotes: {
        fanId: { row: { decisionId: 'decision-8', fanId: userId, note: 'A note.' } },
      },
      moderationStatements: {
        fanId: {
          row: { decisionId: 'decision-7', fanId: userId, facts: 'Facts 7', automated: false },
          shown: 'Facts 7',
        },
      },
      privacySettings: {
        userId: {
          row: { userId, profile: 'private', activity: 'private', leaderboardName: 'anonymous' },
          shown: '"leaderboardName":"anonymous"',
        },
      },
      messages: {
        userId: {
          row: {
            ...{ id: 'message-1', userId, notificationId: 'sanction', cause: 'matchday 1' },
            ...{ category: 'account', title: 'Message 1', body: 'Body', createdAt: at(30) },
          },
          shown: 'Message 1',
        },
      },
      messageCampaignFans: {
        userId: {
          row: {
            ...{ campaignId: 'tickets-for-ada', userId, state: 'sent', dueAt: at(30) },
            messageId: 'message-1',
          },
          shown: 'tickets-for-ada',
        },
      },
      dataExports: {
        userId: {
          row: {
            ...{ id: 'export-of-ada', userId, day: '2026-01-30', createdAt: at(30), expiresAt: at(37) },
            ...{ completedAt: at(30), parts: 0 },
          },
          shown: 'export-of-ada',
        },
      },
      notificationPreferences: {
        userId: {
          row: {
            ...{ userId, accountPush: true, ordersPush: true, rewardsPush: true, rewardsInbox: true },
            ...{ matchPush: true, matchInbox: true, socialPush: true, socialInbox: true },
            ...{ marketingPush: false, marketingInbox: false, timeZone: 'Asia/Kathmandu' },
          },
          shown: 'Asia/Kathmandu',
        },
      },
      leaderboardEntries: { userId: { row: { userId, enrolledAt: at(7) }, shown: shownAt(7) } },
      leaderboardScores: {
        userId: {
          row: { board: 'board-of-ada', userId, minusPoints: -1, reachedAt: at(8).getTime() },
          shown: 'board-of-ada',
        },
      },
      pointsAccounts: {
        userId: {
          row: { userId, balance: 70_009, lifetime: 70_009, seq: 1, headHash: 'hash', updatedAt: at(9) },
          shown: '"lifetime":70009',
        },
      },
      pointsEntries: {
        userId: {
          row: {
            ...{ id: 'entry', userId, seq: 1, delta: 70_009, balanceAfter: 70_009 },
            ...{ reason: 'adjustment', ref: 'entry-of-ada', createdAt: at(10), hash: 'hash' },
          },
          shown: 'entry-of-ada',
        },
      },
      archiveSeams: {
        userId: {
          row: {
            ...{ userId, files: '["archive-of-ada"]', until: at(11), seq: 0, hash: 'hash', balance: 0 },
            ...{ lifetime: 0, sequence: 0, keptEntries: 0, keptEvents: 0, state: '', digest: 'digest' },
            ...{ key: 'key', sealed: true },
          },
          shown: 'archive-of-ada',
        },
      },
      archivedEvents: { userId: { row: { key: 'archived', userId } } },
      pointsGrants: {
        userId: {
          row: {
            ...{ ref: 'grant-of-ada', source: 'desk', userId, delta: 70_009, entryId: 'entry' },
            ...{ note: 'An apology', createdAt: at(11) },
          },
          shown: 'An apology',
        },
      },
      pointsHolds: {
        userId: {
          row: { purchaseId: 'pack-held-by-ada', userId, amount: 70_008, expiresAt: at(11) },
          shown: 'pack-held-by-ada',
        },
      },
      cashAccounts: {
        userId: {
          row: {
            ...{ userId, currency: 'XTS', balance: 70_030, held: 7, seq: 1, headHash: 'head-of-ada' },
            updatedAt: at(28),
          },
          shown: 'head-of-ada',
        },
      },
      cashEntries: {
        userId: {
          row: {
            ...{ id: 'cash-entry', userId, currency: 'XTS', seq: 1, delta: 70_030, balanceAfter: 70_030 },
            ...{ reason: 'top_up', ref: 'cash-of-ada', createdAt: at(28), hash: 'hash' },
          },
          shown: 'cash-of-ada',
        },
      },
      cashHolds: {
        userId: {
          row: {
            ...{ purchaseId: 'hold-of-ada', userId, currency: 'XTS', amount: 7, state: 'held' },
            ...{ createdAt: at(28), expiresAt: at(29) },
          },
          shown: 'hold-of-ada',
        },
      },
      cashPromotions: {
        userId: {
          row: {
            ...{ ref: 'promotion-of-ada', source: 'desk', userId, currency: 'XTS', amount: 9, remaining: 9 },
            ...{ note: 'A welcome', createdAt: at(28) },
          },
          shown: 'A welcome',
        },
      },
      topUps: {
        userId: {
          row: {
            ...{ id: 'top-up-of-ada', userId, status: 'completed', priceAmount: 70_030 },
            ...{ priceCurrency: 'XTS', createdAt: at(28), expiresAt: at(29), completedAt: at(28) },
            paymentReference: 'top-up-payment',
          },
          shown: 'top-up-of-ada',
        },
      },
      ruleUses: { userId: { row: { userId, ruleId, window: 'ever', uses: 70_012 }, shown: '70012' } },
      events: {
        userId: {
          row: {
            ...{ source: 'gate', eventId: 'event-of-ada', userId, sequence: 1, type: 'test.entered' },
            ...{ occurredAt: at(13), recordedAt: at(13), data: '{"seat":12}', position: 0 },
            ...{ voidedAt: at(13), voidNote: 'Refunded', digest: 'digest' },
          },
          shown: 'Refunded',
        },
        voidedFor: {
          row: {
            ...{ source: 'gate', eventId: 'void-of-ada', voidedFor: userId, recordedAt: at(12), data: '{}' },
            ...{ voidedAt: at(12), voidNote: 'Refunded early' },
          },
          shown: 'Refunded early',
        },
      },
      userRewards: {
        userId: {
          row: {
            userId,
            rewardId,
            claimedAt: at(14),
            redeemedAt: at(14),
            redemptionCode: 'AAAA-BBBB-CCCC-DDDD',
          },
          shown: 'AAAA-BBBB-CCCC-DDDD',
        },
      },
      packPurchases: {
        userId: {
          row: {
            ...{
              id: purchaseId,
              packId,
              userId,
              status: 'completed',
              priceAmount: 1,
              priceCurrency: 'POINTS',
            },
            ...{ serverSeed: '00', seedHash: '00', terms: '{}', createdAt: at(15), expiresAt: at(15) },
            completedAt: at(15),
          },
          shown: purchaseId,
        },
      },
      userPacks: {
        userId: {
          row: {
            ...{ id: 'pack-of-ada', purchaseId, packId, userId, createdAt: at(16) },
            ...{ openedAt: at(16), clientSeed: 'Ada, 10 December' },
          },
          shown: 'pack-of-ada',
        },
      },
      userItems: {
        userId: {
          row: { userId, givenFor: 'quest-of-ada', collectibleId, serialNumber: 70_017, createdAt: at(17) },
          shown: 'quest-of-ada',
        },
        ownerId: {
          row: {
            ...{ userId: otherId, ownerId: userId, givenFor: 'quest-of-other', collectibleId },
            ...{ serialNumber: 70_018, createdAt: at(17), changedHandsAt: at(17) },
          },
          shown: '70018',
        },
      },
      trades: {
        fromId: {
          row: {
            ...{ id: 'trade-from-ada', fromId: userId, toId: otherId, status: 'completed', version: 2 },
            ...{ createdAt: at(17), expiresAt: at(17), endedAt: at(17) },
          },
          shown: 'trade-from-ada',
        },
        toId: {
          row: {
            ...{ id: 'trade-to-ada', fromId: otherId, toId: userId, status: 'completed', version: 2 },
            ...{ createdAt: at(17), expiresAt: at(17), endedAt: at(17) },
          },
          shown: 'trade-to-ada',
        },
      },
      orders: {
        userId: {
          row: {
            ...{ id: 'order-of-ada', userId, status: 'cancelled', priceAmount: 1, priceCurrency: 'EUR' },
            ...{ discountAmount: 1, voucherCode: 'VOUC', address: 'sealed', createdAt: at(17) },
            expiresAt: at(17),
          },
          shown: 'order-of-ada',
        },
      },
      itemTransfers: {
        ownerId: {
          row: {
            ...{ collectibleId, serialNumber: 70_017, sequence: 2, ownerId: userId, ref: 'trade-of-ada' },
            ...{ salt: '', createdAt: at(17), previousHash: '', hash: '' },
          },
          shown: 'trade-of-ada',
        },
      },
      wallets: {
        userId: {
          row: { address: '0xOfAda', userId, chainId: 1, provedBy: 'key', linkedAt: at(29) },
          shown: '0xOfAda',
        },
      },
      devices: {
        userId: {
          row: {
            ...{ userId, deviceId: 'phone-of-ada', kind: 'fcm', service: 'fcm', tokenHash: 'of-ada' },
            ...{ encryptedToken: 'sealed', createdAt: at(48), lastUsedAt: at(48) },
          },
          shown: 'phone-of-ada',
        },
      },
      pushDeliveries: {
        userId: {
          row: {
            ...{ userId, deviceId: 'phone-of-ada', messageId: 'message-of-ada', position: 1, service: 'fcm' },
            ...{ bulk: false, category: 'rewards', content: '{}', state: 'pending', attempts: 0 },
            ...{ createdAt: at(48), dueAt: at(48) },
          },
          shown: 'message-of-ada',
        },
      },
      walletChallenges: {
        userId: {
          row: {
            nonce: 'of-ada',
            userId,
            address: '0xOfAda',
            chainId: 1,
            message: 'Sign.',
            expiresAt: at(29),
          },
        },
      },
      leagues: {
        ownerId: {
          row: {
            ...{ id: 'league-of-ada', name: 'Office', code: 'C0DE0FLEAGUE', ownerId: userId },
            ...{ scoring: 'points', board: 'all', countFrom: 'join', locked: false, members: 1 },
            createdAt: at(24),
          },
          shown: 'C0DE0FLEAGUE',
        },
      },
      leagueMembers: {
        userId: {
          row: {
            ...{ leagueId: 'league-of-ada', userId, joinedAt: at(24), countsFrom: at(24), baseline: 0 },
          },
          shown: shownAt(24),
        },
      },
      leagueBans: {
        userId: { row: { leagueId: 'league-of-bob', userId, bannedAt: at(24) } },
      },
      divisionMembers: {
        userId: {
          row: {
            ...{ userId, divisionId: 'division-of-ada', startsAt: at(24), level: 0, number: 1, seat: 1 },
            ...{ afterSeq: 0, since: at(24), untold: false },
          },
          shown: 'division-of-ada',
        },
      },
      lockers: {
        userId: {
          row: { userId, title: 'Shelf 28', theme: 'night', shelves: '["Goals"]', updatedAt: at(28) },
          shown: 'Shelf 28',
        },
      },
      lockerItems: {
        userId: {
          row: { userId, shelf: 0, position: 0, collectibleId, serialNumber: 70_028 },
          shown: '70028',
        },
      },
      accountEntries: {
        userId: {
          row: {
            ...{ id: 'entry-33', userId, accountId: 'status', seq: 1, delta: 33, balanceAfter: 33 },
            ...{ reason: 'adjustment', ref: 'ref-33', countedAt: at(3), createdAt: at(3), hash: 'h' },
          },
          shown: 'ref-33',
        },
      },
      fanAccounts: {
        userId: {
          row: {
            ...{ userId, accountId: 'status', balance: 34, seq: 1, headHash: 'head-34', minusTotal: -34 },
            ...{ reachedAt: at(3), basis: 'all', updatedAt: at(3) },
          },
          shown: 'head-34',
        },
      },
      fanMemberships: {
        userId: {
          row: {
            ...{ ref: 'ST-30', userId, kindId, number: '0030', holder: 'Ada', begun: false },
            ...{ startsAt: at(30), endsAt: at(31), createdAt: at(30), updatedAt: at(30) },
          },
          shown: 'ST-30',
        },
      },
      checkIns: { userId: { row: { userId, matchId, checkedInAt: at(18) }, shown: shownAt(18) } },
      predictions: {
        userId: {
          row: {
            ...{ matchId, userId, homeScore: 1, awayScore: 0, createdAt: at(19), changedAt: at(19) },
            ...{ state: 'open', points: 0, booked: 0 },
          },
          shown: shownAt(19),
        },
      },
      questionVotes: {
        userId: {
          row: {
            ...{ questionId, userId, box: 0, optionId: 'home', createdAt: at(47), changedAt: at(47) },
            ...{ counted: true, points: 0, booked: 0 },
          },
          shown: shownAt(47),
        },
      },
      questProgress: {
        userId: {
          row: { userId, questId, period: 'ever', version: 1, counts: '{}', createdAt: at(20) },
          shown: shownAt(20),
        },
      },
      questCounts: {
        userId: {
          row: { userId, questId, period: 'ever', stepId: 'step-1', source: 'gate', eventId: 'event-of-ada' },
        },
      },
      questStreaks: {
        userId: {
          row: { userId, questId, current: 1, best: 1, graceLeft: 0, lastEndsAt: at(21), endsAt: at(21) },
          shown: shownAt(21),
        },
      },
      setCompletions: {
        userId: {
          row: { userId, setId: 'set-of-ada', completedAt: at(26), points: 0 },
          shown: shownAt(26),
        },
      },
      segmentMembers: {
        userId: {
          row: { userId, segmentId: 'segment-of-ada', isMember: true, changes: 1, changedAt: at(18) },
          shown: 'segment-of-ada',
        },
      },
      consents: {
        userId: {
          row: {
            ...{ userId, purpose: 'marketing', seq: 1, granted: true, documentId: 'document-of-ada' },
            ...{ version: '1', source: 'app', changedAt: at(18) },
          },
          shown: 'document-of-ada',
        },
      },
      ageChanges: {
        userId: {
          row: {
            ...{ userId, seq: 1, ageBand: '13_15', source: 'school-of-ada', assuredAt: at(18) },
            ...{ guardianConsent: true, statedBy: 'school', changedAt: at(18) },
          },
          shown: 'school-of-ada',
        },
      },
      referralCodes: {
        userId: { row: { code: 'C0DE0FADA', userId, createdAt: at(26) }, shown: 'C0DE0FADA' },
      },
      referrals: {
        inviteeId: {
          row: { inviteeId: userId, inviterId: otherId, invitedAt: at(20) },
          shown: shownAt(20),
        },
        inviterId: {
          row: { inviteeId: otherId, inviterId: userId, invitedAt: at(19) },
          shown: shownAt(19),
        },
      },
      codeRedemptions: {
        userId: {
          row: {
            ...{ id: 'redemption-of-ada', campaignId: 'campaign-of-ada', userId, codeHash: 'hash-of-ada' },
            ...{ isUnique: true, gave: '{"points":5}', redeemedAt: at(26) },
          },
          shown: 'redemption-of-ada',
        },
      },
      pictures: {
        userId: {
          row: { id: 'picture-of-ada', fileId: 'file-of-ada', userId, createdAt: at(25), reviewAt: at(25) },
          shown: 'file-of-ada',
        },
      },
      fanMerges: {
        fromId: {
          row: { fromId: userId, intoId: otherId, mergedBy: 'Ana', reason: 'Two phones', mergedAt: at(28) },
          shown: 'Two phones',
        },
        intoId: {
          row: { fromId: otherId, intoId: userId, mergedBy: 'Ana', reason: 'Same e-mail', mergedAt: at(29) },
          shown: 'Same e-mail',
        },
      },
      seasonFans: {
        userId: {
          row: {
            ...{ userId, week: 2_600, teamId: 'harbour', country: 'GB', steps: 1, weeks: 1 },
            ...{ results: '', stated: false },
          },
        },
      },
      webhookLanes: { userId: { row: { endpointId: 'endpoint', userId, nextAttemptAt: at(22) } } },
      webhookDeliveries: {
        userId: {
          row: {
            ...{ endpointId: 'endpoint', userId, sequence: 1, type: 'test.entered', body: '{"of":"Ada"}' },
            ...{ state: 'pending', attempts: 0, createdAt: at(23) },
          },
          shown: shownAt(23),
        },
      },
    }
    const { pictureFiles, webhookEndpoints, users } = world.db.tables
    await world.db.write(async tx => {
      const endpoint = { url: 'https://example.com', types: '*', encryptedSecret: '', createdAt: at(24) }
      await tx.insert(webhookEndpoints).values({ id: 'endpoint', ...endpoint })
      await tx.insert(tx.tables.moderationDecisions).values({ ...decision, id: 'decision-8', fanId: otherId })
      await tx.insert(pictureFiles).values({ id: 'file-of-ada', width: 1, height: 1, bytes: 1 })
      const set = { name: 'Derby', rewardPoints: 0, active: true, createdAt: at(24), updatedAt: at(24) }
      await tx.insert(tx.tables.sets).values({ id: 'set-of-ada', ...set })
      const league = { ...filled.leagues.ownerId.row, id: 'league-of-bob', code: 'C0DE', ownerId: otherId }
      await tx.insert(tx.tables.leagues).values(league)
      const division = { id: 'division-of-ada', name: 'Weekly', scoring: 'points', size: 30, every: 'week' }
      const rules = { levels: '[]', active: true, createdAt: at(24), updatedAt: at(24) }
      await tx.insert(tx.tables.divisions).values({ ...division, ...rules })
      const campaign = {
        name: 'Scarf',
        kind: 'unique',
        gives: '{"points":5}',
        perFan: 1,
        redeemed: 1,
        active: true,
      }
      const { campaigns, segments } = tx.tables
      const segment = { id: 'segment-of-ada', name: 'Segment', definition: '[]', active: true }
      await tx.insert(segments).values({ ...segment, createdAt: at(24), updatedAt: at(24) })
      await tx
        .insert(campaigns)
        .values({ id: 'campaign-of-ada', ...campaign, createdAt: at(24), updatedAt: at(24) })
      await tx.insert(tx.tables.messageCampaigns).values({
        ...{ id: 'tickets-for-ada', state: 'running', content: '{}', fans: 1, sent: 1, skipped: 0 },
        ...{ startedAt: at(24), beginsAt: at(24), listedAt: at(24) },
      })
      await tx.update(users).set(filled.users.subject.row).where(eq(users.id, userId))
      // Guarantee of the cast: the row is of this table.
      for (const [name, column] of declarations)
        if (name !== 'users') await tx.insert(tx.tables[name]).values(rowOf(name, column).row as never)
    })
    const found = (await exportUser(world.db.read, { id: userId })) ?? fail('the fan')
    document = JSON.parse((await Array.fromAsync(streamJson(found))).join(''))
    merged = await countMerged()
  })

  /** Rows of the fan and of the one merged into, by table and column. The merge is undone. */
  async function countMerged(): Promise<Map<string, [from: number, into: number]>> {
    const into = await userIdOf(world, await world.fan())
    const counts = new Map<string, [from: number, into: number]>()
    const undone = new Error('undone')
    const moving = world.db.write(async tx => {
      const count = async (name: Name, column: string, owner: string) => {
        const table = tx.tables[name]
        const rows = await tx
          .select()
          .from(table)
          .where(eq(columnOf(table, column), owner))
        return rows.length
      }
      await moveRows(tx, { fromId: userId, intoId: into })
      for (const [name, column] of declarations)
        if (column !== 'subject')
          counts.set(`${name}.${column}`, [
            await count(name, column, userId),
            await count(name, column, into),
          ])
      throw undone
    })
    await expect(moving).rejects.toBe(undone)
    return counts
  }

  test.each(declarations)('%s.%s: the export has what it declares', (name, column, declaration) => {
    const { shown } = rowOf(name, column)
    expect(declaration.export === null, name).toBe(shown === undefined)
    if (declaration.export === null || shown === undefined) return
    expect(JSON.stringify(document[declaration.export])).toContain(shown)
  })

  test('a merge moves, deletes and leaves the rows of each table as it declares', () => {
    // Rows without a user id stay with the sign-in.
    const ofIds = declarations.filter(([, column]) => column !== 'subject')
    for (const [name, column, { merge }] of ofIds) {
      const label = `${name}.${column}`
      const found = merged.get(label)
      if (merge === 'stay') expect(found, label).toEqual([1, 0])
      else if (merge === 'delete') expect(found, label).toEqual([0, 0])
      else if (merge === 'move' || 'moveUnless' in merge) expect(found, label).toEqual([0, 1])
      // `merge-fans.test.ts` shows what it says.
      else expect(merge.rule, label).toMatch(/^[a-z ]+/)
    }
  })

  test('an erasure treats each table as declared, and a repeat erases rows that were written since', async () => {
    const before = new Map<string, Record<string, unknown>[]>()
    for (const [name, column, { erasure }] of declarations) {
      const found = await read(name, column)
      expect(found, name).toHaveLength(1)
      // Otherwise nothing would show that they are cleared.
      const changing = typeof erasure === 'object' ? (erasure.clear ?? []) : []
      for (const property of changing) expect(found[0]?.[property], `${name}.${property}`).not.toBeNull()
      before.set(`${name}.${column}`, found)
    }
    await erase()
    for (const [name, column] of declarations)
      await expectErased(name, column, before.get(`${name}.${column}`) ?? [])

    // Rows that an erasure of an earlier version, or a concurrent write, has left.
    await world.db.write(async tx => {
      for (const [name, column, { erasure }] of declarations) {
        if (erasure === 'keep' || name === 'users' || name === 'identities') continue
        // Triggers refuse to write these texts again.
        if (name === 'moderationStatements' || name === 'ageChanges') continue
        const table = tx.tables[name]
        // Guarantee of the casts: as above.
        if (erasure === 'delete') await tx.insert(table).values(rowOf(name, column).row as never)
        else
          await tx
            .update(table)
            .set(rowOf(name, column).row as never)
            .where(isTheirs(name, column))
      }
    })
    await erase()
    for (const [name, column] of declarations)
      await expectErased(name, column, before.get(`${name}.${column}`) ?? [])
  })
})
