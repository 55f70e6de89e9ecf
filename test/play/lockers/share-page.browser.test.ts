/** The page of a locker in a real browser: readable in light and dark, on a desktop and on the smallest phone. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { realSources } from '../../../src/core/sources.ts'
import { expectReadable } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser } from '../../support/browser.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, startApi } from '../../support/processes.ts'

const title = noBrowser ? `the page of a locker (skipped: ${noBrowser})` : 'the page of a locker'
const LONG = 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysilio'
const RIGHT_TO_LEFT = 'أيام الديربي في الميناء'

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
    })
    api = await startApi({ DATABASE_URL: temporary.url ?? '' })
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await api.stop()
    await temporary.remove()
  }, BROWSER_TIMEOUT_MS)

  test.each(['a_long_handle_of_20c', 'empty', 'nobody'])(
    'of %s has no serious barrier and does not scroll sideways, in light and dark at any width',
    async handle => {
      const browser = await openBrowser()
      try {
        const page = await browser.context.newPage()
        await page.goto(`${api.origin.replace('127.0.0.1', 'localhost')}/lockers/${handle}`)
        await expectReadable(page, handle)
        const missing = browser.complaints.filter(complaint => !complaint.includes('404'))
        expect(missing).toEqual([])
      } finally {
        await browser.close()
      }
    },
    BROWSER_TIMEOUT_MS,
  )
})
