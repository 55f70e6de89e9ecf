/** The page of notices in a real browser: the form with its faults and the receipt, in light and dark, at any width, in both directions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { realSources } from '../../../src/core/sources.ts'
import { wordsFor } from '../../../src/fan/moderation/notice-page/words.ts'
import { expectReadable } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser } from '../../support/browser.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, startApi } from '../../support/processes.ts'

const title = noBrowser ? `the page of notices (skipped: ${noBrowser})` : 'the page of notices'
const LONG = 'https://club.example/lockers/llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch'

describe.skipIf(noBrowser !== null)(title, () => {
  let temporary: TemporaryDatabase
  let api: RunningApi

  beforeAll(async () => {
    temporary = await sqliteEngine.open(realSources)
    api = await startApi({ DATABASE_URL: temporary.url ?? '' })
  }, BROWSER_TIMEOUT_MS)
  afterAll(async () => {
    await api.stop()
    await temporary.remove()
  }, BROWSER_TIMEOUT_MS)

  test.each(['en', 'pt', 'pt-BR', 'ar'])(
    'in %s is filled in by keyboard, has no serious barrier and does not scroll sideways',
    async lang => {
      const browser = await openBrowser()
      const words = wordsFor([lang])
      try {
        const page = await browser.context.newPage()
        const origin = api.origin.replace('127.0.0.1', 'localhost')
        await page.goto(`${origin}/notice?lang=${lang}&location=${encodeURIComponent(LONG)}`)
        expect(await page.locator('html').getAttribute('dir')).toBe(lang === 'ar' ? 'rtl' : null)
        expect(await page.locator('#location').inputValue()).toBe(LONG)
        await page.locator('#category').selectOption('hate')
        await page.locator('#explanation').fill('It calls for violence.')
        await page.locator('#goodFaith').focus()
        await page.keyboard.press('Space')
        await page.keyboard.press('Tab')
        expect(await page.evaluate('document.activeElement.textContent')).toBe(words.send)
        await page.keyboard.press('Enter')
        await page.locator('[role=alert]').waitFor()
        expect(await page.locator('[aria-invalid]').count()).toBe(2)
        await expectReadable(page, `notice-${lang}-wrong`)
        await page.locator('#name').fill('Ana Reis')
        await page.locator('#email').fill('ana@example.com')
        await page.getByRole('button', { name: words.send }).click()
        await page.locator('[role=status]').waitFor()
        await expectReadable(page, `notice-${lang}-receipt`)
        expect(browser.complaints.filter(complaint => !complaint.includes('422'))).toEqual([])
      } finally {
        await browser.close()
      }
    },
    BROWSER_TIMEOUT_MS,
  )
})
