/** `bun run move` as a command, and the moved data. */
import { Database as Connection } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, isNull, notInArray } from 'drizzle-orm'
import type { Database, Transaction } from '../../db/index.ts'
import { moveMarker } from '../../db/marker.ts'
import { countAll } from '../../scripts/move/copy.ts'
import { moveDatabase } from '../../scripts/move/move.ts'
import { seedDatabase } from '../../scripts/seed/seed.ts'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { digestOf } from '../../src/economy/events/digest.ts'
import { chainEntry, GENESIS_HASH } from '../../src/economy/ledgers/chain.ts'
import { appendEntry } from '../../src/economy/points/ledger.ts'
import { EMPTY_STATE } from '../../src/economy/points/seams.ts'
import { hashOfCode } from '../../src/play/codes/code.ts'
import { nextSerialNumber } from '../../src/play/packs/open-pack.ts'
import { hashOfLink, hashOfOwner, originHashOf } from '../../src/play/packs/provenance-chain.ts'
import { createClock } from '../support/clock.ts'
import { dump } from '../support/dump.ts'
import { type Engine, engines, noServer, postgresEngine, sqliteEngine } from '../support/engines.ts'
import { holdAt } from '../support/hold-at.ts'
import { waitUntil } from '../support/wait-until.ts'
import { runScript, startScript } from './run-script.ts'

const seed = {
  seed: 7,
  provider: { name: 'mock-idp', issuer: 'http://localhost:4000' },
  onboardingPoints: 100,
  predictionPoints: { outcome: 10, difference: 15, exact: 25 },
  nativeTokens: { key: { d: 'a signing key' }, previousKeys: [] },
  exclusive: true,
}
const quiet = { sourceName: 'here', onCopied() {}, onCompared() {}, onVerified() {} }

/** The rows that are moved: all except rate-limit windows. */
const lasting = (rows: string[]) => rows.filter(row => !row.startsWith('["rateLimitWindows"'))

/** A seeded database in which no table is empty. */
async function openFull(engine: Engine, fans = 40) {
  const temporary = await engine.open(createClock())
  await seedDatabase(temporary.db, { ...seed, fans })
  await addGrant(temporary.db)
  await addOddities(temporary.db)
  return temporary
}

const ODD_TEXT = 'Ünï"\\\n\t\'; 🏟️ \u202f\u{10ffff} -- null'

/** In a unit of work before the oddities: booking reads the quests, which are no JSON then. */
async function addGrant(db: Database) {
  await db.write(async tx => {
    const { users, pointsGrants } = tx.tables
    const [fan] = await tx.select({ userId: users.id }).from(users).limit(1)
    if (!fan) throw new Error('the seed has fans')
    const booking = await appendEntry(tx, { ...fan, delta: 1, reason: 'adjustment', ref: ODD_TEXT })
    if (booking.outcome !== 'booked') throw new Error('a grant was not booked')
    const { id: entryId, createdAt } = booking.entry
    const grant = { ref: ODD_TEXT, source: '', ...fan, delta: 1, entryId, note: ODD_TEXT, createdAt }
    await tx.insert(pointsGrants).values(grant)
  })
}

/** Values that engines might convert: order, case, empty text, milliseconds, the greatest number. */
async function addOddities(db: Database) {
  const at = new Date('2026-03-29T00:59:59.999Z')
  const text = ODD_TEXT
  await db.write(async tx => {
    const { users, identities, deferredSyncs, nativeSessions, refreshTokens, revokedTokens, packs } =
      tx.tables
    const session = { provider: text, originIssuedAt: at, tokenExpiresAt: at, rotatedAt: at, createdAt: at }
    for (const id of ['Z', 'a', 'é', 'ß', 'zz', '_', '', '10', '9']) {
      await tx.insert(revokedTokens).values({ id, expiresAt: at })
      await tx.insert(users).values({
        id,
        provider: '',
        subject: id,
        bio: text,
        displayName: '',
        createdAt: at,
        updatedAt: new Date(-1),
      })
      await tx.insert(identities).values({ userId: id, emailVerified: id === 'a' ? null : id === 'Z' })
      await tx.insert(deferredSyncs).values({
        userId: id,
        encryptedToken: text,
        tokenExpiresAt: at,
        attempts: Number.MAX_SAFE_INTEGER,
        nextAttemptAt: at,
      })
      await tx
        .insert(nativeSessions)
        .values({ id, subject: id, generation: -Number.MAX_SAFE_INTEGER, expiresAt: at, ...session })
      await tx.insert(refreshTokens).values({ hash: id, sessionId: id, generation: 0, expiresAt: at })
    }
    // The history of a pack with a sponsor states its supply.
    await tx.update(packs).set({ supplyTotal: null }).where(isNull(packs.sponsorId))
    const { idempotencyKeys, rateLimitWindows } = tx.tables
    const kept = { fingerprint: 'f', answer: text, status: 200, expiresAt: at }
    for (const key of ['a', 'A', '', 'é']) {
      await tx.insert(idempotencyKeys).values({ provider: text, subject: '', route: 'POST /', key, ...kept })
    }
    await tx.insert(rateLimitWindows).values({ key: 'window', used: 1, endsAt: at })
    await addEvents(tx, { at, text })
    await addQuests(tx, { at, text })
    await addExpiry(tx, { at, text })
    await addCash(tx, { at, text })
    await addMatches(tx, { at, text })
    await addWebhooks(tx, { at, text })
    await addPictures(tx, at)
    await addRelations(tx, at)
    await addLockers(tx, at)
    await addSanctions(tx, at)
    await addPayments(tx, at)
    await addProducts(tx, at)
    await addSets(tx, { at, text })
    await addCodes(tx, { at, text })
    await addMemberships(tx, { at, text })
    await addReferrals(tx, { at, text })
    await addLeagues(tx, { at, text })
    await addDivisions(tx, { at, text })
    await addQuestions(tx, { at, text })
    await addAccounts(tx, { at, text })
    await addConsole(tx, { at, text })
    await addRevisions(tx, { at, text })
    const { settings, packPurchases, pointsHolds } = tx.tables
    await tx.insert(settings).values({ id: 'club', stated: '{}', createdAt: at, updatedAt: new Date(-1) })
    const inPoints = eq(packPurchases.priceCurrency, 'POINTS')
    // A seed of two fans has none.
    for (const bought of await tx.select().from(packPurchases).where(inPoints).limit(1)) {
      const open = { userId: 'Z', status: 'pending', completedAt: null, refundedAt: null, expiresAt: at }
      await tx.insert(packPurchases).values({ ...bought, id: 'held', ...open })
      const hold = { purchaseId: 'held', userId: 'Z', amount: bought.priceAmount, expiresAt: at }
      await tx.insert(pointsHolds).values(hold)
    }
    const { archiveFiles, archiveSeams, archivedEvents } = tx.tables
    const file = { id: text, seasonId: text, until: at, sha256: text, bytes: 1, fans: 1, writtenAt: at }
    await tx.insert(archiveFiles).values(file)
    await tx.insert(archivedEvents).values({ key: text, userId: 'Z' })
    const seam = { userId: 'é', files: text, until: at, seq: 0, hash: GENESIS_HASH, balance: 0, lifetime: 0 }
    const rest = {
      sequence: 0,
      keptEntries: 0,
      keptEvents: 0,
      state: JSON.stringify(EMPTY_STATE),
      digest: text,
      key: text,
      sealed: true,
    }
    await tx.insert(archiveSeams).values({ ...seam, ...rest })
    const merge = { fromId: 'é', intoId: 'a', mergedBy: text, reason: '', mergedAt: new Date(-1) }
    await tx.insert(tx.tables.fanMerges).values(merge)
    await tx.update(users).set({ mergedIntoId: 'a' }).where(eq(users.id, 'é'))
  })
}

async function addAccounts(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { accounts, accountEntries, fanAccounts } = tx.tables
  const account = { id: 'é', name: text, unit: text, public: true, tiers: '[]', active: true }
  await tx.insert(accounts).values({ ...account, createdAt: at, updatedAt: new Date(-1) })
  const change = { userId: 'Z', accountId: 'é', delta: Number.MAX_SAFE_INTEGER, countedAt: new Date(-1) }
  const first = { balance: 0, seq: 0, headHash: GENESIS_HASH }
  const { entry, head } = chainEntry(first, { ...change, reason: 'adjustment', ref: text }, { id: 'é', at })
  await tx.insert(accountEntries).values(entry)
  const following = { minusTotal: -Number.MAX_SAFE_INTEGER, reachedAt: at, basis: 'all' }
  await tx.insert(fanAccounts).values({ userId: 'Z', accountId: 'é', ...head, ...following })
}

async function addMemberships(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { memberships, fanMemberships } = tx.tables
  const kind = { id: 'é', name: text, benefits: '[]', active: false, createdAt: at, updatedAt: new Date(-1) }
  await tx.insert(memberships).values(kind)
  const period = { startsAt: new Date(-1), endsAt: at, begun: false, createdAt: at, updatedAt: at }
  await tx.insert(fanMemberships).values({ ref: 'é', userId: 'Z', kindId: 'é', number: '007', ...period })
}

async function addConsole(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { consoleLinks, consoleSessions, consoleAudit, consoleAuditHead, consoleApprovals } = tx.tables
  const person = { staffId: 'é', name: text, role: 'owner', createdAt: at, expiresAt: at }
  await tx.insert(consoleLinks).values({ hash: 'é', ...person, usedAt: at, invitedById: 'é' })
  await tx.insert(consoleSessions).values({ id: 'é', hash: 'A', ...person, lastUsedAt: new Date(-1) })
  const action = { operation: 'grantPoints', subjectKind: 'fan', subjectId: 'Z', reason: text }
  const row = { seq: 1, at, staffId: 'é', staffName: text, role: 'owner', ...action, detail: text, hash: 'é' }
  await tx.insert(consoleAudit).values(row)
  await tx.insert(consoleAuditHead).values({ id: 'audit', seq: Number.MAX_SAFE_INTEGER, hash: 'é' })
  const request = { requestedById: 'é', requestedByName: text, requestedByRole: 'owner', requestedAt: at }
  const decision = { decision: 'refused', decidedById: 'é', decidedByName: text, decidedAt: at }
  await tx
    .insert(consoleApprovals)
    .values({ id: 'é', permission: '', ...action, request: text, ...request, expiresAt: at, ...decision })
}

async function addRevisions(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const team = { id: 'é', name: text, shortName: '', active: false }
  const row = { kind: 'team', entryId: 'é', createdAt: at, staffId: 'Z', staffName: text }
  const { catalogueRevisions, teams } = tx.tables
  await tx.insert(teams).values({ ...team, createdAt: at, updatedAt: at })
  await tx.insert(catalogueRevisions).values([
    { ...row, entry: text, revision: 0, source: 'before', reason: null },
    { ...row, entry: JSON.stringify(team), revision: 1, source: 'console', reason: text },
  ])
}

async function addMatches(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { teams, matches, matchSettlements, checkIns, predictions, predictionSplits } = tx.tables
  const [home, away] = await tx.select({ id: teams.id }).from(teams).limit(2)
  if (!home || !away) throw new Error('the seed has teams')
  const [matchId, userId, revision] = ['match', 'Z', Number.MAX_SAFE_INTEGER]
  const scores = { homeScore: 0, awayScore: 0 }
  const kickoffAt = new Date(at.getTime() + 1)
  await tx.insert(matches).values({
    ...{ id: matchId, homeTeamId: home.id, awayTeamId: away.id, revision, ...scores },
    ...{ competition: 'é', season: text, round: text, status: 'finished', active: false },
    ...{ kickoffAt, createdAt: at, updatedAt: new Date(-1) },
  })
  const settlement = { matchId, revision, action: 'settle', ...scores, kickoffAt, revisedAt: at }
  await tx
    .insert(matchSettlements)
    .values({ ...settlement, cursor: 'é', lastPass: true, season: text, dueAt: at })
  const event = { matchId, sequence: 1, recordedAt: at, catalogueRevision: 1, position: 6 }
  await tx.insert(tx.tables.matchEvents).values({ ...event, data: JSON.stringify({ season: text }) })
  await tx.insert(checkIns).values({ userId, matchId, checkedInAt: at })
  const prediction = { matchId, userId, ...scores, createdAt: at, changedAt: at, state: 'open' }
  const joker = { competition: 'é', jokerSeason: text, jokerRound: text }
  await tx.insert(predictions).values({ ...prediction, ...joker, points: 0, booked: 0 })
  const points = JSON.stringify({ exact: 3, difference: 2, outcome: 1 })
  const competition = { id: 'é', name: text, deadline: 'round', points, joker: 1, crowd: true, active: false }
  await tx.insert(tx.tables.competitions).values({ ...competition, createdAt: at, updatedAt: at })
  const split = { home: 0, draw: 1, away: 0 }
  await tx.insert(predictionSplits).values({ matchId, kickoffAt, frozenAt: at, ...split })
}

async function addQuestions(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { questions, questionBoxes, questionTallies, questionVotes, questionSettlements } = tx.tables
  const questionId = text
  const times = { opensAt: at, closesAt: at, shownOpensAt: at, shownClosesAt: at, offsetMs: 0 }
  await tx.insert(questions).values({
    ...{ id: text, matchId: text, kind: 'quiz', title: text, imageUrl: text, options: '[]', ...times },
    ...{ changeable: true, results: 'live', correct: text, points: Number.MAX_SAFE_INTEGER, sponsorId: text },
    ...{ requires: '{}', translations: text, active: false, createdAt: at, updatedAt: new Date(-1) },
  })
  for (let box = 0; box < 16; box++)
    await tx.insert(questionBoxes).values({ questionId, box, opensAt: at, closesAt: at, votes: 0 })
  await tx.insert(questionTallies).values({ questionId, box: 15, optionId: text, votes: 0 })
  const vote = { questionId, userId: 'Z', box: 15, optionId: text, createdAt: at, changedAt: at }
  await tx.insert(questionVotes).values({ ...vote, counted: false, points: 0, booked: 0 })
  const points = Number.MAX_SAFE_INTEGER
  const settlement = { questionId, revision: 1, correct: text, points, revisedAt: at, cursor: 'é' }
  await tx.insert(questionSettlements).values({ ...settlement, lastPass: true, dueAt: at })
}

async function addPictures(tx: Transaction, at: Date) {
  const { pictureFiles, pictures } = tx.tables
  const size = { width: 1, height: 1, bytes: Number.MAX_SAFE_INTEGER }
  await tx.insert(pictureFiles).values({ id: 'file', ...size, orphanedAt: at, deletingAt: at })
  await tx.insert(pictures).values({ id: 'é', fileId: 'file', userId: 'Z', createdAt: at, reviewAt: at })
}

async function addRelations(tx: Transaction, followedAt: Date) {
  const { fanRelations, followCounts, privacySettings } = tx.tables
  await tx.insert(fanRelations).values({ fanId: 'Z', otherId: 'é', followedAt })
  await tx.insert(followCounts).values({ userId: 'Z', following: 1 })
  const shown = { profile: 'private', activity: 'private', locker: 'private', leaderboardName: 'anonymous' }
  await tx.insert(privacySettings).values({ userId: 'é', ...shown })
  await tx.insert(tx.tables.notificationPreferences).values({
    ...{ userId: 'é', accountPush: false, ordersPush: true, rewardsPush: false, rewardsInbox: true },
    ...{ matchPush: false, matchInbox: true, socialPush: false, socialInbox: true, marketingPush: false },
    ...{ marketingInbox: true, quietFrom: 1_439, quietTo: 0, timeZone: ODD_TEXT },
  })
  await tx.insert(tx.tables.termsAcceptances).values({ userId: 'é', version: 'é', acceptedAt: followedAt })
}

async function addLockers(tx: Transaction, updatedAt: Date) {
  const { lockers, lockerItems } = tx.tables
  const locker = { userId: 'Z', title: ODD_TEXT, theme: 'night', shelves: '[""]', updatedAt }
  await tx.insert(lockers).values(locker)
  const serialNumber = Number.MAX_SAFE_INTEGER
  await tx
    .insert(lockerItems)
    .values({ userId: 'Z', shelf: 0, position: 0, collectibleId: 'é', serialNumber })
}

async function addSanctions(tx: Transaction, createdAt: Date) {
  const { moderationDecisions, moderationNotes, moderationStatements } = tx.tables
  const decision = { kind: 'suspend', reason: 'spam', until: createdAt, decidedBy: ODD_TEXT, createdAt }
  await tx.insert(moderationDecisions).values({ id: 'é', fanId: 'Z', seq: 1, ...decision })
  await tx.insert(moderationNotes).values({ decisionId: 'é', fanId: 'Z', note: ODD_TEXT })
  const statement = { decisionId: 'é', fanId: 'Z', facts: ODD_TEXT, automated: true }
  await tx.insert(moderationStatements).values(statement)
  await tx.update(tx.tables.users).set({ suspendedUntil: createdAt }).where(eq(tx.tables.users.id, 'Z'))
  const report = { id: 'é', subjectKind: 'fan', subjectId: 'Z', fanId: 'Z', reason: 'spam', createdAt }
  await tx.insert(tx.tables.reports).values({ ...report, reporterId: 'é', note: ODD_TEXT, evidence: '{}' })
  const notice = { id: 'é', content: 'fan Z', place: 20, repeats: 1, category: 'hate', language: 'en' }
  const decided = { decidedAt: createdAt, actionTaken: true, answer: ODD_TEXT, decisionId: 'é' }
  await tx.insert(tx.tables.contentNotices).values({
    ...{ ...notice, ...decided, subjectKind: 'fan', fanId: 'Z', explanation: ODD_TEXT, createdAt },
    ...{ name: ODD_TEXT, email: 'é@example.com' },
  })
  const appeal = { sanctionId: 'é', id: 'é', fanId: 'Z', text: ODD_TEXT, createdAt }
  await tx.insert(tx.tables.appeals).values(appeal)
}

async function addPayments(tx: Transaction, createdAt: Date) {
  const amount = Number.MAX_SAFE_INTEGER
  const payment = { kind: 'order', purchaseId: 'é', amount, currency: 'EUR', createdAt }
  await tx.insert(tx.tables.payments).values({ reference: ODD_TEXT, ...payment })
}

async function addProducts(tx: Transaction, at: Date) {
  const { products, productVariants } = tx.tables
  const price = { priceAmount: Number.MAX_SAFE_INTEGER, priceCurrency: 'EUR' }
  const product = { id: 'é', name: ODD_TEXT, description: '', images: '[]', category: 'Z', kind: 'physical' }
  await tx.insert(products).values({ ...product, ...price, active: false, createdAt: at, updatedAt: at })
  const variant = { productId: 'é', id: 'Z', name: ODD_TEXT, position: 0, stockSold: 0, listed: false }
  await tx.insert(productVariants).values(variant)
  const { orders, orderLines, orderRefunds, orderUnits } = tx.tables
  const order = { userId: 'Z', priceCurrency: 'EUR', discountAmount: 0, createdAt: at, expiresAt: at }
  const amount = Number.MAX_SAFE_INTEGER
  const paid = { status: 'refund_due', completedAt: at, paymentReference: ODD_TEXT, address: ODD_TEXT }
  await tx.insert(orders).values({ ...order, ...paid, id: 'é', priceAmount: amount, refundedAmount: 1 })
  await tx.insert(orders).values({ ...order, id: 'ß', status: 'pending', priceAmount: 4 })
  const line = { number: 1, productId: 'é', variantId: 'Z', quantity: 1, isSold: false }
  const [back, held] = [
    { kind: 'voucher', state: 'returned' },
    { kind: 'physical', state: 'none', holdUntil: at },
  ]
  const withdrawn = { withdrawnAt: at, downloadedAt: at, refundedUnits: 1 }
  await tx.insert(orderLines).values({ ...line, ...back, ...withdrawn, orderId: 'é', priceAmount: amount })
  await tx.insert(orderLines).values({ ...line, ...held, orderId: 'ß', priceAmount: 4 })
  await tx.insert(orderUnits).values({ orderId: 'é', line: 1, unit: 1, code: ODD_TEXT, voidedAt: at })
  const part = { orderId: 'é', number: 1, amount: 1, lines: '[{"line":1,"units":1}]', state: 'due' }
  await tx.insert(orderRefunds).values({ ...part, id: 'é:1', createdAt: at })
}

async function addWebhooks(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { webhookEndpoints, webhookLanes, webhookDeliveries } = tx.tables
  const [endpointId, userId] = ['endpoint', 'Z']
  const endpoint = { id: endpointId, url: text, types: '*', encryptedSecret: text, createdAt: at }
  await tx.insert(webhookEndpoints).values(endpoint)
  await tx.insert(webhookLanes).values({ endpointId, userId, nextAttemptAt: at })
  const delivery = { endpointId, userId, sequence: 1, type: 'shop.purchase', body: text, createdAt: at }
  await tx.insert(webhookDeliveries).values({ ...delivery, state: 'failed', attempts: 0, response: '' })
  const { dataExports, dataExportParts } = tx.tables
  const file = { id: text, userId, day: text, createdAt: at, expiresAt: at, completedAt: at, parts: 1 }
  await tx.insert(dataExports).values(file)
  await tx.insert(dataExportParts).values({ exportId: text, part: 0, content: text })
  const { devices, pushServices, pushDeliveries } = tx.tables
  const device = { userId, deviceId: text, service: text, createdAt: at }
  const token = { tokenHash: text, encryptedToken: text, lastUsedAt: at }
  await tx.insert(devices).values({ ...device, ...token, kind: 'live_activity', matchId: text })
  await tx.insert(pushServices).values({ name: text, pausedUntil: at, refusedSince: at, refusal: text })
  const message = { messageId: text, position: Number.MAX_SAFE_INTEGER, bulk: true, category: 'match' }
  const sent = {
    state: 'failed',
    reason: text,
    attempts: 3,
    dueAt: at,
    countedAt: at,
    endedAt: at,
    status: 410,
  }
  const queued = { content: text, collapseKey: text, senderId: text, leaseEndsAt: at }
  await tx.insert(pushDeliveries).values({ ...device, ...message, ...sent, ...queued })
  await tx
    .insert(tx.tables.eventSinks)
    .values({ name: text, position: 1, leaseHolder: text, leaseEndsAt: at })
}

async function addCash(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { cashAccounts, cashEntries, cashHolds, cashPromotions, cashHoldPromotions, topUps } = tx.tables
  const of = { userId: 'Z', currency: 'EUR' }
  const created = { createdAt: at, expiresAt: at }
  const change = { ...of, delta: 9, reason: 'promotion', ref: text }
  const { entry, head } = chainEntry({ balance: 0, seq: 0, headHash: GENESIS_HASH }, change, { id: text, at })
  await tx.insert(cashEntries).values(entry)
  await tx.insert(cashAccounts).values({ ...of, ...head, held: 4 })
  const promotion = { ...of, ref: text, source: text, amount: 9, remaining: 5 }
  await tx.insert(cashPromotions).values({ ...promotion, ...created })
  // Of the pending order.
  await tx.insert(cashHolds).values({ ...of, ...created, purchaseId: 'ß', amount: 4, state: 'held' })
  await tx.insert(cashHoldPromotions).values({ purchaseId: 'ß', ref: text, amount: 4 })
  const topUp = { id: text, userId: 'Z', status: 'pending', priceAmount: 9, priceCurrency: 'EUR' }
  await tx.insert(topUps).values({ ...topUp, ...created })
}

async function addExpiry(tx: Transaction, { at, text }: { at: Date; text: string }) {
  await tx.insert(tx.tables.pointsExpiry).values({ days: 365, since: at, day: at, cursor: text })
}

async function addQuests(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { quests, questVersions, questRequirements, questProgress, questCounts, questStreaks } = tx.tables
  const { userItems, itemTransfers, trades, tradeItems, wallets, walletChallenges } = tx.tables
  const [questId, userId, period, version, createdAt] = ['quest', 'Z', 'ever', 1, at] as const
  for (const id of [questId, 'required'])
    await tx.insert(quests).values({ id, active: false, version, createdAt, updatedAt: at })
  await tx.insert(questVersions).values({ questId, version, entry: text, createdAt })
  await tx.insert(questRequirements).values({ questId, requiredId: 'required' })
  const claimed = { completedAt: at, completionId: '', claimedAt: at, given: text }
  await tx
    .insert(questProgress)
    .values({ userId, questId, period, version, counts: '{}', createdAt, ...claimed })
  const counted = { userId, questId, period, stepId: 'step', value: text }
  await tx.insert(questCounts).values({ ...counted, source: 'shop', eventId: text })
  const streak = { current: 1, best: 1, graceLeft: 0, lastEndsAt: at, endsAt: at }
  await tx.insert(questStreaks).values({ userId, questId, ...streak })
  const serialNumber = await nextSerialNumber(tx, 'muddy-boots')
  const item = { userId, collectibleId: 'muddy-boots', serialNumber, createdAt }
  const moved = { ...item, givenFor: text, ownerId: userId, changedHandsAt: at }
  const [made] = await tx.insert(userItems).values(moved).returning()
  if (!made) throw new Error('an item was not inserted')
  const { collectibleId } = item
  const chained = { sequence: 2, ref: text, previousHash: originHashOf(made) }
  const link = { collectibleId, serialNumber, ...chained }
  const ownerHash = hashOfOwner(text, userId)
  const hash = hashOfLink({ ...link, ownerHash, timestamp: at.toISOString() })
  const trade = { id: text, fromId: userId, toId: 'é', status: 'declined', version: 2, createdAt }
  await tx.insert(trades).values({ ...trade, expiresAt: at, endedAt: at })
  await tx.insert(tradeItems).values({ tradeId: text, collectibleId, serialNumber, side: 'give' })
  await tx.insert(itemTransfers).values({ ...link, ownerId: userId, salt: text, createdAt, hash })
  const wallet = { address: text, userId, chainId: Number.MAX_SAFE_INTEGER }
  await tx.insert(wallets).values({ ...wallet, provedBy: 'key', linkedAt: at })
  await tx.insert(walletChallenges).values({ ...wallet, nonce: text, message: text, expiresAt: at })
}

async function addSets(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { sets, setItems, setCompletions } = tx.tables
  const [setId, rewardPoints] = [text, Number.MAX_SAFE_INTEGER]
  const set = { id: setId, name: text, translations: text, rewardPoints, active: false }
  await tx.insert(sets).values({ ...set, createdAt: at, updatedAt: at })
  await tx.insert(setItems).values({ setId, collectibleId: 'muddy-boots', position: 0 })
  await tx.insert(setCompletions).values({ userId: 'Z', setId, completedAt: at, points: 0 })
}

async function addCodes(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { campaigns, campaignCodes, codeRedemptions } = tx.tables
  const campaignId = text
  const content = { name: text, translations: text, gives: '{}' }
  const counts = { requires: text, perFan: 1, total: 2, redeemed: 1, active: false }
  const times = { startsAt: at, endsAt: at, createdAt: at, updatedAt: at }
  await tx.insert(campaigns).values({ id: campaignId, kind: 'unique', ...content, ...counts, ...times })
  const shared = { id: 'shared', kind: 'shared', code: 'ｓcarf', codeHash: hashOfCode('SCARF') }
  await tx.insert(campaigns).values({ ...content, ...counts, ...times, ...shared, redeemed: 0 })
  const code = { hash: 'hash', campaignId, createdAt: at }
  await tx.insert(campaignCodes).values({ ...code, redeemedAt: at })
  await tx.insert(campaignCodes).values({ ...code, hash: 'other', voidedAt: at })
  const redemption = { id: 'redemption', campaignId, userId: 'Z', codeHash: 'hash', isUnique: true }
  await tx.insert(codeRedemptions).values({ ...redemption, gave: JSON.stringify({ text }), redeemedAt: at })
}

async function addLeagues(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { leagues, leagueMembers, leagueBans, leagueRounds, leaguePairs } = tx.tables
  const league = { id: text, name: text, code: text, ownerId: 'Z', scoring: 'predictions', season: text }
  const board = { board: `predictions:${text}`, countFrom: 'start', locked: true, members: 1 }
  const headToHead = { format: 'head_to_head', joined: 3, seed: '0'.repeat(32), rounds: 1, dueAt: at }
  await tx.insert(leagues).values({ ...league, ...board, ...headToHead, nameHeldAt: at, createdAt: at })
  const member = { leagueId: text, userId: 'Z', joinedAt: at, baseline: 0, number: 3 }
  await tx.insert(leagueMembers).values(member)
  await tx.insert(leagueBans).values({ leagueId: text, userId: 'a', bannedAt: at })
  const ends = { endsAt: new Date(at.getTime() + 1), closedAt: at, tellFrom: 1 }
  await tx.insert(leagueRounds).values({ leagueId: text, number: 1, week: text, startsAt: at, ...ends })
  const pair = { leagueId: text, round: 1, position: 0, home: 2, homePoints: 4 }
  await tx.insert(leaguePairs).values(pair)
}

async function addDivisions(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { divisions, divisionPeriods, divisionLevels, divisionMembers } = tx.tables
  const rules = { scoring: 'predictions', size: 3, every: 'month', levels: '[{"id":"a"}]' }
  const times = { createdAt: at, updatedAt: at }
  await tx
    .insert(divisions)
    .values({ id: text, name: text, translations: text, active: false, ...rules, ...times })
  const { scoring, size, levels } = rules
  const ends = { endsAt: new Date(at.getTime() + 1), closedAt: at }
  const key = { divisionId: text, startsAt: at }
  await tx.insert(divisionPeriods).values({ ...key, scoring, size, levels, ...ends })
  await tx
    .insert(divisionPeriods)
    .values({ ...key, startsAt: ends.endsAt, scoring, size, levels, endsAt: new Date(at.getTime() + 2) })
  await tx.insert(divisionLevels).values({ ...key, level: 0, placed: 4, closed: 2 })
  await tx.insert(divisionLevels).values({ ...key, startsAt: ends.endsAt, level: 0, placed: 5, closed: 1 })
  const seat = { startsAt: ends.endsAt, level: 0, number: 2, seat: 2, afterSeq: 0, since: at }
  await tx
    .insert(divisionMembers)
    .values({ userId: 'Z', divisionId: text, ...seat, result: '{}', untold: true })
}

async function addReferrals(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const { documents, consents, segments, segmentMembers } = tx.tables
  const segment = { id: text, name: text, translations: text, definition: text, tracked: true, active: false }
  await tx.insert(segments).values({ ...segment, createdAt: at, updatedAt: at })
  const member = { segmentId: text, userId: 'Z', isMember: false, changes: 2, changedAt: at }
  await tx.insert(segmentMembers).values(member)
  const document = { id: text, version: text, purpose: text, text, required: true, translations: text }
  await tx.insert(documents).values({ ...document, active: false, createdAt: at, updatedAt: at })
  const stated = { userId: 'Z', purpose: text, seq: 1, granted: false, documentId: text, version: text }
  await tx.insert(consents).values({ ...stated, source: text, changedAt: at })
  const { users, ageChanges } = tx.tables
  const age = { ageBand: text, guardianConsent: false }
  await tx
    .update(users)
    .set({ ...age, ageSource: text, ageAssuredAt: at, guardianAssuredAt: at })
    .where(eq(users.id, 'Z'))
  const changed = { ...age, userId: 'Z', seq: 1, source: text, assuredAt: at, statedBy: text, changedAt: at }
  await tx.insert(ageChanges).values(changed)
  const told = { source: 'matchday', eventId: text, userId: 'Z', type: 'consent.changed', occurredAt: at }
  await tx.insert(tx.tables.events).values({ ...told, recordedAt: at, sequence: 3 })
  const left = { ...told, eventId: `segment:${text}:Z:2`, type: 'segment.left' }
  await tx.insert(tx.tables.events).values({ ...left, recordedAt: at, sequence: 4 })
  const { notifications, messages, matchReminders } = tx.tables
  const template = { category: 'social', title: text, body: text, url: text, imageUrl: text, push: true }
  await tx.insert(notifications).values({
    ...{ ...template, id: text, at: text, segment: text, when: '[]', digest: 5, sponsorId: text },
    ...{ translations: text, active: false, createdAt: at, updatedAt: at },
  })
  const { push: _, ...shown } = template
  await tx.insert(messages).values({
    ...{ ...shown, id: text, userId: 'Z', notificationId: text, cause: text },
    ...{ createdAt: at, readAt: at, clickedAt: at, hiddenAt: new Date(-1) },
  })
  const { messageCampaigns, messageCampaignFans } = tx.tables
  await tx.insert(messageCampaigns).values({
    ...{ id: text, state: 'stopped', content: text, definition: text, startedAt: at, beginsAt: at },
    ...{ listedAt: at, stoppedAt: at, resumedAt: at, fans: 3, sent: 1, skipped: 1 },
  })
  const reached = { campaignId: text, userId: 'Z', state: 'sent', dueAt: at, messageId: text }
  await tx.insert(messageCampaignFans).values(reached)
  const [match] = await tx.select().from(tx.tables.matches).limit(1)
  const progress = { moment: text, cursor: 'é', startedAt: at, finishedAt: at }
  await tx.insert(matchReminders).values({ ...progress, matchId: match?.id ?? '' })
  const { referralCodes, referrals } = tx.tables
  await tx.insert(referralCodes).values({ code: text, userId: 'Z', createdAt: at })
  const referral = { inviteeId: 'Z', inviterId: 'a', invitedAt: at, voidedAt: at, source: text }
  await tx.insert(referrals).values(referral)
}

async function addEvents(tx: Transaction, { at, text }: { at: Date; text: string }) {
  const {
    serverKeys,
    events,
    eventDistribution,
    rules,
    ruleVersions,
    ruleUses,
    ruleBudgets,
    catalogueVersions,
  } = tx.tables
  const [ruleId, userId, version, createdAt] = ['rule', 'Z', 1, at] as const
  await tx.insert(serverKeys).values({ id: 'key', source: text, scopes: '', hash: 'h', createdAt })
  const event = {
    source: 'shop',
    userId,
    type: 'shop.purchase',
    occurredAt: at,
    recordedAt: at,
    data: JSON.stringify({ text }),
  }
  const digest = digestOf({ ...event, data: JSON.parse(event.data) }, 'long')
  await tx.insert(events).values({ ...event, eventId: text, sequence: 1, position: 7, digest })
  await tx.insert(eventDistribution).values({ id: 'events', lastPosition: 7 })
  const linked = { source: 'matchday', eventId: '', userId, type: 'wallet.linked', occurredAt: at }
  await tx.insert(events).values({ ...linked, recordedAt: at, sequence: 2 })
  await tx.insert(events).values({ source: '', eventId: '', recordedAt: at, voidedAt: at, voidNote: text })
  // No event of the seed has this type, so nothing evaluates the rule.
  const rule = { name: text, eventType: 'membership.left', definition: '{}', active: true, version }
  await tx.insert(rules).values({ id: ruleId, ...rule, createdAt, updatedAt: at })
  const entry = JSON.stringify({ name: text, eventType: rule.eventType, active: true })
  await tx.insert(ruleVersions).values({ ruleId, version, entry, createdAt })
  await tx.insert(ruleUses).values({ userId, ruleId, window: 'ever', uses: 0 })
  await tx.insert(ruleBudgets).values({ ruleId, granted: 0 })
  await tx.update(catalogueVersions).set({ version: 'v' }).where(eq(catalogueVersions.kind, 'events'))
  await tx.insert(tx.tables.maintenanceRuns).values({ command: text, finishedAt: at })
  await tx.insert(tx.tables.verificationCoverage).values({ command: text, verifiedAt: at, parts: text })
  await tx.insert(tx.tables.providerKeys).values({ source: text, keys: '[]', fetchedAt: at, mac: 'm' })
  const figures = {
    newFans: 0,
    onboardings: 1,
    activeFans: 2,
    claims: 3,
    redemptions: 4,
    orders: 5,
    packs: 6,
  }
  const points = { pointsGranted: Number.MAX_SAFE_INTEGER, pointsSpent: -1, pointsTaken: 0 }
  await tx.insert(tx.tables.dailyFigures).values({ day: 'é', ...figures, ...points })
  const count = { kind: text, bucket: -1, name: '', stated: true, amount: Number.MIN_SAFE_INTEGER }
  await tx.insert(tx.tables.seasonCounts).values(count)
  const seen = { week: 0, steps: 1, weeks: 2 ** 52 - 1, results: '1+' }
  await tx.insert(tx.tables.seasonFans).values({ userId: 'Z', ...seen, stated: false })
  await tx.insert(tx.tables.seasonSubjects).values({ number: 1, kind: 'rule', name: text })
  await tx.insert(tx.tables.seasonSweep).values({ id: text, countedUntil: at })
  const run = { id: text, kind: text, startedById: text, startedByName: text, done: 1, result: '{}' }
  const times = { startedAt: at, heartbeatAt: at, endedAt: at }
  await tx.insert(tx.tables.jobRuns).values({ ...run, ...times, state: 'done' })
  const file = { id: text, command: text, name: text, bytes: 1, createdAt: at, expiresAt: at }
  await tx.insert(tx.tables.importFiles).values(file)
  await tx.insert(tx.tables.importFileParts).values({ fileId: text, part: 0, lines: 1, content: text })
}

/** The values of the file with their SQLite types. */
function dumpFile(url: string | null) {
  const path = (url ?? '').slice('sqlite:'.length)
  const connection = new Connection(path, { readonly: true, safeIntegers: true })
  const names = connection
    .query("SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 2) <> '__' ORDER BY name")
    .values()
    .map(([name]) => String(name))
    .filter(name => name !== 'rate_limit_windows')
  const exact = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)
  const tables = names.map(name => {
    const rows = connection.query(`SELECT * FROM "${name}"`).values()
    return [name, rows.map(row => JSON.stringify(row, exact)).toSorted()]
  })
  connection.close()
  return tables
}

const pairs = [
  { name: 'SQLite to PostgreSQL', from: sqliteEngine, to: postgresEngine },
  { name: 'PostgreSQL to SQLite', from: postgresEngine, to: sqliteEngine },
]

describe.skipIf(noServer !== '').each(pairs)(`A move from $name (PostgreSQL)${noServer}`, ({ from, to }) => {
  test('copies every row of every table exactly', async () => {
    const [source, target] = await Promise.all([openFull(from), to.open(createClock())])
    const counts = await countAll(source.db)
    expect(counts).toHaveLength(Object.keys(source.db.tables).length - 1)
    const report = await moveDatabase(source.db, target.db, quiet)
    expect(report.tables.map(({ table, rows }) => ({ table, rows }))).toEqual(counts)
    expect(await dump(target.db)).toEqual(lasting(await dump(source.db)))
    expect(report.ledger).toEqual(await verifyLedger(source.db))
    expect(report.ledger.findings).toBe(0)
    expect(report).toMatchObject({ movedBefore: false })
    expect(await moveMarker.read(target.db)).toBeUndefined()

    // As after a kill between the end of the move and its output.
    const again = await moveDatabase(source.db, target.db, quiet)
    expect(again).toEqual({ ...report, copied: 0, movedBefore: true })
    expect(await moveMarker.read(target.db)).toBeUndefined()
    await Promise.all([source.remove(), target.remove()])
  })

  test('copies a broken ledger unchanged and reports it', async () => {
    const [source, target] = await Promise.all([openFull(from, 10), to.open(createClock())])
    await source.db.write(async tx => {
      const { pointsAccounts: accounts, leagueMembers } = tx.tables
      // What they have in leagues follows from the account.
      const inLeagues = tx.select({ userId: leagueMembers.userId }).from(leagueMembers)
      const [one] = await tx.select().from(accounts).where(notInArray(accounts.userId, inLeagues)).limit(1)
      await tx
        .update(accounts)
        .set({ lifetime: 1_000_000 })
        .where(eq(accounts.userId, one?.userId ?? ''))
    })
    const { ledger } = await moveDatabase(source.db, target.db, quiet)
    expect(ledger.findings).toBe(1)
    expect(await dump(target.db)).toEqual(lasting(await dump(source.db)))
    await Promise.all([source.remove(), target.remove()])
  })

  test('rejects a target with other data or with a move from another source', async () => {
    const [source, target] = await Promise.all([openFull(from, 2), to.open(createClock())])
    await seedDatabase(target.db, { ...seed, fans: 0 })
    const before = await dump(target.db)
    await expect(moveDatabase(source.db, target.db, quiet)).rejects.toThrow(
      'The target has other data (teams: 8 rows): move into an empty database.',
    )
    expect(await dump(target.db)).toEqual(before)

    // The same numbers of rows, with one row different.
    const copy = await to.open(createClock())
    await moveDatabase(source.db, copy.db, quiet)
    const { teams } = copy.db.tables
    const [team] = await copy.db.read.select().from(teams).limit(1)
    await copy.db.write(tx =>
      tx
        .update(teams)
        .set({ city: 'Elsewhere' })
        .where(eq(teams.id, team?.id ?? '')),
    )
    const changed = await dump(copy.db)
    await expect(moveDatabase(source.db, copy.db, quiet)).rejects.toThrow(
      'The target has other data (the rows of teams differ): move into an empty database.',
    )
    expect(await dump(copy.db)).toEqual(changed)
    expect(await moveMarker.read(copy.db)).toBeUndefined()
    await copy.remove()

    const begun = await to.open(createClock())
    const stopped = moveDatabase(source.db, begun.db, { ...quiet, stopRequested: () => 'SIGINT' })
    await expect(stopped).rejects.toThrow('stopped by SIGINT')
    await expect(moveDatabase(source.db, begun.db, { ...quiet, sourceName: 'elsewhere' })).rejects.toThrow(
      'The target is being filled from another source.',
    )
    await Promise.all([source.remove(), target.remove(), begun.remove()])
  })

  test.each([
    {
      change: 'a row that was copied',
      difference: 'the rows of teams differ',
      make: (tx: Transaction) => tx.update(tx.tables.teams).set({ active: false }),
    },
    {
      change: 'a fan who was created after the fans were copied',
      difference: 'rows refer to rows that were added later',
      async make(tx: Transaction) {
        const at = new Date(0)
        const who = { provider: 'late', subject: 'late', createdAt: at, updatedAt: at }
        await tx.insert(tx.tables.users).values({ id: '0', ...who })
        await tx
          .insert(tx.tables.userRewards)
          .values({ userId: '0', rewardId: 'derby-ticket', claimedAt: at })
      },
    },
  ])('finds $change', async ({ make, difference }) => {
    const [source, target] = await Promise.all([openFull(from, 10), to.open(createClock())])
    const moving = moveDatabase(source.db, target.db, { ...quiet, stopRequested: () => 'SIGINT' })
    await expect(moving).rejects.toThrow('stopped by SIGINT')
    await source.db.write(async tx => void (await make(tx)))
    await expect(moveDatabase(source.db, target.db, quiet)).rejects.toThrow(
      `The source changed during the move: ${difference}. Stop the API, empty the target, and move again.`,
    )
    // The marker does not reveal the host or path of the source.
    expect(await moveMarker.read(target.db)).toMatch(/^[0-9a-f]{64}$/)
    await Promise.all([source.remove(), target.remove()])
  })
})

test('The moved database of these tests has rows in every table', async () => {
  const { db, remove } = await openFull(sqliteEngine)
  expect((await countAll(db)).filter(({ rows }) => rows === 0)).toEqual([])
  await remove()
})

describe.each(engines)('A move ($name)', engine => {
  test('rejects numbers that it cannot read exactly', async () => {
    const [source, target] = await Promise.all([engine.open(createClock()), sqliteEngine.open(createClock())])
    await seedDatabase(source.db, { ...seed, fans: 0 })
    await source.db.write(tx => tx.update(tx.tables.collectibles).set({ minted: 2 ** 53 }))
    await expect(moveDatabase(source.db, target.db, quiet)).rejects.toThrow(
      'collectibles.minted holds an integer beyond 2^53 - 1',
    )
    await Promise.all([source.remove(), target.remove()])
  })
})

describe('bun run move', () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-move-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('--dry-run shows what would be copied without writing, and --json reports the result', async () => {
    const source = await openFull(sqliteEngine, 10)
    const to = `sqlite:${join(folder, 'dry.db')}`
    const parameters = ['--from', source.url ?? '', '--to', to]
    const dry = await runScript('move', [...parameters, '--dry-run'])
    expect(dry).toMatchObject({ code: 0, err: '' })
    expect(dry.out).toContain('         9  teams\n')
    expect(existsSync(join(folder, 'dry.db'))).toBe(false)

    const moved = await runScript('move', [...parameters, '--json'])
    expect(moved).toMatchObject({ code: 0, err: '' })
    const { tables, changed } = JSON.parse(moved.out)
    expect(tables).toHaveLength(Object.keys(source.db.tables).length - 1)
    expect(changed).toBe(lasting(await dump(source.db)).length)
    expect(dumpFile(to)).toEqual(dumpFile(source.url))

    for (const flags of [[], ['--dry-run']]) {
      const again = await runScript('move', [...parameters, ...flags])
      expect(again.code).toBe(0)
      expect(again.out).toContain(
        `Already moved: both databases have the same ${changed} rows in ${tables.length} tables.`,
      )
      expect(again.out).toMatch(flags.length > 0 ? /^0 rows would change/m : /^0 rows changed/m)
    }
    await source.db.write(tx => tx.update(tx.tables.teams).set({ active: false }))
    for (const flags of [[], ['--dry-run']]) {
      const other = await runScript('move', [...parameters, ...flags])
      expect(other).toMatchObject({ code: 1, out: '' })
      expect(other.err).toContain('The target has other data')
    }
    expect(await runScript('move', ['--from', to, '--to', to])).toMatchObject({ code: 2 })
    expect(await runScript('move', ['--from', to])).toMatchObject({ code: 2 })
    const server = ['--from', to, '--to', 'postgres://127.0.0.1:9/fans']
    for (const option of ['--from-schema', '--to-schema']) {
      const wrong = await runScript('move', [...server, option, 'Har-bour'])
      expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining(`${option} must be a name`)])
    }
    await source.remove()
  })

  test.each(engines)('continues after a kill, from SQLite ($name)', to => killAndGoOn(sqliteEngine, to))

  const onServer = test.skipIf(noServer !== '')

  onServer(`continues where it was killed, to SQLite (PostgreSQL)${noServer}`, () =>
    killAndGoOn(postgresEngine, sqliteEngine),
  )

  onServer(
    `SQLite to PostgreSQL and back is the same file, value for value (PostgreSQL)${noServer}`,
    async () => {
      const [source, between] = await Promise.all([
        openFull(sqliteEngine),
        postgresEngine.open(createClock()),
      ])
      const back = `sqlite:${join(folder, 'back.db')}`
      for (const [from, to] of [
        [source.url ?? '', between.url ?? ''],
        [between.url ?? '', back],
      ] as const) {
        expect(await runScript('move', ['--from', from, '--to', to])).toMatchObject({ code: 0 })
      }
      expect(dumpFile(back)).toEqual(dumpFile(source.url))
      await Promise.all([source.remove(), between.remove()])
    },
  )
})

async function killAndGoOn(from: Engine, to: Engine) {
  const [source, target] = await Promise.all([openFull(from, 1_000), to.open(createClock())])
  const parameters = ['--from', source.url ?? '', '--to', target.url ?? '']
  // A table that is written after the users.
  const release = await holdAt(target, { table: 'points_entries', row: 'true' })
  const child = startScript('move', parameters)
  const { users } = target.db.tables
  await waitUntil('the first fans are written', async () =>
    (await target.db.read.select({ id: users.id }).from(users).limit(1)).at(0),
  )
  child.kill('SIGKILL')
  await child.exited
  await release()
  const left = (await dump(target.db)).length
  const rows = lasting(await dump(source.db))
  expect(left).toBeLessThan(rows.length)
  const { code, out } = await runScript('move', [...parameters, '--json'])
  expect({ code, changed: JSON.parse(out).changed }).toEqual({ code: 0, changed: rows.length - left })
  expect(await dump(target.db)).toEqual(rows)
  await Promise.all([source.remove(), target.remove()])
}
