/** Shared pages in a real browser: readable in light and dark, on a desktop and on the smallest phone, in both directions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Transaction } from '../../../db/index.ts'
import { realSources } from '../../../src/core/sources.ts'
import { DEFAULT_PRIVACY } from '../../../src/identity/relations/schema.ts'
import { expectReadable } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser } from '../../support/browser.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, startApi } from '../../support/processes.ts'

const title = noBrowser ? `shared pages (skipped: ${noBrowser})` : 'shared pages'
const LONG = 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysilio'
const RIGHT_TO_LEFT = 'أيام الديربي في الميناء'

async function addOpenedPack(tx: Transaction, userId: string) {
  const { packs, packPurchases, userPacks, userItems } = tx.tables
  const [createdAt, packId, purchaseId] = [new Date(), 'pack', 'purchase']
  const price = { priceAmount: 0, priceCurrency: 'POINTS' }
  const texts = { name: LONG, description: '', itemsPerPack: 3, active: true, supplySold: 1 }
  await tx.insert(packs).values({ id: packId, ...texts, ...price, createdAt, updatedAt: createdAt })
  const purchase = { userId, packId, status: 'completed', serverSeed: '', seedHash: '', terms: '' }
  const times = { createdAt, expiresAt: createdAt, completedAt: createdAt }
  await tx.insert(packPurchases).values({ id: purchaseId, ...purchase, ...price, ...times })
  const opening = { clientSeed: '', openedAt: createdAt }
  await tx.insert(userPacks).values({ id: 'own-pack', purchaseId, packId, userId, ...opening, createdAt })
  for (const position of [0, 1, 2]) {
    const item = { collectibleId: `item-${position}`, serialNumber: 5 }
    await tx.insert(userItems).values({ ...item, userPackId: 'own-pack', position, userId, createdAt })
  }
}

async function addExactPrediction(tx: Transaction, userId: string) {
  const { teams, matches, predictions, privacySettings } = tx.tables
  const createdAt = new Date()
  const at = { createdAt, updatedAt: createdAt }
  for (const [id, name] of [
    ['home', LONG],
    ['away', RIGHT_TO_LEFT],
  ] as const)
    await tx.insert(teams).values({ id, name, shortName: id, active: true, ...at })
  const match = { id: 'derby', homeTeamId: 'home', awayTeamId: 'away', kickoffAt: createdAt, revision: 2 }
  const scores = { homeScore: 10, awayScore: 11 }
  const season = { competition: RIGHT_TO_LEFT, season: '2026', status: 'finished', active: true }
  await tx.insert(matches).values({ ...match, ...season, ...scores, ...at })
  const hits = { outcome: true, difference: true, exact: true, points: 25, booked: 25 }
  const settled = { state: 'settled', revision: 2, settledBy: 2, settledAt: createdAt, changedAt: createdAt }
  await tx.insert(predictions).values({ matchId: 'derby', userId, ...scores, ...hits, ...settled, createdAt })
  const privacy = { ...DEFAULT_PRIVACY, activity: 'public', userId }
  await tx.insert(privacySettings).values(privacy)
}

describe.skipIf(noBrowser !== null)(title, () => {
  let temporary: TemporaryDatabase
  let api: RunningApi

  beforeAll(async () => {
    temporary = await sqliteEngine.open(realSources)
    const createdAt = new Date()
    await temporary.db.write(async tx => {
      const { users, collectibles, userItems, lockers, lockerItems } = tx.tables
      const at = { createdAt, updatedAt: createdAt }
      const [userId, rarity] = ['fan', 'legendary']
      const fan = { id: userId, provider: 'test', subject: userId, handle: 'a_long_handle_of_20c' }
      await tx.insert(users).values({ ...fan, displayName: LONG, ...at })
      await tx.insert(users).values({ ...fan, id: 'other', subject: 'other', handle: 'empty', ...at })
      const locker = { theme: 'night', updatedAt: createdAt }
      await tx
        .insert(lockers)
        .values({ ...locker, userId, title: LONG, shelves: JSON.stringify([LONG, RIGHT_TO_LEFT, '']) })
      await tx.insert(lockers).values({ ...locker, userId: 'other', title: RIGHT_TO_LEFT, shelves: '[]' })
      for (const [n, name] of ['The goal', LONG, RIGHT_TO_LEFT, 'Corner flag', 'Half-time tea'].entries()) {
        const item = { collectibleId: `item-${n}`, serialNumber: 10 ** (n + 1) }
        const text = { name, description: '', rarity, minted: 1 }
        await tx.insert(collectibles).values({ id: item.collectibleId, ...text, ...at })
        await tx.insert(userItems).values({ ...item, userId, givenFor: name, createdAt })
        await tx.insert(lockerItems).values({ ...item, userId, shelf: n % 2, position: n })
      }
      await addOpenedPack(tx, userId)
      await addExactPrediction(tx, userId)
    })
    api = await startApi({ DATABASE_URL: temporary.url ?? '', APP_URL: 'https://app.club.example/' })
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await api.stop()
    await temporary.remove()
  }, BROWSER_TIMEOUT_MS)

  test.each([
    '/lockers/a_long_handle_of_20c',
    '/lockers/empty',
    '/lockers/a_long_handle_of_20c?lang=ar',
    '/lockers/nobody',
    '/shared/packs/own-pack',
    '/shared/predictions/derby/a_long_handle_of_20c',
    '/shared/predictions/derby/a_long_handle_of_20c?lang=ar',
  ])(
    'at %s has no serious barrier and does not scroll sideways, in light and dark at any width',
    async path => {
      const browser = await openBrowser()
      try {
        const page = await browser.context.newPage()
        await page.goto(`${api.origin.replace('127.0.0.1', 'localhost')}${path}`)
        await expectReadable(page, path)
        expect(await page.locator('.action a').count()).toBe(path === '/lockers/nobody' ? 0 : 1)
        const missing = browser.complaints.filter(complaint => !complaint.includes('404'))
        expect(missing).toEqual([])
      } finally {
        await browser.close()
      }
    },
    BROWSER_TIMEOUT_MS,
  )
})
