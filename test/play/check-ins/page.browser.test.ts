/** The page at the gate, in a real browser on a tablet, against the API as operators run it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { correction, generate } from 'lean-qr'
import type { BrowserContext, Page } from 'playwright-core'
import { competitionKind } from '../../../src/club/competitions/competition-kind.ts'
import { realSources } from '../../../src/core/sources.ts'
import { createServerKey } from '../../../src/identity/server-keys/keys.ts'
import { findSerious } from '../../support/axe.ts'
import {
  BROWSER_TIMEOUT_MS,
  noBrowser,
  openBrowser,
  takeScreenshot,
  type WatchedBrowser,
} from '../../support/browser.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'

const LINK = 'https://app.club.example/check-in'
const TABLET = { width: 768, height: 1024 }
const SCREENS = {
  wall: { width: 1920, height: 1080 },
  phone: { width: 390, height: 844 },
  tablet: TABLET,
}
const PAD = 4
const HOUR = 3_600_000

/** 1 for each dark module of the QR code of a text, row by row, with its margin. */
function modulesOf(text: string): string {
  const qr = generate(text, { minCorrectionLevel: correction.M })
  const at = Array.from({ length: qr.size + 2 * PAD }, (_, place) => place - PAD)
  return at.flatMap(y => at.map(x => (qr.get(x, y) ? '1' : '0'))).join('')
}
const drawnModules = (page: Page) =>
  page.evaluate<string>(`(() => {
    const canvas = document.getElementById('qr')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return Array.from({ length: canvas.width * canvas.height }, (_, at) => (data[4 * at] === 0 ? '1' : '0')).join('')
  })()`)

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
      const kickoffIn = (hours: number) => ({ kickoffAt: new Date(at.getTime() + hours * 3_600_000) })
      await tx.insert(matches).values([
        { ...row, ...match, ...sides, id: 'derby', competition: 'city-cup' },
        { ...row, ...match, ...sides, id: 'ahead', ...kickoffIn(5) },
        { ...row, ...match, ...sides, id: 'over', ...kickoffIn(-5) },
        { ...row, ...match, ...sides, id: 'cancelled', status: 'cancelled' },
        { ...row, ...match, ...sides, id: 'postponed', status: 'postponed' },
      ])
      await competitionKind.upsert(tx, {
        ...{ id: 'city-cup', name: 'City Cup', deadline: 'match' },
        points: { exact: 3, difference: 2, outcome: 1 },
      })
      const issued = await createServerKey(tx, { source: 'gate', scopes: ['matches:write'], expiresAt: null })
      key = issued?.key ?? ''
    })
    const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }
    api = await startApi({ ...env, CHECK_IN_URL: LINK })
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

  async function visit(
    path: string,
    colorScheme: 'light' | 'dark' = 'light',
    prepare?: (context: BrowserContext) => Promise<unknown>,
  ): Promise<Page> {
    browser = await openBrowser({ viewport: TABLET, colorScheme })
    await prepare?.(browser.context)
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
      expect(await page.getByText(/^\w{3} \d.*\d\d:\d\d.*–.*\d\d:\d\d \S+$/).isVisible()).toBe(true)
      await takeScreenshot(page, `check-in-key-${colorScheme}`)
      await enterKey(page, key)
      await page.getByRole('img', { name: /QR code/ }).waitFor()
      expect(await findSerious(page)).toEqual([])
      for (const [name, viewport] of Object.entries(SCREENS)) {
        await page.setViewportSize(viewport)
        const picture = await page.getByRole('img', { name: /QR code/ }).boundingBox()
        if (!picture) throw new Error('no picture')
        const { x, y, width, height } = picture
        expect(width).toBeGreaterThan(Math.min(viewport.width, viewport.height) * 0.4)
        expect(x + width).toBeLessThanOrEqual(viewport.width)
        expect(y + height).toBeLessThanOrEqual(viewport.height)
        await takeScreenshot(page, `check-in-${name}-${colorScheme}`)
      }
      expect(await drawnModules(page)).toBe(modulesOf(`${LINK}#${await codeOn(page)}`))
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
    'the key is not stored, a reload drops it, and a wrong key shows an error',
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
    'another system passes codes in the fragment, without a key on the tablet',
    async () => {
      const page = await visit('derby#derby.first')
      await page.getByRole('img', { name: /QR code/ }).waitFor()
      await page.getByText('City Cup', { exact: true }).waitFor()
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

  test.each([
    // With the day and the zone.
    ['ahead', /^Check-in opens at \w{3} \d+ \w{3}, \d\d:\d\d \S+\.$/],
    ['over', /^Check-in closed at \w{3} \d+ \w{3}, \d\d:\d\d \S+\.$/],
    ['cancelled', /^Check-in is closed: the match is cancelled\.$/],
    ['postponed', /^Check-in is closed: the match is postponed\.$/],
    ['no-such-match', /^There is no match no-such-match\./],
  ])(
    'for a match that is %s, the page shows no code, and says why',
    async (id, reason) => {
      const page = await visit(id)
      await page.getByRole('status').getByText(reason).waitFor()
      // Staff may get ready before it opens; otherwise there is nothing to show.
      expect(await page.getByLabel('Server key').isVisible()).toBe(id === 'ahead')
      if (id === 'ahead') {
        await enterKey(page, key)
        await page.getByLabel('Server key').waitFor({ state: 'hidden' })
      } else await page.evaluate(`location.hash = '${id}.code'`)
      await page.getByRole('status').getByText(reason).waitFor()
      expect(await page.getByRole('img').isVisible()).toBe(false)
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `check-in-${id}`)
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each(['by the key', 'by the fragment'])(
    'a code %s is hidden at validUntil, by the clock of the server',
    async way => {
      // The tablet is an hour behind.
      let ahead = HOUR
      const server = () => Date.now() + ahead
      const date = () => ({ date: new Date(server()).toUTCString() })
      const validUntil = new Date(server() + HOUR).toISOString()
      const page = await visit('derby', 'light', async context => {
        await context.clock.install()
        await context.route('**/api/matches/derby', async route => {
          const response = await route.fetch()
          const checkIn = { opensAt: '2020-01-01T00:00:00.000Z', closesAt: '2100-01-01T00:00:00.000Z' }
          const json = { ...((await response.json()) as object), checkIn }
          await route.fulfill({ json, headers: date() })
        })
        await context.route('**/api/teams', route => route.fulfill({ json: { teams: [] }, headers: date() }))
        await context.route('**/check-in-code', route =>
          route.fulfill({ json: { code: 'derby.x', validUntil }, headers: date() }),
        )
      })
      await page.getByText('harbour-city – ashbourne-rovers').waitFor()
      if (way === 'by the key') await enterKey(page, key)
      else await page.evaluate(`location.hash = 'derby.x&validUntil=${validUntil}'`)
      const pass = async (ms: number) => {
        ahead += ms
        await page.clock.fastForward(ms)
      }
      // The clocks advance by themselves as well: the rest is longer than a busy machine needs.
      await page.getByRole('img', { name: /QR code/ }).waitFor()
      await pass(HOUR / 4)
      expect(await page.getByRole('img').isVisible()).toBe(true)
      await pass(HOUR)
      await page.getByRole('status').getByText('The code has expired.').waitFor()
      expect(await page.getByRole('img').isVisible()).toBe(false)
      expect(server()).toBeGreaterThan(Date.parse(validUntil) - 2_000)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the screen stays on while the page is visible, also after it was hidden',
    async () => {
      const page = await visit('derby', 'light', context =>
        context.addInitScript(`
          window.locks = []
          const request = async kind => (locks.push({ kind, released: false }), locks.at(-1))
          Object.defineProperty(navigator, 'wakeLock', { value: { request } })
        `),
      )
      await page.waitForFunction('locks.length === 1')
      // As the browser does when the page is hidden.
      await page.evaluate("locks[0].released = true; document.dispatchEvent(new Event('visibilitychange'))")
      await page.waitForFunction('locks.length === 2')
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
      expect(await page.evaluate('locks.map(({ kind }) => kind)')).toEqual(['screen', 'screen'])
    },
    BROWSER_TIMEOUT_MS,
  )
})
