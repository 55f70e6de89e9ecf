/** Every action on a fan, in Chromium, against the real API. */
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
import type { BrowserContext, Page } from 'playwright-core'
import { addRule } from '../../economy/rules/rules-world.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { happen } from '../../play/quests/quests-world.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { redeemedCode } from '../desk-world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const reason = 'The fan called the hotline.'

describe.skipIf(noBrowser !== null)(noBrowser ? `Actions (skipped: ${noBrowser})` : 'Actions', () => {
  onEngine(sqliteEngine, 'actions on a fan in the browser', world => {
    let pages: ReturnType<typeof servePages>
    let context: BrowserContext
    beforeAll(() => {
      pages = servePages(world)
    })
    beforeEach(async () => {
      const look = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const
      context = (await openBrowser(look)).context
    })
    afterEach(() => context.close())
    afterAll(() => pages.stop())

    const openFan = async (fan: { id: string }, role: 'support' | 'owner' | 'moderator' = 'owner') => {
      const page = await pages.open(context, `/fans/${fan.id}`, role, `A person of ${role}`)
      await page.getByRole('button', { name: 'Actions' }).waitFor()
      return page
    }
    const choose = async (page: Page, action: string) => {
      await page.getByRole('button', { name: 'Actions' }).click()
      await page.getByRole('button', { name: action, exact: true }).click()
      await page.getByRole('dialog').waitFor()
    }
    /** Writes the reason, presses the button, and waits for the message. */
    const confirm = async (page: Page, button: string, said: RegExp) => {
      await page.getByLabel('Reason', { exact: true }).fill(reason)
      await page.getByRole('dialog').getByRole('button', { name: button }).click()
      await page.locator('.toast').getByText(said).waitFor()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }

    test('points: the balance before and after, the exact refusal, and one booking', async () => {
      const fan = await namedFan(world)
      await world.grant(fan, 1_200)
      const page = await openFan(fan, 'support')
      await page.getByRole('button', { name: 'Actions' }).click()
      await takeScreenshot(page, 'actions-menu')
      expect(await findSerious(page)).toEqual([])
      await page.keyboard.press('Escape')
      await choose(page, 'Grant or take points')
      await page.getByLabel('Points', { exact: true }).fill('-1300')
      await page.getByLabel('Reason', { exact: true }).fill(reason)
      await page.getByRole('button', { name: 'Take the points' }).click()
      await page.getByRole('alert').waitFor()
      await page.getByLabel('Points', { exact: true }).fill('-500')
      expect(await page.locator('.change').textContent()).toContain('700')
      await takeScreenshot(page, 'actions-points')
      expect(await findSerious(page)).toEqual([])
      await confirm(page, 'Take the points', /The balance is 700/)
      await page.getByText('700', { exact: true }).first().waitFor()
      await page.locator('.timeline-end').getByText('−500').waitFor()
      await page.close()
    })

    test('cash, a void, sessions and names', async () => {
      const fan = await namedFan(world)
      const rule = await addRule(world)
      const eventId = await happen(world, fan, rule.eventType)
      const page = await openFan(fan)
      await choose(page, 'Give cash')
      await page.getByLabel('Amount', { exact: true }).fill('5.005')
      await page.getByText('Write an amount such as 12.50.').waitFor()
      await page.getByLabel('Amount', { exact: true }).fill('5,00')
      await confirm(page, 'Give the cash', /€5.00 can be spent/)
      await choose(page, 'Void an event')
      await page.getByLabel('Source', { exact: true }).fill('shop')
      await page.getByLabel('Event', { exact: true }).fill(eventId)
      await confirm(page, 'Void the event', /points were taken back/)
      await choose(page, 'Sign out everywhere')
      await confirm(page, 'Sign out everywhere', /Signed out/)
      await choose(page, 'Change name and handle')
      await page.getByLabel('Handle', { exact: true }).fill('No!')
      await page.getByLabel('Reason', { exact: true }).fill(reason)
      await page.getByRole('button', { name: 'Change', exact: true }).click()
      await page.locator('.field-error').first().waitFor()
      await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
      await page.getByLabel('Handle', { exact: true }).fill('')
      await confirm(page, 'Change', /name was changed/)
      await page.getByText('Ada Lovelace').first().waitFor()
      await page.close()
    })

    test('claims: a new code, a use that is undone, a claim that is undone', async () => {
      const { fan, code } = await redeemedCode(world)
      const desk = world.withToken(await world.serverKey(['redemptions:write']))
      const page = await openFan(fan, 'support')
      await choose(page, 'Send a new code')
      await confirm(page, 'Send a new code', /has a new code/)
      expect((await desk.post(`/api/redemptions/${code}/use`, {})).status).toBe(404)
      const { rewards } = (await fan.get('/api/user/rewards')).body
      const now = rewards[0].redemptionCode
      expect((await desk.post(`/api/redemptions/${now}/use`, {})).status).toBe(200)
      await choose(page, 'Undo a claim')
      await page.getByText('The fan has no unused claims.').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
      await choose(page, 'Undo a use at the desk')
      await confirm(page, 'Undo the use', /can be used again/)
      await choose(page, 'Undo a claim')
      await confirm(page, 'Undo the claim', /claim was undone/)
      expect((await fan.get('/api/user/rewards')).body.rewards).toEqual([])
      await page.close()
    })

    test('a moderator can hide a fan, and sees no other action', async () => {
      const fan = await namedFan(world)
      const page = await openFan(fan, 'moderator')
      await page.getByRole('button', { name: 'Actions' }).click()
      const hide = page.getByRole('button', { name: 'Hide, mute or suspend' })
      await hide.waitFor()
      expect(await page.locator('.fan-actions-list button').count()).toBe(1)
      await hide.click()
      await page.getByLabel('Facts').fill('Insults in the bio.')
      await page.getByRole('button', { name: 'Decide' }).click()
      await page
        .locator('.toast')
        .getByText(/taken effect/)
        .waitFor()
      expect((await world.anonymous.get(`/api/fans/${fan.handle}`)).status).toBe(404)
      await page.close()
    })

    test('export, merge after a preview, and erase once the handle was typed', async () => {
      const [from, into]: NamedFan[] = [await namedFan(world), await namedFan(world)]
      if (!from || !into) throw new Error('a fan was not made')
      await world.grant(from, 40)
      const page = await openFan(from)
      await choose(page, 'Export')
      const downloading = page.waitForEvent('download')
      await page.getByLabel('Reason', { exact: true }).fill(reason)
      await page.getByRole('button', { name: 'Download' }).click()
      expect((await downloading).suggestedFilename()).toBe(`fan-${from.id}.json`)
      await choose(page, 'Merge into another fan')
      const other = page.getByRole('combobox', { name: 'Fan that remains' })
      const offered = page.getByRole('option', { name: `@${into.handle}` })
      await other.fill('nobody of this name')
      await page.getByText('Nothing was found.').waitFor()
      // A fan is not merged into themselves.
      await other.fill(from.handle)
      await page.getByText('Nothing was found.').waitFor()
      await other.fill(into.handle)
      await offered.waitFor()
      await takeScreenshot(page, 'actions-merge-find')
      expect(await findSerious(page)).toEqual([])
      await other.press('Enter')
      await page.locator('.found-fan').getByText(into.id).waitFor()
      // A changed text is no longer that fan.
      await other.fill(into.id)
      await offered.click()
      await other.press('Enter')
      await page.getByText('40 of 40 earned').waitFor()
      await takeScreenshot(page, 'actions-merge')
      expect(await findSerious(page)).toEqual([])
      await confirm(page, 'Merge permanently', /Merged/)
      await page.getByRole('link', { name: 'Open that fan' }).waitFor()
      expect(await page.getByRole('button', { name: 'Actions' }).count()).toBe(0)
      await page.close()

      const remaining = await openFan(into)
      await choose(remaining, 'Erase')
      await remaining.getByLabel('Handle of the fan').fill('someone')
      await remaining.getByLabel('Reason', { exact: true }).fill(reason)
      await remaining.getByRole('button', { name: 'Erase permanently' }).click()
      await remaining.locator('.field-error').waitFor()
      await remaining.getByLabel('Handle of the fan').fill(into.handle)
      await takeScreenshot(remaining, 'actions-erase')
      await confirm(remaining, 'Erase permanently', /was erased/)
      await remaining.close()
    })
  })
})
