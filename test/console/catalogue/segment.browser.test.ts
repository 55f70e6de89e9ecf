/** The form of a segment in a browser: fans are counted while it is edited. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { addFan } from '../../economy/rules/rules-world.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { engines } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Segment (skipped: ${noBrowser})` : 'Segment', () => {
  for (const engine of engines)
    onEngine(engine, 'The form of a segment', world => {
      let pages: ReturnType<typeof servePages>
      beforeAll(async () => {
        pages = servePages(world)
        const { users } = world.db.tables
        for (const [n, country] of ['FJ', 'FJ', 'TO'].entries()) {
          const id = await addFan(world)
          const name = { country, displayName: `Fan ${n} of a name that is long enough to be cut` }
          await world.db.write(tx => tx.update(users).set(name).where(eq(users.id, id)))
        }
        const when = [{ fact: 'country', op: 'eq' as const, value: 'FJ' }]
        await world.db.write(async tx => {
          await writeRecord(tx, { kind: 'segment', entry: { id: 'fiji', name: 'Fiji', when } })
          const rule = { id: 'bula', name: 'Bula', eventType: 'test.bula', points: { fixed: 1 } }
          await writeRecord(tx, { kind: 'rule', entry: { ...rule, fan: 'fiji' } })
        })
      })
      afterAll(() => pages.stop())

      test.each([
        ['desktop', { width: 1440, height: 900 }, 'light'],
        ['phone', { width: 390, height: 844 }, 'dark'],
      ] as const)('counts the fans of the draft, on a %s', async (name, viewport, colorScheme) => {
        const { context, complaints, close } = await openBrowser({ viewport, colorScheme })
        const page = await pages.open(context, '/catalogue/segment/entry/fiji', 'owner')
        const aside = page.getByRole('complementary', { name: 'Fans of the segment' })
        await aside.getByText('2 fans meet all conditions now.').waitFor()
        await aside.getByRole('link', { name: 'rule bula' }).waitFor()
        await page.getByText('Condition 1', { exact: true }).click()
        await page.getByRole('textbox', { name: 'Value' }).fill('"TO"')
        await aside.getByText('1 fan meets all conditions now.').waitFor()
        await aside.getByText('Fan 2 of a name').waitFor()
        expect(await findSerious(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        await takeScreenshot(page, `catalogue-segment-${name}`)
        expect(complaints).toEqual([])
        await close()
      })
    })
})
