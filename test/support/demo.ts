/** The example app, bundled and served by the API, with a seeded database and a browser at phone width. */
import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Database } from '../../db/index.ts'
import { generateFans } from '../../mock-idp/users/generate-fans.ts'
import { buildDemo } from '../../scripts/dev/build-demo.ts'
import { seedDatabase } from '../../scripts/seed/seed.ts'
import { realSources } from '../../src/core/sources.ts'
import { options } from '../scripts/seed/sixty-fans.ts'
import { BROWSER_TIMEOUT_MS, openBrowser, type WatchedBrowser } from './browser.ts'
import { sqliteEngine, type TemporaryDatabase } from './engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from './processes.ts'

export const PHONE = { width: 390, height: 844 }
const fans = generateFans({ seed: 1, count: 40 })
/** The first fans of the mock provider; the others are new to the app. */
const SEEDED = 7

let built: Promise<string> | undefined

/** One for all tests of the process, which only serve it. */
const buildOnce = () => (built ??= build())

async function build(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-demo-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await buildDemo(folder)
  return folder
}

export interface Demo {
  readonly origin: string
  readonly db: Database
  /** Opens the app. Complaints of the browser, and requests to other hosts, fail the test. */
  visit(look?: Parameters<typeof openBrowser>[0], path?: string): Promise<Page>
  /** `fan`: index of a fan on the first page of the provider's list. */
  signIn(page: Page, fan: number): Promise<void>
  /** At the provider. */
  chooseFan(page: Page, fan: number): Promise<void>
  /** Opens a screen by the navigation; on a phone some are reached from the fan's own. */
  open(page: Page, screen: string): Promise<void>
  /** The native token of the signed-in fan. */
  readToken(page: Page): Promise<string>
}

/** Waits until the screen has all that it reads: some read several things, each with its own place. */
export const isRead = (page: Page) =>
  page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })

/** Starts everything before the tests of the current `describe`, and stops it after them. */
export function useDemo(
  prepare: (db: Database) => Promise<void> = async () => {},
  env: Record<string, string> = {},
): Demo {
  const uploads = mkdtempSync(join(tmpdir(), 'matchday-uploads-'))
  let provider: RunningProvider
  let temporary: TemporaryDatabase
  let api: RunningApi
  let browser: WatchedBrowser

  beforeAll(async () => {
    const folder = await buildOnce()
    provider = await startProvider({ fans: fans.length })
    temporary = await sqliteEngine.open(realSources)
    const { issuer } = provider
    const provided = { fans: SEEDED, provider: { name: 'mock-idp', issuer } }
    await seedDatabase(temporary.db, { ...options, seed: 1, ...provided })
    await prepare(temporary.db)
    api = await startApi({
      ...{ DATABASE_URL: temporary.url ?? '', IDP_ISSUER: issuer, DEMO_FOLDER: folder, UPLOADS: uploads },
      ...env,
    })
  }, BROWSER_TIMEOUT_MS)

  afterAll(async () => {
    await api.stop()
    await provider.stop()
    await temporary.remove()
    rmSync(uploads, { recursive: true })
  }, BROWSER_TIMEOUT_MS)

  afterEach(async () => {
    await browser.close()
    expect(browser.complaints).toEqual([])
    expect([...browser.hosts]).toEqual(['localhost'])
  }, BROWSER_TIMEOUT_MS)

  return {
    get origin() {
      return api.origin.replace('127.0.0.1', 'localhost')
    },
    get db() {
      return temporary.db
    },
    async visit(look = {}, path = '') {
      browser = await openBrowser({ viewport: PHONE, ...look })
      const page = await browser.context.newPage()
      await page.goto(`${this.origin}/demo${path}`)
      return page
    },
    async signIn(page, fan) {
      await page.getByRole('button', { name: 'Sign in' }).click()
      await this.chooseFan(page, fan)
      await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    },
    async chooseFan(page, fan) {
      await page.waitForURL(/authorize/)
      await page
        .getByRole('button', { name: fans[fan]?.name ?? '' })
        .first()
        .click()
    },
    async open(page, screen) {
      const pages = page.getByRole('navigation', { name: 'Pages' })
      const link = pages.getByRole('link', { name: screen, exact: true })
      if (await link.isVisible()) return link.press('Enter')
      await pages.getByRole('link', { name: 'You' }).press('Enter')
      await page.getByRole('navigation', { name: 'More' }).getByRole('link', { name: screen }).press('Enter')
    },
    readToken: page =>
      page.evaluate(() => JSON.parse(localStorage.getItem('matchday session') ?? '{}').token),
  }
}
