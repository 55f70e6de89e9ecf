/** Memberships of a fan and the priority list, in Chromium, against the real API. */
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import type { BrowserContext } from 'playwright-core'
import { addAccount } from '../../economy/accounts/accounts-world.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { addMembershipKind } from '../../play/memberships/memberships-world.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const reason = 'The fan called the hotline.'

describe.skipIf(noBrowser !== null)(noBrowser ? `Memberships (skipped: ${noBrowser})` : 'Memberships', () => {
  onEngine(sqliteEngine, 'memberships of a fan in the browser', world => {
    let pages: ReturnType<typeof servePages>
    let context: BrowserContext
    beforeAll(async () => {
      await addMembershipKind(world)
      await addAccount(world, { id: 'status', name: 'Status points', window: null })
      pages = servePages(world)
    })
    beforeEach(async () => {
      context = (await openBrowser({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark' })).context
    })
    afterEach(() => context.close())
    afterAll(() => pages.stop())

    test('one is added, changed and ended with a reason, and the history has it', async () => {
      const fan = await namedFan(world)
      const page = await pages.open(context, `/fans/${fan.id}?tab=memberships`, 'owner', 'Ana')
      await page.getByText('The fan has no memberships').waitFor()
      await page.getByRole('button', { name: 'Add membership' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Number').fill('004711')
      await dialog.getByLabel('Holder').fill('Ada Okafor')
      await dialog.getByLabel('Starts').fill('2026-01-01T00:00')
      await dialog.getByLabel('Ends').fill('2036-01-01T00:00')
      await dialog.getByLabel('Reason', { exact: true }).fill(reason)
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'membership-add')
      await dialog.getByRole('button', { name: 'Add', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      const table = page.getByRole('table', { name: 'Memberships' })
      await table.getByText('Active').waitFor()
      await table.getByText('004711').waitFor()
      await page.getByRole('button', { name: 'Change', exact: true }).click()
      await dialog.getByLabel('Number').fill('004712')
      await dialog.getByLabel('Reason', { exact: true }).fill('The card was lost.')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await table.getByText('004712').waitFor()
      await takeScreenshot(page, 'memberships', { fullPage: true })
      expect(await findSerious(page)).toEqual([])
      await page.getByRole('button', { name: 'End', exact: true }).click()
      await dialog.getByLabel('Reason', { exact: true }).fill('Sold back.')
      await dialog.getByRole('button', { name: 'End the membership' }).click()
      await table.getByText('Ended').waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      await takeScreenshot(page, 'memberships-narrow', { fullPage: true })
      await page.close()
    })

    test('the priority list is downloaded, also of an earlier time', async () => {
      const page = await pages.open(context, '/fans', 'owner', 'Ana')
      await page.getByRole('button', { name: 'Priority list' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('As of').fill('2026-08-15T10:00')
      await dialog.getByText(/^(Since then|Nothing that concerns)/).waitFor()
      await dialog.getByLabel('Reason', { exact: true }).fill('Tickets for the away game.')
      await takeScreenshot(page, 'priority-list')
      expect(await findSerious(page)).toEqual([])
      const downloading = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Download CSV' }).click()
      expect((await downloading).suggestedFilename()).toBe('priority-status.csv')
      await dialog.waitFor({ state: 'detached' })
      await page.close()
    })
  })
})
