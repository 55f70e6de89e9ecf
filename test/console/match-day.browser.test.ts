/** Match day in Chromium: goals by thumb, a result, its correction with the effect told, and a report from elsewhere. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { freezeDueSplits } from '../../src/play/predictions/split.ts'
import {
  addCompetition,
  addMatch,
  addPredictor,
  HOUR,
  predict,
  settleAll,
} from '../play/predictions/match-world.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'
import { consoleOf } from './support.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Match day (skipped: ${noBrowser})` : 'Match day', () => {
  onEngine(sqliteEngine, 'in the browser', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())
    const readLog = async (matchId: string) =>
      (await consoleOf(world).as('owner').get(`/api/audit?subjectKind=match&subjectId=${matchId}`)).body

    test('a day without a match leads to the next one, and an address that is no day shows today', async () => {
      const { matchId } = await addMatch(world)
      const { matches } = world.db.tables
      const stored = (await world.db.read.select().from(matches)).find(({ id }) => id === matchId)
      const before = new Date((stored?.kickoffAt.getTime() ?? 0) - 40 * 24 * HOUR).toISOString().slice(0, 10)
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
      ['desktop', 'light', { width: 1440, height: 900 }],
      ['phone', 'dark', { width: 390, height: 844 }],
    ] as const)(
      'a match is reported live, finished and corrected (%s)',
      async (name, colorScheme, viewport) => {
        const { matchId, kickoffAt, revision } = await addMatch(world)
        await addPredictor(world, matchId, 1, 0)
        world.clock.advance(2 * HOUR)
        const browser = await openBrowser({ viewport, colorScheme })
        const day = kickoffAt.toISOString().slice(0, 10)
        const page = await pages.open(browser.context, `/match-day?day=${day}`, 'editor')
        await page.getByRole('row').filter({ hasText: 'Scheduled' }).first().waitFor()
        await takeScreenshot(page, `match-day-${name}`)
        expect(await findSerious(page)).toEqual([])
        if (name === 'desktop') await page.getByRole('gridcell', { name: '1', exact: true }).first().waitFor()
        await page.goto(`${pages.origin}/match-day/${matchId}`)
        await page.getByRole('button', { name: 'Start the match' }).click()
        await page.getByText('The match is live.').waitFor()
        const board = page.getByRole('region', { name: 'Score' })
        const goal = page.getByRole('button', { name: /^Goal for/ })
        await goal.first().click()
        await board.getByText('1 : 0').waitFor()
        await goal.nth(1).click()
        await board.getByText('1 : 1').waitFor()
        // A slip of the finger.
        await page.getByRole('button', { name: 'Undo' }).last().click()
        await board.getByText('1 : 0').waitFor()
        await takeScreenshot(page, `match-live-${name}`, { fullPage: true })
        expect(await findSerious(page)).toEqual([])
        await page.getByRole('button', { name: 'Finish …' }).click()
        const finish = page.getByRole('dialog')
        await finish.getByText('This settles 1 prediction and grants').waitFor()
        await takeScreenshot(page, `match-finish-${name}`)
        expect(await findSerious(page)).toEqual([])
        const confirm = finish.getByRole('button', { name: 'Finish 1 : 0' })
        expect(await confirm.getAttribute('aria-disabled')).toBe('true')
        await finish.getByLabel('Reason').fill('The referee has ended the match.')
        await confirm.click()
        await page.getByText('0 of 1 are settled by the current result').waitFor()
        await settleAll(world)
        await page.getByText('1 of 1 are settled by the current result').waitFor()
        await takeScreenshot(page, `match-${name}`, { fullPage: true })
        expect(await findSerious(page)).toEqual([])
        await page.locator('.score-side input').nth(1).fill('1')
        await page.getByRole('button', { name: 'Correct …' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByText('1 prediction will be settled again').waitFor()
        await takeScreenshot(page, `match-correct-${name}`)
        await dialog.getByLabel('Reason').fill('The referee has corrected the report.')
        await dialog.getByRole('button', { name: 'Correct it' }).click()
        await page.getByText('0 of 1 are settled by the current result').waitFor()
        const { matches } = world.db.tables
        const stored = (await world.db.read.select().from(matches)).find(({ id }) => id === matchId)
        expect(stored).toMatchObject({ homeScore: 1, awayScore: 1, revision: revision() + 6 })
        const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(scrolled).toBeLessThanOrEqual(viewport.width)
        expect(browser.complaints).toEqual([])
        await browser.close()
      },
    )

    test.each([
      ['desktop', 'light', { width: 1440, height: 900 }],
      ['phone', 'dark', { width: 390, height: 844 }],
    ] as const)(
      'a match of a competition says its rules, its jokers, and what outcomes give once predictions are closed (%s)',
      async (name, colorScheme, viewport) => {
        const competition = await addCompetition(world, { name: 'Winter Cup', joker: 3, crowd: true })
        const { matchId } = await addMatch(world, { competition, round: 'Final' })
        const fan = await addPredictor(world, matchId, 2, 1)
        await predict(fan, matchId, 2, 1, true)
        await addPredictor(world, matchId, 0, 0)
        const browser = await openBrowser({ viewport, colorScheme })
        const page = await pages.open(browser.context, `/match-day/${matchId}`, 'editor')
        await page.getByText(/^Winter Cup · Final/).waitFor()
        const shown = page.locator('.section').filter({ hasText: 'What fans predict' })
        await shown.getByText('1 on this match; 3 a season for each fan').waitFor()
        await shown.getByText(/40 for the score, 20 for the difference, 7 for the outcome/).waitFor()
        await shown.getByText(/the first kick-off of the round/).waitFor()
        world.clock.advance(HOUR)
        await freezeDueSplits(world.db)
        await page.reload()
        await shown.getByText('1, 10 points').first().waitFor()
        await takeScreenshot(page, `match-competition-${name}`, { fullPage: true })
        expect(await findSerious(page)).toEqual([])
        const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(scrolled).toBeLessThanOrEqual(viewport.width)
        expect(browser.complaints).toEqual([])
        await browser.close()
      },
    )

    test("tomorrow's match is finished only by a second confirmation", async () => {
      // The page goes by the machine's clock.
      const kickoffAt = new Date(Date.now() + 26 * HOUR)
      const matchId = await world.match({ kickoffAt })
      const browser = await openBrowser({ viewport: { width: 390, height: 844 } })
      const page = await pages.open(browser.context, `/match-day/${matchId}`, 'owner')
      const start = page.getByRole('button', { name: /^Start the match/ })
      expect(await start.getAttribute('title')).toContain('from 30 minutes before')
      await page.getByLabel('Status').selectOption('finished')
      await page.getByRole('button', { name: 'Finish …' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('This match has not begun').waitFor()
      await dialog.getByText('Nobody has predicted this match').waitFor()
      await dialog.getByLabel('Reason').fill('It was played behind closed doors.')
      const confirm = dialog.getByRole('button', { name: /^Finish 0 : 0/ })
      expect(await confirm.getAttribute('title')).toBe('Confirm first that the match is over.')
      await takeScreenshot(page, 'match-early')
      expect(await findSerious(page)).toEqual([])
      await dialog.getByLabel('The match is over').check()
      await confirm.click()
      await dialog.waitFor({ state: 'detached' })
      const { entries } = await readLog(matchId)
      expect(entries[0]).toMatchObject({ reason: 'It was played behind closed doors.' })
      await browser.close()
    })

    test.each([
      ['desktop', 'dark', { width: 1440, height: 900 }],
      ['phone', 'light', { width: 390, height: 844 }],
    ] as const)(
      'the wall screen shows score, predictions and check-ins (%s)',
      async (name, colorScheme, viewport) => {
        const { matchId, report } = await addMatch(world)
        for (const score of [2, 2, 1, 0]) await addPredictor(world, matchId, score, 1)
        await report({ status: 'live', homeScore: 12, awayScore: 10 })
        const browser = await openBrowser({ viewport, colorScheme })
        const page = await pages.open(browser.context, `/match-day/${matchId}`, 'support')
        await page.getByRole('link', { name: 'Wall screen' }).click()
        const wall = page.getByRole('region', { name: 'Wall screen' })
        await wall.getByText('12 : 10').waitFor()
        await wall.getByText('50 %').waitFor()
        await takeScreenshot(page, `wall-${name}`)
        expect(await findSerious(page)).toEqual([])
        const size = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(size).toBeLessThanOrEqual(viewport.width)
        await page.getByRole('button', { name: 'Full screen' }).click()
        await waitUntil('the full screen', () => page.evaluate('document.fullscreenElement !== null'))
        await page.evaluate('document.exitFullscreen()')
        await wall.getByRole('link', { name: 'Close' }).click()
        await page.getByRole('heading', { name: 'What fans predict' }).waitFor()
        expect(browser.complaints).toEqual([])
        await browser.close()
      },
    )

    test('the gate display opens by the session, keeps the screen on, and continues after a new sign-in', async () => {
      // The page goes by the time of the server's responses, which is the machine's: codes of the frozen clock stay valid for it.
      const kickoffAt = new Date(Date.now() + HOUR)
      const before = world.clock.ms
      world.clock.ms = kickoffAt.getTime()
      const matchId = await world.match({ kickoffAt })
      const browser = await openBrowser({ viewport: { width: 768, height: 1024 } })
      await browser.context.addInitScript(`
        window.locks = []
        const request = async kind => (locks.push({ kind, released: false }), locks.at(-1))
        Object.defineProperty(navigator, 'wakeLock', { configurable: true, value: { request } })
      `)
      const page = await pages.open(browser.context, `/match-day/${matchId}`, 'support')
      await page.getByText('checked in,').waitFor()
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
      await page.getByText('1 checked in').waitFor()

      await world.db.write(tx => tx.update(tx.tables.consoleSessions).set({ endedAt: tx.now() }))
      await gate.getByRole('link', { name: 'Sign in to the console.' }).waitFor()
      expect(await gate.getByRole('img').isVisible()).toBe(false)
      expect(await findSerious(gate)).toEqual([])
      await pages.open(browser.context, '/match-day', 'support')
      await gate.getByRole('img', { name: /QR code/ }).waitFor()
      expect(browser.complaints).toEqual([])
      await browser.close()
      world.clock.ms = before
    })

    test('an earlier report of another system is shown, and staff choose which one to keep', async () => {
      const { matchId, report } = await addMatch(world)
      const browser = await openBrowser()
      const page = await pages.open(browser.context, `/match-day/${matchId}`, 'editor')
      await page.getByLabel('Status').selectOption('live')
      await report({ status: 'live', homeScore: 3, awayScore: 0 })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Another report arrived in the meantime').waitFor()
      await takeScreenshot(page, 'match-stale')
      expect(await findSerious(page)).toEqual([])
      await page.getByRole('button', { name: 'Use theirs' }).click()
      expect(await page.locator('.score-side input').first().inputValue()).toBe('3')
      await browser.close()
    })
  })
})
