/** Live rounds in the cockpit, in Chromium: one key opens a prepared question, closes it and answers it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { patientFan } from '../play/packs/packs-world.ts'
import { addQuestion, vote } from '../play/questions/questions-world.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'
import { consoleOf } from './support.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)
const HOUR = 3_600_000

/** A key of the page, with no field in focus. */
async function press(page: Page, key: string) {
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press(key)
}

describe.skipIf(noBrowser !== null)(noBrowser ? `Live rounds (skipped: ${noBrowser})` : 'Live rounds', () => {
  onEngine(sqliteEngine, 'in the cockpit', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())

    test.each([
      ['desktop', 'light', { width: 1280, height: 900 }],
      ['phone', 'dark', { width: 390, height: 844 }],
    ] as const)(
      'a prepared question is opened, closed and answered with one key each, and the answer says what it gives (%s)',
      async (name, colorScheme, viewport) => {
        const matchId = await world.match()
        const at = (ms: number) => new Date(world.clock.ms + ms).toISOString()
        const members = { matchId, title: `First goal (${name})?`, points: 10 }
        const id = await addQuestion(world, { ...members, opensAt: at(HOUR), closesAt: at(2 * HOUR) })
        const browser = await openBrowser({ viewport, colorScheme })
        const page = await pages.open(browser.context, `/match-day/${matchId}`, 'editor')
        const round = page.getByRole('listitem', { name: `First goal (${name})?` })
        await round.getByText('Prepared').waitFor()
        // What is typed into a field is no command.
        await page.getByLabel('Status').press('o')
        await press(page, 'c')
        await round.getByText('Prepared').waitFor()
        await press(page, 'o')
        await round.getByText('0 fans').waitFor()
        const fans = [await patientFan(world), await patientFan(world), await patientFan(world)]
        for (const [nth, fan] of fans.entries()) await vote(fan, id, nth === 0 ? 'away' : 'home')
        await round.getByText('3 fans').waitFor()
        expect(await findSerious(page)).toEqual([])
        await takeScreenshot(page, `cockpit-round-${name}`, { fullPage: true })
        world.clock.advance(1)
        await press(page, 'c')
        await round.getByText('Closed', { exact: true }).waitFor()
        await press(page, 'a')
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Right answer').selectOption('home')
        await dialog.getByText('2 fans get 10 points each: 20 in all.').waitFor()
        const confirm = dialog.getByRole('button', { name: 'Answer it' })
        expect(await confirm.getAttribute('aria-disabled')).toBe('true')
        await takeScreenshot(page, `cockpit-answer-${name}`)
        expect(await findSerious(page)).toEqual([])
        await dialog.getByLabel('Reason').fill('The referee has confirmed it.')
        await confirm.click()
        await round.getByText('Answered').waitFor()
        const { body: log } = await consoleOf(world)
          .as('owner')
          .get(`/api/audit?subjectKind=question&subjectId=${id}`)
        expect(log.entries.map(({ reason }: { reason: string }) => reason).toSorted()).toEqual([
          'Closed in the cockpit.',
          'Opened in the cockpit.',
          'The referee has confirmed it.',
        ])
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
          viewport.width,
        )
        expect(browser.complaints).toEqual([])
        await browser.close()
      },
    )
  })
})
