/** Match day in Chromium: goals by thumb, a result, its correction with the effect told, and a report from elsewhere. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { addMatch, addPredictor, HOUR, settleAll } from '../play/predictions/match-world.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Match day (skipped: ${noBrowser})` : 'Match day', () => {
  for (const engine of engines)
    onEngine(engine, 'in the browser', world => {
      let pages: ReturnType<typeof servePages>
      beforeAll(() => {
        pages = servePages(world)
      })
      afterAll(() => pages.stop())

      test('a day without a match leads to the next one, and an address that is no day shows today', async () => {
        const { matchId } = await addMatch(world)
        const { matches } = world.db.tables
        const stored = (await world.db.read.select().from(matches)).find(({ id }) => id === matchId)
        const before = new Date((stored?.kickoffAt.getTime() ?? 0) - 40 * 24 * HOUR)
          .toISOString()
          .slice(0, 10)
        const browser = await openBrowser()
        const page = await pages.open(browser.context, `/match-day?day=${before}`, 'editor')
        await page.getByRole('button', { name: 'Show that day' }).click()
        await page.getByRole('row').filter({ hasText: 'Scheduled' }).first().waitFor()
        await page.goto(`${pages.origin}/match-day?day=2026-13-45`)
        await page.getByRole('heading', { level: 1, name: 'Match day' }).waitFor()
        expect(browser.complaints).toEqual([])
        await browser.close()
      })

      test.each([
        ['desktop', 'light', { width: 1280, height: 900 }],
        ['phone', 'dark', { width: 390, height: 844 }],
      ] as const)(
        'a match is reported live, finished and corrected (%s)',
        async (name, colorScheme, viewport) => {
          const { matchId, revision } = await addMatch(world)
          await addPredictor(world, matchId, 1, 0)
          world.clock.advance(2 * HOUR)
          const browser = await openBrowser({ viewport, colorScheme })
          const day = new Date(world.clock.ms).toISOString().slice(0, 10)
          const page = await pages.open(browser.context, `/match-day?day=${day}`, 'editor')
          await page.getByRole('row').filter({ hasText: 'Scheduled' }).first().waitFor()
          await takeScreenshot(page, `match-day-${name}`)
          expect(await findSerious(page)).toEqual([])
          await page.goto(`${pages.origin}/match-day/${matchId}`)
          await page.getByLabel('Status').selectOption('live')
          await page
            .getByRole('button', { name: /^Goal for/ })
            .first()
            .click()
          await page.getByRole('button', { name: 'Save' }).click()
          await page.getByText('The match was updated.').first().waitFor()
          await page.getByLabel('Status').selectOption('finished')
          await page.getByRole('button', { name: 'Save' }).click()
          await page.getByText('0 of 1 follow the current result').waitFor()
          await settleAll(world)
          await page.getByText('1 of 1 follow the current result').waitFor()
          await takeScreenshot(page, `match-${name}`, { fullPage: true })
          expect(await findSerious(page)).toEqual([])
          await page
            .getByRole('button', { name: /^Goal for/ })
            .nth(1)
            .click()
          await page.getByRole('button', { name: 'Correct …' }).click()
          const dialog = page.getByRole('dialog')
          await dialog.getByText('1 prediction will be settled again').waitFor()
          await takeScreenshot(page, `match-correct-${name}`)
          await dialog.getByLabel('Reason').fill('The referee has corrected the report.')
          await dialog.getByRole('button', { name: 'Correct it' }).click()
          await page.getByText('0 of 1 follow the current result').waitFor()
          const { matches } = world.db.tables
          const stored = (await world.db.read.select().from(matches)).find(({ id }) => id === matchId)
          expect(stored).toMatchObject({ homeScore: 1, awayScore: 1, revision: revision() + 3 })
          const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
          expect(scrolled).toBeLessThanOrEqual(viewport.width)
          expect(browser.complaints).toEqual([])
          await browser.close()
        },
      )

      test('the gate display opens by the session, keeps the screen on, and goes on after a new sign-in', async () => {
        // The page goes by the time of the server's responses, which is the machine's: codes of the frozen clock stay valid for it.
        const kickoffAt = new Date(Date.now() + HOUR)
        world.clock.ms = kickoffAt.getTime()
        const matchId = await world.match({ kickoffAt })
        const browser = await openBrowser({ viewport: { width: 768, height: 1024 } })
        await browser.context.addInitScript(`
        window.locks = []
        const request = async kind => (locks.push({ kind, released: false }), locks.at(-1))
        Object.defineProperty(navigator, 'wakeLock', { configurable: true, value: { request } })
      `)
        const page = await pages.open(browser.context, `/match-day/${matchId}`, 'support')
        await page.getByText('Checked in').waitFor()
        const opened = browser.context.waitForEvent('page')
        await page.getByRole('link', { name: 'Open the gate display' }).click()
        const gate = await opened
        await gate.getByRole('img', { name: /QR code/ }).waitFor()
        expect(new URL(gate.url()).origin).toBe(pages.origin)
        expect(await gate.getByRole('textbox').count()).toBe(0)
        expect(await gate.evaluate('locks.map(({ kind }) => kind)')).toEqual(['screen'])
        await takeScreenshot(gate, 'gate-display')
        expect(await findSerious(gate)).toEqual([])
        const code = (await gate.locator('figure code').textContent()) ?? ''
        const fan = await world.fan()
        expect((await fan.post('/api/check-ins', { code })).status).toBe(201)
        await page.reload()
        await page.getByText('Checked in').locator('..').getByText('1', { exact: true }).waitFor()

        await world.db.write(tx => tx.update(tx.tables.consoleSessions).set({ endedAt: tx.now() }))
        await gate.getByRole('link', { name: 'Sign in to the console.' }).waitFor()
        expect(await gate.getByRole('img').isVisible()).toBe(false)
        expect(await findSerious(gate)).toEqual([])
        await pages.open(browser.context, '/match-day', 'support')
        await gate.getByRole('img', { name: /QR code/ }).waitFor()
        expect(browser.complaints).toEqual([])
        await browser.close()
      })

      test('a report of another system that comes first is shown, and either is kept', async () => {
        const { matchId, report } = await addMatch(world)
        const browser = await openBrowser()
        const page = await pages.open(browser.context, `/match-day/${matchId}`, 'editor')
        await page.getByLabel('Status').selectOption('live')
        await report({ status: 'live', homeScore: 3, awayScore: 0 })
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Another report came meanwhile').waitFor()
        await takeScreenshot(page, 'match-stale')
        expect(await findSerious(page)).toEqual([])
        await page.getByRole('button', { name: 'Take theirs' }).click()
        expect(await page.locator('.score-side input').first().inputValue()).toBe('3')
        await browser.close()
      })
    })
})
