/** What Swagger UI says of the session: whose it is, and when it is over. The tests advance the clock of the page. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  BROWSER_TIMEOUT_MS,
  noBrowser,
  openBrowser,
  takeScreenshot,
  type WatchedBrowser,
} from '../../support/browser.ts'
import { expectTexts } from '../../support/expect-texts.ts'
import { execute, openDocs, operationBlock, paste, type Site, startSite, way } from './swagger-page.ts'

const title = noBrowser ? `the session in Swagger UI (skipped: ${noBrowser})` : 'the session in Swagger UI'
const EXPIRED = 'has expired or was revoked'

describe.skipIf(noBrowser !== null)(title, () => {
  let site: Site
  let browser: WatchedBrowser
  let page: Page

  beforeAll(async () => {
    site = await startSite()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => site.stop(), BROWSER_TIMEOUT_MS)
  beforeEach(async () => {
    browser = await openBrowser()
    page = await browser.context.newPage()
    await page.clock.install()
    await openDocs(page, site.origin)
  }, BROWSER_TIMEOUT_MS)
  afterEach(async () => {
    await browser.close()
    expect(browser.complaints).toEqual([])
  }, BROWSER_TIMEOUT_MS)

  const session = () => page.locator('.session')
  const says = (text: string) => session().filter({ hasText: text }).waitFor()
  const lockOf = (operationId: string) => operationBlock(page, operationId).locator('.authorization__btn')

  /** The page offers the dialog of Authorize. */
  async function expectToSignInAgain(): Promise<void> {
    await session().getByRole('button', { name: 'Sign in again' }).click()
    await way(page.locator('.modal-ux'), 'bearer').waitFor()
  }

  test(
    'names the fan of the token, and locks operations whose authentication is optional only then',
    async () => {
      await expectTexts(session(), ['Not signed in.'])
      expect(await lockOf('readLeaderboard').getAttribute('aria-label')).toBe('authorization button unlocked')
      await paste(page, 'bearer', await site.provider.idp.issueToken('fan-0002'))
      await expectTexts(session(), ['Signed in as fan-0002.'])
      await lockOf('readLeaderboard').and(page.getByLabel('authorization button locked')).waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'asks to sign in again at the moment at which the token expires',
    async () => {
      await paste(page, 'bearer', await site.provider.idp.issueToken('fan-0002', { expiresIn: 3_600 }))
      await says('Signed in as fan-0002.')
      // The clock of the page advances by itself as well: the rest is longer than a busy machine needs.
      await page.clock.fastForward('40:00')
      await says('Signed in as fan-0002.')
      await page.clock.fastForward('20:01')
      await says(`The token of fan-0002 ${EXPIRED}.`)
      await takeScreenshot(page, 'docs-session-expired')
      await expectToSignInAgain()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'asks to sign in again for a token that had expired when it was pasted',
    async () => {
      await paste(page, 'bearer', await site.provider.idp.issueToken('fan-0003', { expiresIn: -600 }))
      await says(`The token of fan-0003 ${EXPIRED}.`)
      await expectToSignInAgain()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'asks to sign in again when the API answers 401 invalid_token, and not for another 401',
    async () => {
      await paste(page, 'bearer', await site.provider.idp.issueToken('fan-0004'))
      expect((await execute(page, 'readDashboard')).status).toBe(200)
      const other = await execute(page, 'refreshNativeToken')
      expect([other.status, other.body.code]).toEqual([401, 'invalid_refresh_token'])
      await says('Signed in as fan-0004.')

      await page.evaluate(async () => {
        const { bearer } = JSON.parse(localStorage.getItem('authorized') ?? '{}')
        const headers = { authorization: `Bearer ${bearer.value}`, 'content-type': 'application/json' }
        await fetch('/api/auth/logout', { method: 'POST', headers, body: '{}' })
      })
      const refused = await execute(page, 'readDashboard')
      expect([refused.status, refused.body.code]).toEqual([401, 'invalid_token'])
      await says(`The token of fan-0004 ${EXPIRED}.`)
      await expectToSignInAgain()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'signs in again with a new token',
    async () => {
      await paste(page, 'bearer', await site.provider.idp.issueToken('fan-0003', { expiresIn: -600 }))
      await says(EXPIRED)
      await paste(page, 'bearer', await site.provider.idp.issueToken('fan-0003'))
      await says('Signed in as fan-0003.')
      expect((await execute(page, 'readDashboard')).status).toBe(200)
    },
    BROWSER_TIMEOUT_MS,
  )
})
