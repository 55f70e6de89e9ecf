/** The catalogue editor in a browser: create, edit, compare, save, restore, and preview. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { writeRecord } from '../../../src/operate/admin/import/catalogue-records.ts'
import { serveConsole } from '../../../src/operate/console/server.ts'
import { cookieName } from '../../../src/operate/console/sessions/cookie.ts'
import { createSession } from '../../../src/operate/console/sessions/sessions.ts'
import { fullCatalogue } from '../../club/catalogue/full-catalogue.ts'
import { addFan, unique } from '../../economy/rules/rules-world.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const LIMIT = { timeout: BROWSER_TIMEOUT_MS }

if (noBrowser) test.skip(`The catalogue editor: ${noBrowser}`, () => {})
else
  onEngine(sqliteEngine, 'The catalogue editor', world => {
    let server: ReturnType<typeof serveConsole>
    beforeAll(async () => {
      const { config } = world.deps
      if (!config.console) throw new Error('the world has no console')
      server = serveConsole({ ...world.deps, config: { ...config, console: { ...config.console, port: 0 } } })
      await world.db.write(async tx => {
        for (const record of fullCatalogue('shown')) await writeRecord(tx, record)
      })
    })
    afterAll(async () => {
      await server.stop()
    })

    async function open(path: string, role: 'editor' | 'support' = 'editor', look = {}) {
      const browser = await openBrowser(look)
      const { token } = await world.db.write(tx =>
        createSession(tx, { id: `link:${role}`, name: `Ann ${role}`, role }),
      )
      const url = server.url ?? ''
      await browser.context.addCookies([{ name: cookieName(false), value: token, url }])
      const page = await browser.context.newPage()
      await page.goto(url + path)
      return { page, browser }
    }

    const save = async (page: Page, button: string, reason: string) => {
      await page.getByRole('button', { name: button }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill(reason)
      await takeScreenshot(page, `catalogue-save-${button.split(' ')[0]}`)
      expect(await findSerious(page)).toEqual([])
      const text = await dialog.innerText()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      return text
    }

    test(
      'creates a reward, edits it with the difference in sight, and restores it',
      async () => {
        const { page, browser } = await open('/catalogue/reward')
        await page.getByRole('link', { name: 'New reward' }).click()
        await page.getByRole('textbox', { name: 'Id' }).fill('away.scarf')
        await page.getByRole('textbox', { name: 'Title' }).fill('Away scarf')
        await page.getByRole('textbox', { name: 'Description' }).fill('For away days.')
        await page.getByRole('textbox', { name: 'Item type' }).fill('voucher')
        await page.getByRole('button', { name: 'Create reward' }).click()
        await save(page, 'Create reward', 'New season').catch(() => undefined)
        await page.waitForURL(/\/catalogue\/reward\/entry\/away\.scarf/)
        await page.getByRole('spinbutton', { name: 'Points required' }).fill('250')
        expect(await save(page, 'Review and save', 'Harder to get')).toContain('pointsRequired')
        await page.getByRole('tab', { name: 'History' }).click()
        await page.getByRole('row', { name: /New season/ }).click()
        await page.getByRole('button', { name: 'Restore this revision' }).click()
        await page.getByLabel('Reason').fill('Too hard')
        await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
        await page.getByRole('row', { name: /Too hard/ }).waitFor()
        expect(browser.complaints).toEqual([])
        await browser.close()
      },
      LIMIT,
    )
  })
