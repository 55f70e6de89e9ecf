/** Leagues in the console in Chromium: search, the page of a league, and another name. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { namedFan } from '../identity/relations/relations-world.ts'
import { create, join, read } from '../play/leagues/leagues-world.ts'
import { findAny } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const ARABIC = 'دوري أصدقاء الحي القديم قرب الملعب الكبير'

describe.skipIf(noBrowser !== null)(noBrowser ? `Leagues (skipped: ${noBrowser})` : 'Leagues', () => {
  onEngine(sqliteEngine, 'in the console', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())

    test.each([
      ['desktop', 'light', { width: 1440, height: 900 }],
      ['phone', 'dark', { width: 390, height: 844 }],
    ] as const)(
      'a moderator finds a league and replaces its name (%s)',
      async (look, colorScheme, viewport) => {
        const [owner, member] = [await namedFan(world), await namedFan(world)]
        const { id, code } = await create(owner, { name: `${ARABIC} ${look}` })
        await join(member, code)
        const subject = { kind: 'league', id }
        await member.post('/api/reports', { subject, reason: 'harassment', note: 'Insults us.' })
        const browser = await openBrowser({ viewport, colorScheme })
        const page = await pages.open(browser.context, '/moderation?tab=leagues', 'moderator')
        const check = async (name: string) => {
          expect(await findAny(page)).toEqual([])
          await takeScreenshot(page, `console-leagues-${name}-${look}`, { fullPage: true })
        }
        await page.getByLabel('Name or code').fill('nobody has this')
        await page.getByText('No league is found').waitFor()
        await page.getByLabel('Name or code').fill(look)
        const row = page.getByRole('row', { name: ARABIC }).first()
        await row.waitFor()
        await check('list')
        await row.click()
        await page.getByText('Insults us.').waitFor()
        await page.getByText(`@${member.handle}`).first().waitFor()
        await check('page')
        await page.getByRole('button', { name: 'Replace the name' }).press('Enter')
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('New name').fill('Friends')
        await dialog.getByLabel('Reason').fill('An insult to another club.')
        await check('rename')
        await dialog.getByRole('button', { name: 'Replace the name' }).press('Enter')
        await page.getByRole('heading', { name: 'Friends' }).waitFor()
        expect((await read(member, id)).name).toBe('Friends')
        expect(browser.complaints).toEqual([])
        await browser.close()
      },
    )
  })
})
