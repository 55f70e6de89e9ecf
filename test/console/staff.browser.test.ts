/** The page “Staff” in Chromium: inviting, roles, the end of access, and a second person who gets the link. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { linkIdOf } from '../../src/core/staff-ids.ts'
import { createSession } from '../../src/identity/staff/sessions/sessions.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const LOOKS = [
  ['desktop', 'light', { width: 1440, height: 900 }],
  ['phone', 'dark', { width: 390, height: 844 }],
] as const
const LONG = 'Wolfeschlegelsteinhausenbergerdorff Maximiliana von und zu Hohenstein-Braunfels'

const title = 'The page of the staff'
describe.skipIf(noBrowser !== null)(noBrowser ? `${title} (skipped: ${noBrowser})` : title, () => {
  for (const twoPerson of [undefined, 'money'])
    onEngine(
      sqliteEngine,
      `access of staff in the browser, ${twoPerson ? 'with' : 'without'} the two-person rule`,
      world => {
        let pages: ReturnType<typeof servePages>
        beforeAll(() => {
          pages = servePages(world)
        })
        afterAll(() => pages.stop())

        async function look(page: Page, name: string) {
          await takeScreenshot(page, name)
          expect(await findSerious(page)).toEqual([])
          const width = page.viewportSize()?.width ?? 0
          expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
            width,
          )
        }
        async function fillInvitation(page: Page, name: string, role: string) {
          await page.getByRole('button', { name: 'Invite', exact: true }).click()
          const dialog = page.getByRole('dialog')
          await dialog.getByLabel('Name').fill(name)
          await dialog.getByLabel('Role').selectOption({ label: role })
          await dialog.getByLabel('E-mail address').fill('ada+club@example.com')
          await dialog.getByLabel('Reason').fill('Starts in May.')
          return dialog
        }

        if (twoPerson === undefined) {
          test.each(LOOKS)(
            'a person is invited by a link, changed and removed (%s)',
            async (look_, colorScheme, viewport) => {
              const name = `Ada of the ${look_}`
              await world.db.write(tx =>
                createSession(tx, { id: linkIdOf(LONG), name: LONG, role: 'moderator' }),
              )
              const browser = await openBrowser({ viewport, colorScheme })
              const page = await pages.open(browser.context, '/staff', 'owner', 'Olga')
              await page.getByRole('gridcell', { name: 'Olga' }).waitFor()
              await look(page, `staff-${look_}`)
              const dialog = await fillInvitation(page, name, 'Support')
              await dialog.getByText('What this role allows').click()
              await look(page, `staff-invite-${look_}`)
              await dialog.getByRole('button', { name: 'Create the link' }).click()

              const link = (await page.locator('.secret code').textContent()) ?? ''
              expect(link).toMatch(/^http:\/\/localhost:\d+\/sign-in#[\w-]{40,}$/)
              const mail = new URL(
                (await page.getByRole('link', { name: 'Write an e-mail' }).getAttribute('href')) ?? '',
              )
              expect(decodeURIComponent(mail.pathname)).toBe('ada+club@example.com')
              // What a mail program reads: the secret is still after `#`.
              expect(mail.hash).toBe('')
              expect(mail.searchParams.get('body')).toContain(link)
              await look(page, `staff-link-${look_}`)
              await page.getByRole('button', { name: 'Done' }).click()
              expect(await page.content()).not.toContain(link.split('#')[1] ?? link)

              const guest = await openBrowser({ viewport, colorScheme })
              const invited = await guest.context.newPage()
              await invited.goto(link)
              await invited.getByRole('button', { name: 'Sign in' }).click()
              await invited.locator('.shell').waitFor()
              await invited.close()
              await guest.close()

              await page.reload()
              // By keyboard.
              await page.getByRole('row', { name }).focus()
              await page.keyboard.press('Enter')
              await page.getByRole('heading', { name: 'Sessions' }).waitFor()
              await look(page, `staff-person-${look_}`)
              await page.getByRole('button', { name: 'Change role' }).click()
              const change = page.getByRole('dialog', { name: 'Change the role' })
              await change.getByLabel('Role').selectOption({ label: 'Moderator' })
              await change.getByLabel('Reason').fill('Moves.')
              await change.getByRole('button', { name: 'Change the role' }).click()
              await page.getByText('has the role Moderator now').waitFor()
              await page.getByRole('button', { name: 'End access' }).click()
              const end = page.getByRole('dialog', { name: 'End the access' })
              await end.getByLabel('Reason').fill('Left.')
              await end.getByRole('button', { name: 'End access' }).click()
              await page.getByText('has ended.').waitFor()
              await page.getByRole('dialog').getByText('No access', { exact: true }).waitFor()
              await page.keyboard.press('Escape')
              await page.getByRole('row', { name }).waitFor({ state: 'detached' })

              await page.getByRole('row', { name: 'Olga' }).click()
              const own = page.getByRole('dialog').getByRole('button', { name: /Change role/ })
              expect(await own.getAttribute('title')).toBe('Another owner must change your role.')
              expect(browser.complaints).toEqual([])
              await browser.close()
            },
          )

          test('the list says when it fails, and reads again', async () => {
            const browser = await openBrowser()
            const page = await pages.open(browser.context, '/', 'owner', 'Olga')
            await page.route('**/api/staff', route => route.abort())
            await page.getByRole('link', { name: 'Staff' }).first().click()
            await page.getByText('The console cannot be reached').waitFor()
            await page.unroute('**/api/staff')
            await page.getByRole('button', { name: 'Try again' }).click()
            await page.getByRole('row', { name: 'Olga' }).waitFor()
            await browser.close()
          })

          test('pages without a session name no command', async () => {
            const browser = await openBrowser()
            const page = await browser.context.newPage()
            await page.goto(pages.origin)
            await page.getByRole('heading', { name: 'Sign in to the console' }).waitFor()
            await takeScreenshot(page, 'console-signed-out')
            expect(await page.locator('body').textContent()).not.toMatch(/bun run|--\w/)
            expect(await findSerious(page)).toEqual([])
            await browser.close()
          })

          test('other roles do not see the page', async () => {
            const browser = await openBrowser()
            const page = await pages.open(browser.context, '/staff', 'finance', 'Fred')
            await page.getByText('Your role does not open this page').waitFor()
            expect(await page.getByRole('link', { name: 'Staff' }).count()).toBe(0)
            await browser.close()
          })
        } else
          test('the second owner confirms an invitation, and gets the link', async () => {
            const browser = await openBrowser({ viewport: { width: 1440, height: 900 } })
            const asking = await pages.open(browser.context, '/staff', 'owner', 'Joan')
            const dialog = await fillInvitation(asking, 'Ada', 'Finance')
            await dialog.getByText('Another owner must confirm this role').waitFor()
            await dialog.getByRole('button', { name: 'Create the link' }).click()
            await asking.getByText('Another person must confirm this').waitFor()
            await asking.close()

            const page = await pages.open(browser.context, '/approvals', 'owner', 'Edith')
            await page.getByRole('row').nth(1).click()
            await page.getByRole('dialog').getByText('Starts in May.').waitFor()
            await page.getByRole('button', { name: 'Confirm' }).click()
            await page.getByRole('heading', { name: 'The link for Ada' }).waitFor()
            expect(await page.locator('.secret code').textContent()).toContain('/sign-in#')
            await look(page, 'staff-confirmed')
            await page.getByRole('button', { name: 'Done' }).click()
            expect(browser.complaints).toEqual([])
            await browser.close()
          })
      },
      twoPerson === undefined ? {} : { env: { CONSOLE_TWO_PERSON: twoPerson } },
    )
})
