/** A newcomer's first day in Swagger UI, by clicking: the API as operators run it, the seeded catalogue, a real browser. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { generateFans } from '../../mock-idp/users/generate-fans.ts'
import { seedDatabase } from '../../scripts/seed/seed.ts'
import { realSources } from '../../src/core/sources.ts'
import { findSerious } from '../support/axe.ts'
import { noBrowser, openBrowser, screenshotPath, type WatchedBrowser } from '../support/browser.ts'
import { sqliteEngine, type TemporaryDatabase } from '../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../support/processes.ts'
import {
  closeDialog,
  execute,
  openAuthorize,
  openDocs,
  operationBlock,
  signInAs,
  way,
} from './swagger-page.ts'

/** Nothing here takes so long: a busy machine draws slowly. */
const TIMEOUT_MS = 300_000
const title = noBrowser ? `Swagger UI in a browser (left out: ${noBrowser})` : 'Swagger UI in a browser'
const fans = generateFans({ seed: 1, count: 5 })

describe.skipIf(noBrowser !== null)(title, () => {
  let provider: RunningProvider
  let temporary: TemporaryDatabase
  let api: RunningApi
  let origin: string
  let browser: WatchedBrowser
  let page: Page

  beforeAll(async () => {
    provider = await startProvider({ fans: 40 })
    temporary = await sqliteEngine.open(realSources)
    const { issuer } = provider
    await seedDatabase(temporary.db, {
      seed: 1,
      fans: fans.length,
      provider: { name: 'mock-idp', issuer },
      onboardingPoints: 100,
    })
    api = await startApi({ DATABASE_URL: temporary.url ?? '', IDP_ISSUER: issuer })
    origin = api.origin.replace('127.0.0.1', 'localhost')
  }, TIMEOUT_MS)

  afterAll(async () => {
    await api.stop()
    await provider.stop()
    await temporary.remove()
  }, TIMEOUT_MS)

  afterEach(async () => {
    await browser.close()
    expect(browser.complaints).toEqual([])
    expect([...browser.hosts]).toEqual(['localhost'])
  }, TIMEOUT_MS)

  const visit = async (look?: Parameters<typeof openBrowser>[0]) => {
    browser = await openBrowser(look)
    page = await browser.context.newPage()
    await openDocs(page, origin)
  }
  const shoot = (name: string, on = page) => on.screenshot({ path: screenshotPath(name) })
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
    TIMEOUT_MS,
  )

  test(
    'a pasted token signs in as its fan, and logging out forgets it',
    async () => {
      await visit()
      const dialog = await openAuthorize(page)
      const bearer = way(dialog, 'bearer')
      await bearer.getByRole('textbox').fill(await provider.idp.issueToken('fan-0002'))
      await bearer.getByRole('button', { name: 'Apply credentials' }).click()
      await bearer.getByText('Logout').waitFor()
      await closeDialog(dialog)
      const signedIn = await execute(page, 'readProfile')
      expect([signedIn.status, signedIn.body.identity?.subject]).toEqual([200, 'fan-0002'])

      await way(await openAuthorize(page), 'bearer')
        .getByText('Logout')
        .click()
      await closeDialog(dialog)
      const signedOut = await execute(page, 'readProfile')
      expect([signedOut.status, signedOut.body.code]).toEqual([401, 'unauthenticated'])
    },
    TIMEOUT_MS,
  )

  test(
    'every operation opens, and what is public can be sent without a token',
    async () => {
      await visit()
      // One after another: all at once are more than a small machine can draw.
      for (const block of await page.locator('.opblock').all()) {
        await block.locator('.opblock-summary-control').click()
        await block.locator('.opblock-body').waitFor()
        await block.locator('.opblock-summary-control').click()
      }
      expect((await execute(page, 'listTeams')).body.teams).toHaveLength(8)
      expect((await execute(page, 'getReadiness')).body.status).toBe('ready')
    },
    TIMEOUT_MS,
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
      await answer.screenshot({ path: screenshotPath('docs-schema') })
    },
    TIMEOUT_MS,
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
    TIMEOUT_MS,
  )

  test.each([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'light', width: 390 },
    { colorScheme: 'dark', width: 1280 },
    { colorScheme: 'dark', width: 390 },
  ] as const)(
    'axe finds nothing serious in $colorScheme at a width of $width',
    async ({ colorScheme, width }) => {
      await visit({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await operationBlock(page, 'claimReward').locator('.opblock-summary-control').click()
      await operationBlock(page, 'claimReward').locator('.shared-problems summary').click()
      await shoot(`docs-axe-${colorScheme}-${width}`)
      expect(await findSerious(page)).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'the filter finds operations by a word of their summary',
    async () => {
      await visit()
      await page.getByLabel('Filter operations').fill('claim reward')
      await operationBlock(page, 'readProfile').waitFor({ state: 'detached' })
      expect(await operationBlock(page, 'claimReward').count()).toBe(1)
    },
    TIMEOUT_MS,
  )

  test(
    'the page names the fan of the token, and asks to sign in again once the token has expired',
    async () => {
      await visit()
      const session = page.locator('.session')
      expect(await session.textContent()).toBe('Not signed in.')
      const optional = operationBlock(page, 'readLeaderboard').locator('.authorization__btn')
      expect(await optional.getAttribute('aria-label')).toBe('authorization button unlocked')
      const paste = async (token: string) => {
        const dialog = await openAuthorize(page)
        const bearer = way(dialog, 'bearer')
        if (await bearer.getByText('Logout').isVisible()) await bearer.getByText('Logout').click()
        await bearer.getByRole('textbox').fill(token)
        await bearer.getByRole('button', { name: 'Apply credentials' }).click()
        await closeDialog(dialog)
      }
      await paste(await provider.idp.issueToken('fan-0002'))
      expect(await session.textContent()).toBe('Signed in as fan-0002.')
      await optional.and(page.getByLabel('authorization button locked')).waitFor({ timeout: 5000 })
      await paste(await provider.idp.issueToken('fan-0003', { expiresIn: -600 }))
      expect(await session.textContent()).toContain('The token of fan-0003 has expired')
      await session.getByRole('button', { name: 'Sign in again' }).click()
      await page.locator('.modal-ux').waitFor()
    },
    TIMEOUT_MS,
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
    TIMEOUT_MS,
  )
})
