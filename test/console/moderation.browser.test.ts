/** Moderation in Chromium: by keyboard alone, with hostile evidence, and two moderators at one case. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { insertRows } from '../../db/bulk.ts'
import { decide } from '../../src/fan/moderation/cases.ts'
import { recordDecision } from '../../src/identity/sanctions/decisions.ts'
import { type NamedFan, namedFan } from '../identity/relations/relations-world.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const HOSTILE = `<img src=x onerror=alert(1)> ${'\u05e9\u05dc\u05d5\u05dd '.repeat(12).trim()}`

describe.skipIf(noBrowser !== null)(noBrowser ? `Moderation (skipped: ${noBrowser})` : 'Moderation', () => {
  onEngine(sqliteEngine, 'in the browser', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())

    async function reported(note: string, by?: NamedFan) {
      const [reporter, about] = [by ?? (await namedFan(world)), await namedFan(world)]
      await about.patch('/api/user/profile', { bio: HOSTILE })
      const subject = { kind: 'fan', id: about.handle }
      await reporter.post('/api/reports', { subject, reason: 'harassment', note })
      return about
    }
    /** A key that is pressed while a dialog is open belongs to the dialog, which closes once the list is read again. */
    const isClosed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })
    const decisionsAbout = async (...fans: NamedFan[]) => {
      const { moderationDecisions } = world.db.tables
      const rows = await world.db.read.select().from(moderationDecisions)
      return fans.map(({ id }) => rows.filter(({ fanId }) => fanId === id).map(({ kind }) => kind))
    }

    test.each([
      ['desktop', 'light', { width: 1440, height: 900 }],
      ['phone', 'dark', { width: 390, height: 844 }],
    ] as const)(
      'a notice is decided with a sanction, and has a reply to copy (%s)',
      async (name, colorScheme, viewport) => {
        const about = await namedFan(world)
        const notice = {
          category: 'hate',
          location: `https://club.example/fans/${about.handle}`,
          explanation: HOSTILE,
        }
        const notifier = { name: 'Dora Reis', email: 'dora@example.com', goodFaith: true }
        expect((await world.anonymous.post('/api/notices', { ...notice, ...notifier })).status).toBe(201)
        const browser = await openBrowser({ viewport, colorScheme })
        const page = await pages.open(browser.context, '/moderation?tab=notices', 'moderator')
        const item = page.locator('.section').filter({ hasText: `@${about.handle}` })
        const check = async (state: string) => {
          await takeScreenshot(page, `moderation-notice-${state}-${name}`, { fullPage: true })
          expect(await findSerious(page)).toEqual([])
          const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
          expect(scrolled).toBeLessThanOrEqual(viewport.width)
        }
        await item.getByText(HOSTILE).waitFor()
        await check('open')
        await item.getByRole('button', { name: 'Who sent it?' }).click()
        await page.getByRole('dialog').getByLabel('Reason').fill('To ask for the place.')
        await page.getByRole('button', { name: 'Show the notifier' }).click()
        await item.getByText('Dora Reis').waitFor()
        await item.getByRole('button', { name: 'Decide' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('The club acts on the content').check()
        await dialog.getByLabel(/^Sanction of/).selectOption('hide')
        await dialog.getByLabel('Facts').fill('The name of the profile incites hatred.')
        await dialog.getByLabel('Answer').fill('The profile is hidden.')
        await check('decide')
        await dialog.getByRole('button', { name: 'Decide' }).click()
        await item.waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'Decided', exact: true }).click()
        await item.getByRole('button', { name: 'Copy the reply' }).waitFor()
        await item.getByText('The profile is hidden.').waitFor()
        await check('decided')
        expect(await decisionsAbout(about)).toEqual([['hide']])
        expect(browser.complaints).toEqual([])
        await browser.close()
      },
    )

    test('several cases are dismissed together', async () => {
      const fans = [await reported('One.'), await reported('Two.')]
      const browser = await openBrowser({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark' })
      const page = await pages.open(browser.context, '/moderation', 'moderator')
      await page.getByRole('checkbox', { name: 'Select the case about' }).nth(1).waitFor()
      for (const nth of [0, 1])
        await page.getByRole('checkbox', { name: 'Select the case about' }).nth(nth).check()
      await takeScreenshot(page, 'moderation-picked')
      expect(await findSerious(page)).toEqual([])
      await page
        .getByRole('region', { name: 'Selected cases' })
        .getByRole('button', { name: 'Dismiss' })
        .click()
      await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click()
      await page.getByText('2 of 2 are done.').waitFor()
      await takeScreenshot(page, 'moderation-bulk')
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
      await page.getByText('Nothing is waiting').waitFor()
      expect(await decisionsAbout(...fans)).toEqual([['dismiss'], ['dismiss']])
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test.each([
      ['desktop', 'light', { width: 1280, height: 900 }],
      ['phone', 'dark', { width: 390, height: 844 }],
    ] as const)('cases are decided by keyboard alone (%s)', async (name, colorScheme, viewport) => {
      const fans = [await reported(HOSTILE), await reported('Insults.'), await reported('More insults.')]
      const browser = await openBrowser({ viewport, colorScheme })
      const page = await pages.open(browser.context, '/moderation', 'moderator')
      const heading = (fan: NamedFan | undefined) => page.locator('.case-head').getByText(`@${fan?.handle}`)
      await heading(fans[0]).waitFor()
      expect(await page.locator('.case blockquote').first().textContent()).toBe(HOSTILE)
      expect(await page.locator('.reports img').count()).toBe(0)
      await takeScreenshot(page, `moderation-${name}`, { fullPage: true })
      expect(await findSerious(page)).toEqual([])
      await page.keyboard.press('j')
      await heading(fans[1]).waitFor()
      await page.keyboard.press('k')
      await heading(fans[0]).waitFor()
      await page.keyboard.press('?')
      await page.getByText('Next case').waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('d')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Enter')
      await heading(fans[1]).waitFor()
      await isClosed(page)
      await page.keyboard.press('s')
      await page.getByRole('button', { name: '30 days' }).click()
      await takeScreenshot(page, `moderation-suspend-${name}`)
      expect(await findSerious(page)).toEqual([])
      const blocked = page.getByRole('dialog').getByRole('button', { name: 'Suspend' })
      expect(await blocked.getAttribute('aria-disabled')).toBe('true')
      await page.getByLabel('Facts').fill(HOSTILE)
      await page.getByLabel('Internal note').fill('Third time.')
      await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
      await heading(fans[2]).waitFor()
      await isClosed(page)
      await page.keyboard.press('n')
      await page.getByLabel('Internal note').fill('Called on Monday.')
      await page.getByRole('button', { name: 'Save the note' }).click()
      await page.locator('.timeline').getByText('Called on Monday.').waitFor()
      await isClosed(page)
      await page.keyboard.press('h')
      await page.getByLabel('Facts').fill('Called again.')
      await page.getByRole('dialog').getByRole('button', { name: 'Hide' }).click()
      await page.getByText('Nothing is waiting').waitFor()
      expect(await decisionsAbout(...fans)).toEqual([['dismiss'], ['suspend'], ['note', 'hide']])
      const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(scrolled).toBeLessThanOrEqual(viewport.width)
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('a more severe case that arrives is not decided in place of the one that is shown', async () => {
      const about = await reported('Insults.')
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/moderation', 'moderator')
      await page.locator('.case-head').getByText(`@${about.handle}`).waitFor()
      const heavier = await reported('Insults.')
      const subject = { kind: 'fan', id: heavier.handle }
      await (await namedFan(world)).post('/api/reports', { subject, reason: 'spam' })
      await page.evaluate(`dispatchEvent(new Event('online'))`)
      await page.locator('.case-list li').first().getByText(`@${heavier.handle}`).waitFor()
      await page.keyboard.press('m')
      await page.getByLabel('Facts').fill('Insults.')
      await page.getByRole('dialog').getByRole('button', { name: 'Mute' }).click()
      await page.locator('.case-head').getByText(`@${heavier.handle}`).waitFor()
      await isClosed(page)
      expect(await decisionsAbout(about, heavier)).toEqual([['mute'], []])
      await page.keyboard.press('d')
      await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click()
      await page.getByText('Nothing is waiting').waitFor()
      await browser.close()
    })

    test('the keyboard works while more cases load, and a decision keeps the position', async () => {
      const about = await namedFan(world)
      const [total, place] = [250, 120]
      await world.db.write(tx =>
        insertRows(
          tx,
          tx.tables.reports,
          Array.from({ length: total }, (_, n) => ({
            ...{
              id: `report-${String(n).padStart(3, '0')}`,
              subjectKind: 'trade',
              subjectId: `trade-${n}`,
            },
            ...{ fanId: about.id, reason: 'spam', createdAt: new Date(tx.now().getTime() + n) },
          })),
        ),
      )
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/moderation?order=oldest', 'moderator')
      const chosen = page.locator('.case-list [aria-current="true"]')
      await page.getByRole('tab', { name: `Cases ${total}` }).waitFor()
      await chosen.waitFor()
      const address = () => page.evaluate<string>('location.search')
      for (let pressed = 0; pressed < place; pressed++) {
        const before = await address()
        // A press at the end of what is read changes nothing until the next page is there.
        await waitUntil('the next case', async () => {
          await page.keyboard.press('j')
          return (await address()) !== before
        })
      }
      await page.locator(`#case-report-${place}`).getByRole('button').waitFor()
      expect(await page.locator('.case-list li').count()).toBeLessThan(total)
      await page.getByRole('heading', { name: `@${about.handle}` }).waitFor()
      await page.keyboard.press('d')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('tab', { name: `Cases ${total - 1}` }).waitFor()
      await page.locator(`#case-report-${place + 1} [aria-current="true"]`).waitFor()
      await isClosed(page)
      await page.keyboard.press('k')
      await page.locator(`#case-report-${place - 1} [aria-current="true"]`).waitFor()
      expect(await findSerious(page)).toEqual([])
      expect(browser.complaints).toEqual([])
      await browser.close()
      await world.db.write(tx => tx.delete(tx.tables.reports).where(eq(tx.tables.reports.fanId, about.id)))
    })

    test('the second person is told who decided, and what', async () => {
      const about = await reported('Insults.')
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/moderation', 'moderator', 'Ana')
      await page.locator('.case-head').getByText(`@${about.handle}`).waitFor()
      const { caseId } = await page.evaluate<{ caseId: string }>(
        `fetch('/api/moderation/cases').then(r => r.json()).then(({ cases }) => cases[0])`,
      )
      await page.keyboard.press('m')
      await world.db.write(tx => decide(tx, caseId, { kind: 'dismiss', reason: 'other', decidedBy: 'Bruno' }))
      await page.getByLabel('Facts').fill('Insults.')
      await page.getByRole('dialog').getByRole('button', { name: 'Mute' }).click()
      await page.getByRole('dialog').getByText('Bruno decided it').waitFor()
      await page.keyboard.press('Escape')
      expect(await decisionsAbout(about)).toEqual([['dismiss']])
      await browser.close()
    })

    test('the person who decided the sanction cannot decide an appeal, which another person grants', async () => {
      const fan = await namedFan(world)
      const staff = { decidedBy: 'Ana', decidedById: 'link:Ana' }
      const { id: sanctionId } = await world.db.write(tx =>
        recordDecision(tx, { ...staff, fanId: fan.id, kind: 'hide', reason: 'spam' }),
      )
      await fan.post('/api/user/appeals', { sanctionId, text: HOSTILE })
      for (const name of ['Ana', 'Bruno']) {
        const browser = await openBrowser()
        const page = await pages.open(browser.context, '/moderation?tab=appeals', 'moderator', name)
        const grant = page.getByRole('button', { name: 'Grant' })
        await grant.waitFor()
        expect(await grant.getAttribute('aria-disabled')).toBe(String(name === 'Ana'))
        await takeScreenshot(page, `appeals-${name}`)
        expect(await findSerious(page)).toEqual([])
        if (name === 'Bruno') {
          await grant.click()
          await page.getByRole('dialog').getByRole('button', { name: 'Grant' }).click()
          await page.getByText('No appeal is open').waitFor()
        }
        await browser.close()
      }
    })
  })
})
