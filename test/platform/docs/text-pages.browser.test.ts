/** The index page and the guide in a real browser: readable in light and dark, on a desktop and on a phone. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { realSources } from '../../../src/core/sources.ts'
import { expectReadable, findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser } from '../../support/browser.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, startApi } from '../../support/processes.ts'

const title = noBrowser ? `the index and the guide (skipped: ${noBrowser})` : 'the index and the guide'
const PAGES = [
  '/',
  '/docs/guide',
  '/docs/guide/first-steps',
  '/docs/guide/clients',
  '/docs/guide/configuration',
]

/** Words that readers search for, and the passage that they need. */
const SEARCHES = {
  GDPR: 'fan-data#export-user',
  'delete account': 'fan-data#erase-user',
  'how to delete my account': 'fan-data#erase-user',
  'export my data': 'fan-data#export-user',
  offline: 'clients#calls',
  refund: 'payments#refunds',
  refunds: 'payments#refunds',
  'webhook signature': 'webhooks#receiving-webhooks',
  'verify webhook': 'webhooks#receiving-webhooks',
  'rate limit': 'api-conventions#rate-limits',
  429: 'api-conventions#rate-limits',
  throttling: 'api-conventions#rate-limits',
  login: 'sign-in',
  'log out': 'sign-in#signing-out',
  jwt: 'sign-in#session-tokens',
  websocket: 'stream',
  realtime: 'stream',
  i18n: 'languages',
  badges: 'quests',
  'api key': 'server-keys',
  monitoring: 'observability',
  upgrade: 'operations#migrations',
  'health check': 'operations#health-checks',
  docker: 'deployment#container',
  cors: 'configuration#network',
  retry: 'clients#calls',
  'import users': 'importing-fans',
  'ban user': 'moderation#decisions',
  'loot box odds': 'packs-and-proofs#how-a-draw-is-verified',
  'avatar upload': 'pictures',
  'QR code': 'match-day#the-gate-display',
  'error codes': 'problems',
}

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

  test.each(PAGES)(
    '%s has no serious barrier and does not scroll sideways, in light and dark at any width',
    async path => {
      const browser = await openBrowser()
      try {
        const page = await browser.context.newPage()
        await page.goto(`${api.origin.replace('127.0.0.1', 'localhost')}${path}`)
        await expectReadable(page, path)
        expect(browser.complaints).toEqual([])
      } finally {
        await browser.close()
      }
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the guide is searched by keyboard, and fills its examples for as long as the page is open',
    async () => {
      const browser = await openBrowser()
      try {
        const page = await browser.context.newPage()
        const site = api.origin.replace('127.0.0.1', 'localhost')
        await page.goto(`${site}/docs/guide/first-steps`)
        await page.getByRole('tab', { name: 'Swift' }).first().click()
        expect(await page.locator('[role="tabpanel"]:visible').count()).toBe(5)
        await page.keyboard.press('ArrowRight')
        expect(await page.getByRole('tab', { name: 'Kotlin', selected: true }).count()).toBe(5)
        await page.getByLabel('Token of a fan').fill('ey.a.b')
        await page.getByLabel('Address of the server').fill('https://api.example.com/')
        const sample = page.locator('[role="tabpanel"]:visible code').nth(1)
        expect(await sample.textContent()).toContain('.url("https://api.example.com/api/dashboard")')
        expect(await sample.textContent()).toContain('"Bearer ey.a.b"')
        await page.reload()
        expect(await page.locator('main').textContent()).not.toContain('ey.a.b')
        expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)

        await page.keyboard.press('/')
        await page.keyboard.type('idempotency')
        await page.getByRole('option', { name: 'API conventions › Idempotency' }).waitFor()
        expect(await findSerious(page)).toEqual([])
        await page.keyboard.press('Enter')
        await page.waitForURL('**/docs/guide/api-conventions#idempotency')

        await page.keyboard.press('/')
        await page.keyboard.type('xylophone')
        await page.getByText('Nothing found').waitFor()
        // With the index, results are shown before the next step.
        const found: Record<string, string> = {}
        for (const words of Object.keys(SEARCHES)) {
          await page.getByLabel('Search the documentation').fill(words)
          const first = "document.querySelector('[role=option]')?.getAttribute('href') ?? 'nothing'"
          found[words] = (await page.evaluate<string>(first)).replace('/docs/guide/', '')
        }
        expect(found).toEqual(SEARCHES)
        await page.keyboard.press('Escape')
        expect(await page.locator('.found').isVisible()).toBe(false)
        expect(browser.complaints).toEqual([])
        expect([...browser.hosts]).toEqual([new URL(site).hostname])
      } finally {
        await browser.close()
      }
    },
    BROWSER_TIMEOUT_MS,
  )
})
