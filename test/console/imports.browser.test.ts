/** Imports and backups in Chromium, against the real API. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { engines, sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const LOOKS = [
  ['desktop', 'light', { width: 1280, height: 900 }],
  ['phone', 'dark', { width: 390, height: 844 }],
  ['narrow', 'light', { width: 320, height: 640 }],
] as const

const HOSTILE = `<img src=x onerror="document.title='hacked'">`
const folder = mkdtempSync(join(tmpdir(), 'matchday-browser-backups-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(noBrowser !== null)(noBrowser ? `Imports (skipped: ${noBrowser})` : 'Imports', () => {
  for (const engine of engines) {
    const isSqlite = engine.name === sqliteEngine.name
    onEngine(
      engine,
      'in the browser',
      world => {
        let pages: ReturnType<typeof servePages>
        beforeAll(() => {
          pages = servePages(world)
        })
        afterAll(() => pages.stop())

        async function look(page: Page, name: string, width: number) {
          await takeScreenshot(page, name)
          expect(await findSerious(page)).toEqual([])
          expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
            width,
          )
          expect(await page.title()).not.toContain('hacked')
        }
        async function send(page: Page, what: string, name: string, text: string) {
          await page.getByRole('button', { name: `Import ${what}` }).click()
          await page
            .getByLabel('File', { exact: true })
            .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
          await page.getByRole('button', { name: 'Upload and try' }).click()
        }

        test.each(LOOKS)(
          'fans are uploaded, tried and imported (%s)',
          async (name, colorScheme, viewport) => {
            const browser = await openBrowser({ viewport, colorScheme })
            const page = await pages.open(browser.context, '/jobs', 'owner')
            await page.getByRole('button', { name: 'Import fans' }).click()
            await look(page, `imports-upload-${name}`, viewport.width)
            await page.keyboard.press('Escape')
            const lines = [
              'subject,displayName,country',
              `${name}-1,Ana,PT`,
              `${name}-2,${HOSTILE.replaceAll('"', '""').replace(/.*/, '"$&"')},PT`,
              `${name}-3,Bo,${'Atlantis'.repeat(20)}`,
            ]
            await send(page, 'fans', `${HOSTILE.replaceAll('"', "'")}.csv`, lines.join('\n'))
            const dialog = page.locator('dialog')
            await dialog.getByText('New fans').waitFor()
            await dialog.getByText('1 line with errors').waitFor()
            await look(page, `imports-review-${name}`, viewport.width)
            expect(
              (await world.db.read.select().from(world.db.tables.users)).filter(({ subject }) =>
                subject.startsWith(name),
              ),
            ).toEqual([])
            await dialog.getByLabel('Leave out 1 invalid line').check()
            await dialog.getByLabel('Reason').fill('The old app is switched off.')
            await dialog.getByRole('button', { name: 'Import fans' }).click()
            await dialog.waitFor({ state: 'detached' })
            const run = page.locator('.timeline li').first()
            await run.getByText('1 not imported').waitFor()
            await run.getByText('New fans: 2').waitFor()
            await look(page, `imports-done-${name}`, viewport.width)
            expect(
              (await world.db.read.select().from(world.db.tables.users)).filter(({ subject }) =>
                subject.startsWith(name),
              ),
            ).toHaveLength(2)
            // Its file is gone, which the page says.
            await page.getByRole('button', { name: 'Review and import' }).first().click()
            await dialog.getByLabel('Leave out 1 invalid line').check()
            await dialog.getByLabel('Reason').fill('Once more.')
            await dialog.getByRole('button', { name: 'Import fans' }).click()
            await dialog.getByRole('alert').getByText('upload it again').waitFor()
            expect(browser.complaints).toEqual([])
            await browser.close()
          },
        )

        test('a catalogue shows its difference, and a file that is too large or of another kind says so', async () => {
          const browser = await openBrowser()
          const page = await pages.open(browser.context, '/jobs', 'owner')
          const dialog = page.locator('dialog')
          const team = { id: 'harbour', name: HOSTILE, shortName: 'HAR' }
          await send(page, 'the catalogue', 'club.json', JSON.stringify({ teams: [team] }))
          await dialog.getByText('New team harbour').waitFor()
          await dialog.getByLabel('Reason').fill('A new rival.')
          await dialog.getByRole('button', { name: 'Import the catalogue' }).click()
          const imported = page.locator('.timeline li').filter({ hasText: 'Import of the catalogue' })
          await imported.getByText('Done').waitFor()
          await send(
            page,
            'the catalogue',
            'club.json',
            JSON.stringify({ teams: [{ ...team, name: 'Harbour' }] }),
          )
          await dialog.getByText(HOSTILE).waitFor()
          await look(page, 'imports-catalogue', 1280)
          await page.keyboard.press('Escape')
          await send(page, 'the catalogue', 'club.json', ' '.repeat(2 * 1024 * 1024 + 1))
          await dialog.getByRole('alert').getByText('at most 2 MB').waitFor()
          await page.keyboard.press('Escape')
          await send(page, 'events', 'club.json', '{}')
          await dialog.getByText('must end in .csv, .ndjson or .jsonl').waitFor()
          await look(page, 'imports-refused', 1280)
          await browser.close()
        })

        test.each(LOOKS)('a backup, or what to do instead (%s)', async (name, colorScheme, viewport) => {
          const browser = await openBrowser({ viewport, colorScheme })
          const page = await pages.open(browser.context, '/jobs', 'owner')
          if (isSqlite) {
            // Its name has the second.
            world.clock.advance(1_000)
            await page.getByRole('button', { name: 'Back up now' }).click()
            await page.getByLabel('Reason').fill('Before the derby.')
            await page.locator('dialog').getByRole('button', { name: 'Back up' }).click()
            await page.getByRole('cell', { name: '.db' }).first().waitFor()
            await page.locator('.timeline li').first().getByText('Done').waitFor()
          } else await page.getByText('The database is PostgreSQL').waitFor()
          await look(page, `backups-${engine.name}-${name}`, viewport.width)
          expect(browser.complaints).toEqual([])
          await browser.close()
        })

        test('finance can see runs and backups, but not start them', async () => {
          const browser = await openBrowser()
          const page = await pages.open(browser.context, '/jobs', 'finance')
          await page.getByRole('button', { name: /Import fans.*Your role cannot import/ }).waitFor()
          await browser.close()
        })
      },
      isSqlite ? { env: { BACKUPS: folder } } : {},
    )
  }
})
