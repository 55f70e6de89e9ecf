/** The example app as a fan uses it: on a phone, in a real browser, against the API and the mock provider. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { generateFans } from '../../mock-idp/users/generate-fans.ts'
import { buildDemo } from '../../scripts/dev/build-demo.ts'
import { seedDatabase } from '../../scripts/seed/seed.ts'
import { realSources } from '../../src/core/sources.ts'
import {
  findBarriers,
  noBrowser,
  openBrowser,
  screenshotPath,
  type WatchedBrowser,
} from '../support/browser.ts'
import { sqliteEngine, type TemporaryDatabase } from '../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../support/processes.ts'

const TIMEOUT_MS = 300_000
const fans = generateFans({ seed: 1, count: 40 })
const PHONE = { width: 390, height: 844 }
const title = noBrowser ? `The example app (skipped: ${noBrowser})` : 'The example app'

describe.skipIf(noBrowser !== null)(title, () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-demo-'))
  let provider: RunningProvider
  let temporary: TemporaryDatabase
  let api: RunningApi
  let origin: string
  let browser: WatchedBrowser

  beforeAll(async () => {
    await buildDemo(folder)
    provider = await startProvider({ fans: 40 })
    temporary = await sqliteEngine.open(realSources)
    const { issuer } = provider
    await seedDatabase(temporary.db, {
      seed: 1,
      fans: 5,
      provider: { name: 'mock-idp', issuer },
      onboardingPoints: 100,
    })
    api = await startApi({ DATABASE_URL: temporary.url ?? '', IDP_ISSUER: issuer, DEMO_FOLDER: folder })
    origin = api.origin.replace('127.0.0.1', 'localhost')
  }, TIMEOUT_MS)

  afterAll(async () => {
    await api.stop()
    await provider.stop()
    await temporary.remove()
    rmSync(folder, { recursive: true })
  }, TIMEOUT_MS)

  afterEach(async () => {
    await browser.close()
    expect(browser.complaints).toEqual([])
    expect([...browser.hosts]).toEqual(['localhost'])
  }, TIMEOUT_MS)

  async function visit(look: Parameters<typeof openBrowser>[0] = {}): Promise<Page> {
    browser = await openBrowser({ viewport: PHONE, ...look })
    const page = await browser.context.newPage()
    await page.goto(`${origin}/demo`)
    return page
  }

  /** A fan of the mock provider who is not among the seeded ones. */
  async function signIn(page: Page, fan: number): Promise<void> {
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/authorize/)
    await page
      .getByRole('button', { name: fans[fan]?.name ?? '' })
      .first()
      .click()
    await page.getByRole('navigation').waitFor()
  }

  test.each(['light', 'dark'] as const)(
    'a new fan joins, buys a pack, verifies its draw and sees the rewards (%s)',
    async colorScheme => {
      const page = await visit({ colorScheme })
      expect(await findBarriers(page)).toEqual([])
      await signIn(page, colorScheme === 'light' ? 20 : 21)
      await page.getByRole('button', { name: 'Join and get your first points' }).click()
      await page.getByTestId('points').getByText('100').waitFor()
      expect(await findBarriers(page)).toEqual([])
      await page.screenshot({ path: screenshotPath(`demo-home-${colorScheme}`) })

      await page.getByRole('button', { name: 'Packs' }).click()
      await page.getByRole('button', { name: /buy and open Starter pack/ }).click()
      await page.getByText('Draw verified in this browser').waitFor()
      expect(await findBarriers(page)).toEqual([])
      await page.screenshot({ path: screenshotPath(`demo-packs-${colorScheme}`) })

      await page.getByRole('button', { name: 'Rewards' }).click()
      await page.getByRole('listitem').first().waitFor()
      expect(await findBarriers(page)).toEqual([])
      await page.screenshot({ path: screenshotPath(`demo-rewards-${colorScheme}`) })
      // Nothing is wider than the phone.
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
    },
    TIMEOUT_MS,
  )

  test(
    'a claimed reward is redeemed by keyboard alone, and its code is shown',
    async () => {
      const page = await visit()
      await signIn(page, 22)
      await page.getByRole('button', { name: 'Join and get your first points' }).press('Enter')
      await page.getByTestId('points').getByText('100').waitFor()
      await page.getByRole('button', { name: 'Rewards' }).press('Enter')
      await page
        .getByRole('button', { name: /^Claim / })
        .first()
        .press('Enter')
      await page
        .getByRole('button', { name: /^Redeem / })
        .first()
        .press('Enter')
      expect((await page.locator('code').first().textContent())?.length).toBeGreaterThan(8)
    },
    TIMEOUT_MS,
  )

  test(
    'a token that is about to expire is refreshed once, and the fan stays signed in',
    async () => {
      const page = await visit()
      await signIn(page, 23)
      const session = (): Promise<{ refreshToken: string }> =>
        page.evaluate(() => JSON.parse(sessionStorage.getItem('matchday session') ?? '{}'))
      const before = await session()
      await page.evaluate(() => {
        const stored = JSON.parse(sessionStorage.getItem('matchday session') ?? '{}')
        sessionStorage.setItem('matchday session', JSON.stringify({ ...stored, expiresAt: new Date(0) }))
      })
      const refreshes: string[] = []
      page.on('request', request => {
        if (request.url().endsWith('/refresh')) refreshes.push(request.url())
      })
      await page.reload()
      await page.getByTestId('points').waitFor()
      expect(refreshes).toHaveLength(1)
      expect((await session()).refreshToken).not.toBe(before.refreshToken)
    },
    TIMEOUT_MS,
  )

  test(
    'a sign-in that did not start in this tab is refused',
    async () => {
      const page = await visit()
      await page.goto(`${origin}/demo?code=stolen&state=x`)
      expect(await page.getByRole('alert').textContent()).toContain('did not start here')
      expect(page.url()).toBe(`${origin}/demo`)
    },
    TIMEOUT_MS,
  )
})

test('without DEMO_FOLDER, as in production, there is no /demo', async () => {
  const { createWorld } = await import('../support/world.ts')
  const world = await createWorld(sqliteEngine)
  expect((await world.anonymous.get('/demo')).status).toBe(404)
  await world.close()
})
