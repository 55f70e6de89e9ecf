/** Signing in, the audit log and approvals in Chromium, as people of the staff use them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { issueLink } from '../../src/identity/staff/sessions/links.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
const HOSTILE = '<img src=x onerror="document.title=1">'

const title = 'The frame of the console'
describe.skipIf(noBrowser !== null)(noBrowser ? `${title} (skipped: ${noBrowser})` : title, () => {
  onEngine(
    sqliteEngine,
    'signing in and two people in the browser',
    world => {
      let pages: ReturnType<typeof servePages>
      beforeAll(() => {
        pages = servePages(world)
      })
      afterAll(() => pages.stop())

      test('a link signs in by its button, is not in the address then, and does not work again', async () => {
        const browser = await openBrowser({ viewport: PHONE })
        const { secret } = await world.db.write(tx => issueLink(tx, { name: HOSTILE, role: 'support' }))
        const page = await browser.context.newPage()
        await page.goto(`${pages.origin}/sign-in#${secret}`)
        const button = page.getByRole('button', { name: 'Sign in' })
        await button.waitFor()
        expect(page.url()).not.toContain(secret)
        expect(await page.locator('main').textContent()).toContain(HOSTILE)
        expect(await findSerious(page)).toEqual([])
        await takeScreenshot(page, 'console-sign-in')
        // By keyboard.
        await button.focus()
        await page.keyboard.press('Enter')
        await page.locator('.shell').waitFor()
        expect(await page.title()).not.toBe('1')
        const again = await browser.context.newPage()
        await again.goto(`${pages.origin}/sign-in#${secret}`)
        await again.getByText('The link was used').or(again.getByText('cannot be used')).first().waitFor()
        await browser.close()
      })

      test('a key that creates value is shown to the person who confirms it', async () => {
        const browser = await openBrowser({ viewport: DESKTOP })
        const asking = await pages.open(browser.context, '/keys', 'owner', 'Joan')
        await asking.getByRole('button', { name: 'Create key' }).first().click()
        await asking.getByRole('textbox', { name: 'Source' }).fill('crm')
        await asking.getByRole('checkbox', { name: 'Grant and take points' }).check()
        await asking.getByRole('textbox', { name: 'Reason' }).fill('For the campaign.')
        await asking.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
        await asking.getByText('Another person must confirm this').waitFor()
        expect(await asking.getByRole('dialog').count()).toBe(0)
        await asking.close()

        const page = await pages.open(browser.context, '/approvals', 'owner', 'Edith')
        await page.getByRole('row').nth(1).click()
        await page.getByRole('dialog').getByText('points:write').waitFor()
        await page.getByRole('button', { name: 'Confirm' }).click()
        await page.getByText('it cannot be shown again').waitFor()
        expect(await page.locator('.secret').textContent()).toMatch(/mdk_/)
        expect(await findSerious(page)).toEqual([])
        await page.getByRole('button', { name: 'I have stored it' }).click()
        await page.getByText('Nothing is waiting for you').waitFor()
        await browser.close()
      })

      test('an action happens when a second person confirms it, and the log names both people', async () => {
        const fan = await world.fan()
        await fan.post('/api/user/profile', { displayName: 'Ana Ruiz' })
        const { id: fanId } = (await fan.get('/api/user/profile')).body
        const browser = await openBrowser({ viewport: DESKTOP, colorScheme: 'dark' })
        const asking = await pages.open(browser.context, '/', 'finance', 'Grace')
        await asking.locator('.shell').waitFor()
        const kept = await asking.evaluate<{ status: number; code: string }>(`(async () => {
            const { csrfToken } = await (await fetch('/api/session')).json()
            const response = await fetch('/api/fans/${fanId}/grants', {
              method: 'POST',
              headers: { 'content-type': 'application/json', 'x-csrf-token': csrfToken },
              body: JSON.stringify({ delta: 50, ref: 'late-bus', reason: 'A late bus' }),
            })
            return { status: response.status, code: (await response.json()).code }
          })()`)
        expect(kept).toEqual({ status: 202, code: 'approval_required' })

        await asking.goto(`${pages.origin}/approvals`)
        await asking.getByRole('row').nth(1).click()
        const own = asking.getByRole('button', { name: 'Confirm' })
        expect(await own.getAttribute('aria-disabled')).toBe('true')
        await asking.close()

        const page = await pages.open(browser.context, '/approvals', 'owner', 'Mary')
        await page.getByRole('row').nth(1).click()
        await page.getByRole('dialog').getByText('late-bus').waitFor()
        await takeScreenshot(page, 'console-approval')
        expect(await findSerious(page)).toEqual([])
        await page.getByRole('button', { name: 'Confirm' }).click()
        await page.getByText('Nothing is waiting for you').waitFor()
        expect((await fan.get('/api/user/points')).body.balance).toBe(50)

        await page.goto(`${pages.origin}/audit`)
        await page.getByRole('button', { name: 'Filter' }).click()
        await page.getByLabel('Subject', { exact: false }).last().fill(fanId)
        await page.keyboard.press('Enter')
        await page.getByText('Grace').first().waitFor()
        await page.getByText('Mary').first().waitFor()
        await takeScreenshot(page, 'console-audit')
        expect(await findSerious(page)).toEqual([])
        await page.getByRole('button', { name: 'Verify' }).click()
        await page.getByText(/rows are intact/).waitFor()
        await page.getByRole('row').nth(1).click()
        await page.getByRole('dialog').getByText('Hash').waitFor()
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        expect(browser.complaints).toEqual([])
        await browser.close()
      })

      test('an owner ends the sessions of a person, whose page says so', async () => {
        const browser = await openBrowser({ viewport: PHONE })
        const other = await openBrowser({ viewport: PHONE })
        const person = await pages.open(other.context, '/', 'support', 'Nora')
        await person.locator('.shell').waitFor()
        const page = await pages.open(browser.context, '/staff', 'owner', 'Mary')
        await page.getByRole('row', { name: 'Nora' }).click()
        await page.getByRole('button', { name: 'End access' }).click()
        const dialog = page.getByRole('dialog', { name: 'End the access of Nora?' })
        await dialog.getByLabel('Reason').fill('A lost phone')
        expect(await findSerious(page)).toEqual([])
        await dialog.getByRole('button', { name: 'End access' }).click()
        await page.getByText('The access of Nora has ended.').waitFor()
        await person.reload()
        await person.getByRole('heading', { name: /Sign in|session has ended/ }).waitFor()
        await other.close()
        await browser.close()
      })
    },
    { env: { CONSOLE_TWO_PERSON: 'money' } },
  )
})
