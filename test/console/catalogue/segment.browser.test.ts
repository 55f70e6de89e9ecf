/** The form of a segment in a browser: fans are counted while it is edited. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { segmentKind } from '../../../src/club/segments/segment-kind.ts'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { addFan } from '../../economy/rules/rules-world.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Segment (skipped: ${noBrowser})` : 'Segment', () => {
  onEngine(sqliteEngine, 'The form of a segment', world => {
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
      expect(await page.getByRole('combobox', { name: 'Fact' }).inputValue()).toBe('country')
      await page.getByRole('textbox', { name: 'Value' }).fill('TO')
      await aside.getByText('1 fan meets all conditions now.').waitFor()
      await aside.getByText('Fan 2 of a name').waitFor()
      expect(await findSerious(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await takeScreenshot(page, `catalogue-segment-${name}`)
      expect(complaints).toEqual([])
      await close()
    })

    test('is composed in words, counted, saved and exported', async () => {
      const { context, complaints, close } = await openBrowser()
      const page = await pages.open(context, '/catalogue/segment/new', 'owner')
      await page.getByRole('textbox', { name: 'Id' }).fill('new-in-tonga')
      await page.getByRole('textbox', { name: 'Name' }).first().fill('New in Tonga')
      const addCondition = page.getByRole('button', { name: 'Add condition' })
      await addCondition.click()
      await page.getByRole('textbox', { name: 'Value' }).fill('TO')
      await addCondition.click()
      const second = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('combobox', { name: 'Fact' }) })
        .nth(1)
      await second
        .getByRole('combobox', { name: 'Fact' })
        .selectOption({ label: 'Days since the registration' })
      await second.getByRole('combobox', { name: 'Comparison' }).selectOption({ label: 'is less than' })
      await second.getByRole('spinbutton', { name: 'Value' }).fill('30')
      const aside = page.getByRole('complementary', { name: 'Fans of the segment' })
      await aside.getByText('1 fan meets all conditions now.').waitFor()
      // Of a consent the purpose is asked, and yes or no.
      await addCondition.click()
      const third = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('combobox', { name: 'Fact' }) })
        .nth(2)
      await third.getByRole('combobox', { name: 'Fact' }).selectOption({ label: 'Consent' })
      await third.getByRole('textbox', { name: 'Purpose' }).fill('marketing')
      await third.getByRole('combobox', { name: 'Value' }).selectOption({ label: 'No' })
      await aside.getByText('1 fan meets all conditions now.').waitFor()
      await page.getByRole('button', { name: 'Create segment' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill('For the new season.')
      await dialog.getByRole('button', { name: 'Save', exact: true }).click()
      await page.waitForURL(/\/catalogue\/segment\/entry\/new-in-tonga/)
      const [stored] = await segmentKind.read(world.db.read, ['new-in-tonga'])
      expect(stored?.when).toEqual([
        { fact: 'country', op: 'eq', value: 'TO' },
        { fact: 'registeredDaysAgo', op: 'lt', value: 30 },
        { fact: 'consent.marketing', op: 'eq', value: false },
      ])
      await page.getByRole('button', { name: 'Export the fans' }).click()
      await dialog.getByLabel('Reason').fill('For a letter.')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download CSV' }).click(),
      ])
      const text = await Bun.file(await file.path()).text()
      expect(text.split('\r\n').length).toBe(3)
      expect(complaints).toEqual([])
      await close()
    })
  })
})
