/** A newcomer's first day in Swagger UI, by clicking: the API as operators run it, the seeded catalogue, a real browser. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { generateFans } from '../../../mock-idp/users/generate-fans.ts'
import { createServerKey } from '../../../src/identity/server-keys/keys.ts'
import {
  BROWSER_TIMEOUT_MS,
  noBrowser,
  openBrowser,
  takeScreenshot,
  type WatchedBrowser,
} from '../../support/browser.ts'
import { expectTexts } from '../../support/expect-texts.ts'
import {
  closeDialog,
  execute,
  openAuthorize,
  openDocs,
  operationBlock,
  paste,
  readDeclared,
  type Site,
  signInAs,
  startSite,
  way,
} from './swagger-page.ts'

const title = noBrowser ? `Swagger UI in a browser (skipped: ${noBrowser})` : 'Swagger UI in a browser'
const CODE = { code: '7Q2M-X9KD-4T0B-HW5E' }
const fans = generateFans({ seed: 1, count: 5 })

describe.skipIf(noBrowser !== null)(title, () => {
  let site: Site
  let browser: WatchedBrowser
  let page: Page

  beforeAll(async () => {
    site = await startSite()
  }, BROWSER_TIMEOUT_MS)
  afterAll(() => site.stop(), BROWSER_TIMEOUT_MS)

  afterEach(async () => {
    await browser.close()
    expect(browser.complaints).toEqual([])
    expect([...browser.hosts]).toEqual(['localhost'])
  }, BROWSER_TIMEOUT_MS)

  const visit = async ({ whole, ...look }: { whole?: boolean; colorScheme?: 'dark' } = {}) => {
    browser = await openBrowser(look)
    page = await browser.context.newPage()
    await openDocs(page, site.origin, { whole })
  }
  const shoot = (name: string, on = page) => takeScreenshot(on, name)
  const shootAnswer = async (name: string, operationId: string) => {
    const answer = operationBlock(page, operationId).locator('.live-responses-table .response')
    await answer.scrollIntoViewIfNeeded()
    await shoot(name)
  }

  test(
    'a fan signs in through Authorize, then onboards, claims and redeems by sending the examples',
    async () => {
      await visit()
      await shoot('docs')
      const dialog = await openAuthorize(page)
      const signIn = way(dialog, 'signIn')
      expect(await signIn.getByLabel('client_id').inputValue()).toBe('matchday-swagger')
      const scopes = await signIn.locator('input[type=checkbox]').all()
      expect(await Promise.all(scopes.map(scope => scope.isChecked()))).toEqual([true, true, true])
      await shoot('docs-authorize')
      await signInAs(dialog, fans[0]?.name ?? '', provider => shoot('docs-pick-a-fan', provider))
      await shoot('docs-signed-in')
      await closeDialog(dialog)

      const before = await execute(page, 'readProfile')
      expect([before.status, before.body.code]).toEqual([404, 'profile_not_found'])
      await shootAnswer('docs-profile-not-found', 'readProfile')

      const onboarding = await execute(page, 'completeOnboarding')
      expect([onboarding.status, onboarding.body.reward?.points]).toEqual([200, 100])
      expect(onboarding.body.identitySync).toBe('synced')

      const { status, body: profile } = await execute(page, 'readProfile')
      expect([status, profile.handle, profile.points]).toEqual([200, null, 100])
      expect([profile.identity.subject, profile.identity.name]).toEqual(['fan-0001', fans[0]?.name])
      await shootAnswer('docs-profile', 'readProfile')

      expect((await execute(page, 'updateProfile')).body.bio).toBe('North stand, row 12.')
      expect((await execute(page, 'syncIdentity')).status).toBe(200)
      expect((await execute(page, 'readPoints')).body.balance).toBe(100)
      expect((await execute(page, 'claimReward')).body.reward.state).toBe('claimed')
      expect((await execute(page, 'redeemReward')).body.reward.redemptionCode).toBeString()
      await shootAnswer('docs-redeemed', 'redeemReward')
      expect((await execute(page, 'redeemReward')).body.code).toBe('already_redeemed')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a pasted token signs in as its fan, and logging out forgets it',
    async () => {
      await visit()
      await paste(page, 'bearer', await site.provider.idp.issueToken('fan-0002'))
      const signedIn = await execute(page, 'readProfile')
      expect([signedIn.status, signedIn.body.identity?.subject]).toEqual([200, 'fan-0002'])

      const dialog = await openAuthorize(page)
      await way(dialog, 'bearer').getByText('Logout').click()
      await closeDialog(dialog)
      const signedOut = await execute(page, 'readProfile')
      expect([signedOut.status, signedOut.body.code]).toEqual([401, 'unauthenticated'])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a pasted server key opens the operations of systems, and is not taken for a fan',
    async () => {
      const scopes = ['redemptions:read'] as const
      const issued = await site.db.write(tx =>
        createServerKey(tx, { source: 'desk', scopes, expiresAt: null }),
      )
      await visit()
      expect((await execute(page, 'lookUpRedemption', CODE)).body.code).toBe('unauthenticated')
      await paste(page, 'serverKey', issued?.key ?? '')
      await expectTexts(page.locator('.session'), ['Not signed in.'])
      expect((await execute(page, 'lookUpRedemption', CODE)).body.code).toBe('redemption_not_found')
      const other = await execute(page, 'useRedemption', CODE)
      expect([other.body.code, other.body.scope]).toEqual(['insufficient_scope', 'redemptions:write'])
      await shootAnswer('docs-server-key', 'useRedemption')

      await paste(page, 'bearer', await site.provider.idp.issueToken('fan-0003'))
      await expectTexts(page.locator('.session'), ['Signed in as fan-0003.'])
      expect((await execute(page, 'readPoints')).status).toBe(200)
      expect((await execute(page, 'lookUpRedemption', CODE)).body.code).toBe('redemption_not_found')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'every operation is listed, the longest of each section opens, and what is public can be sent without a token',
    async () => {
      await visit({ whole: true })
      const declared = await readDeclared(site.origin)
      // Sections are drawn one after another.
      const blocks = page.locator('.opblock')
      await blocks.nth(declared.count - 1).waitFor()
      expect(await blocks.count()).toBe(declared.count)
      expect(declared.longest.length).toBeGreaterThan(10)
      // Within the page: each click from outside costs a second.
      await page.evaluate(`for (const id of ${JSON.stringify(declared.longest)})
        document.querySelector('.opblock[id$="-' + id + '"] .opblock-summary-control').click()`)
      for (const id of declared.longest) await operationBlock(page, id).locator('.opblock-body').waitFor()
      expect(await page.locator('.errors-wrapper').count()).toBe(0)
      await openDocs(page, site.origin)
      expect((await execute(page, 'listTeams')).body.teams).toHaveLength(8)
      expect((await execute(page, 'getReadiness')).body.status).toBe('ready')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a schema unfolds in the terms of the contract, what may be null included',
    async () => {
      await visit()
      const onboarding = operationBlock(page, 'readOnboarding')
      await onboarding.locator('.opblock-summary-control').click()
      const answer = onboarding.locator('.response[data-code="200"]')
      await answer.getByRole('tab', { name: 'Schema' }).click()
      const typeOf = (name: string) =>
        answer
          .locator('.json-schema-2020-12-head', { has: page.getByText(name, { exact: true }) })
          .locator('.json-schema-2020-12__attribute--primary')
          .textContent()
      expect(await typeOf('Onboarding')).toBe('object')
      expect(await typeOf('state')).toBe('string')
      expect(await typeOf('completedAt')).toBe('string | null')
      expect(await typeOf('reward')).toBe('(object | null)')
      await takeScreenshot(answer, 'docs-schema')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an opened operation shows its own problems and folds the shared ones',
    async () => {
      await visit()
      const claim = operationBlock(page, 'claimReward')
      await claim.locator('.opblock-summary-control').click()
      const folded = claim.locator('details.shared-problems')
      await folded.waitFor()
      expect(await claim.locator('.response[data-code="409"]').count()).toBe(1)
      expect(await claim.locator('.response[data-code="415"]').count()).toBe(0)
      expect((await claim.boundingBox())?.height).toBeLessThan(4000)
      await folded.locator('summary').press('Enter')
      expect(await folded.locator('dl').textContent()).toContain('unsupported_media_type')
      await shoot('docs-problems')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the filter finds operations by a word of their summary',
    async () => {
      await visit()
      await page.getByLabel('Filter operations').fill('claim reward')
      await operationBlock(page, 'readProfile').waitFor({ state: 'detached' })
      expect(await operationBlock(page, 'claimReward').count()).toBe(1)
      await page.getByLabel('Filter operations').fill('xylophone')
      await page.getByText('No operation matches “xylophone”.').waitFor()
      expect(await page.getByText('No operations defined in spec!').isVisible()).toBe(false)
      await page.getByLabel('Filter operations').fill('')
      await operationBlock(page, 'readProfile').waitFor()
      expect(await page.getByText('No operation matches').count()).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a visitor who prefers the dark gets it',
    async () => {
      await visit({ colorScheme: 'dark' })
      await operationBlock(page, 'claimReward').locator('.opblock-summary-control').click()
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      await shoot('docs-dark')
      expect(background).toBe('rgb(13, 20, 17)')
    },
    BROWSER_TIMEOUT_MS,
  )
})
