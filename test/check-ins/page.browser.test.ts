/** The page at the gate, in a real browser on a tablet, against the API as operators run it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { realSources } from '../../src/core/sources.ts'
import { createServerKey } from '../../src/server-keys/keys.ts'
import { findSerious } from '../support/axe.ts'
import {
  BROWSER_TIMEOUT_MS,
  noBrowser,
  openBrowser,
  screenshotPath,
  type WatchedBrowser,
} from '../support/browser.ts'
import { sqliteEngine, type TemporaryDatabase } from '../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../support/processes.ts'

const TABLET = { width: 768, height: 1024 }
const title = noBrowser ? `The page at the gate (skipped: ${noBrowser})` : 'The page at the gate'

describe.skipIf(noBrowser !== null)(title, () => {
  let provider: RunningProvider
  let temporary: TemporaryDatabase
  let api: RunningApi
  let origin: string
  let key: string
  let browser: WatchedBrowser

  beforeAll(async () => {
    provider = await startProvider({ fans: 2 })
    temporary = await sqliteEngine.open(realSources)
    const at = new Date()
    await temporary.db.write(async tx => {
      const { teams, matches } = tx.tables
      const row = { active: true, createdAt: at, updatedAt: at }
      await tx.insert(teams).values([
        { ...row, id: 'harbour-city', name: 'Harbour City FC', shortName: 'HAR' },
        { ...row, id: 'ashbourne-rovers', name: 'Ashbourne Rovers', shortName: 'ASH' },
      ])
      const sides = { homeTeamId: 'harbour-city', awayTeamId: 'ashbourne-rovers' }
      const match = { competition: 'Cup', season: '2026', kickoffAt: at, status: 'scheduled', revision: 1 }
      await tx.insert(matches).values({ ...row, ...match, ...sides, id: 'derby' })
      const issued = await createServerKey(tx, { source: 'gate', scopes: ['matches:write'], expiresAt: null })
      key = issued?.key ?? ''
    })
    api = await startApi({ DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer })
    origin = api.origin.replace('127.0.0.1', 'localhost')
  }, BROWSER_TIMEOUT_MS)

  afterAll(async () => {
    await api.stop()
    await provider.stop()
    await temporary.remove()
  }, BROWSER_TIMEOUT_MS)

  afterEach(async () => {
    await browser.close()
    expect(browser.complaints).toEqual([])
    expect([...browser.hosts]).toEqual(['localhost'])
  }, BROWSER_TIMEOUT_MS)

  async function visit(path: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    browser = await openBrowser({ viewport: TABLET, colorScheme })
    const page = await browser.context.newPage()
    await page.goto(`${origin}/check-in/${path}`)
    return page
  }
  const enterKey = async (page: Page, text: string) => {
    await page.getByLabel('Server key').fill(text)
    await page.getByRole('button', { name: 'Show the code' }).click()
  }
  const codeOn = async (page: Page) => (await page.locator('figure code').textContent()) ?? ''

  test.each(['light', 'dark'] as const)(
    'staff enter the server key, a fan scans the code and is checked in (%s)',
    async colorScheme => {
      const page = await visit('derby', colorScheme)
      await page.getByText('Harbour City FC – Ashbourne Rovers').waitFor()
      expect(await findSerious(page)).toEqual([])
      await enterKey(page, key)
      await page.getByRole('img', { name: /QR code/ }).waitFor()
      expect(await findSerious(page)).toEqual([])
      await page.screenshot({ path: screenshotPath(`check-in-${colorScheme}`) })
      const response = await fetch(`${api.origin}/api/check-ins`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await provider.idp.issueToken(colorScheme === 'light' ? 'fan-0001' : 'fan-0002')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ code: await codeOn(page) }),
      })
      expect(response.status).toBe(201)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the key is stored nowhere and forgotten by a reload, and a wrong one is refused in words',
    async () => {
      const page = await visit('derby')
      await enterKey(page, `${key}x`)
      await page.getByRole('status').getByText('server key').waitFor()
      await enterKey(page, key)
      await page.getByRole('img', { name: /QR code/ }).waitFor()
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')).toBe(
        '[{},{},""]',
      )
      await page.reload()
      expect(await page.getByLabel('Server key').inputValue()).toBe('')
      expect(await page.getByRole('img').isVisible()).toBe(false)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'another system shows codes by the fragment, without a key on the tablet',
    async () => {
      const page = await visit('derby#derby.first')
      await page.getByRole('img', { name: /QR code/ }).waitFor()
      expect(await codeOn(page)).toBe('derby.first')
      expect(await page.getByLabel('Server key').isVisible()).toBe(false)
      const drawn = () => page.evaluate("document.getElementById('qr').toDataURL()")
      const first = await drawn()
      await page.evaluate("location.hash = 'derby.second'")
      await page.locator('figure code').getByText('derby.second').waitFor()
      expect(await drawn()).not.toBe(first)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'says that a match does not exist',
    async () => {
      const page = await visit('no-such-match')
      await page.getByRole('status').getByText('no such match').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )
})
