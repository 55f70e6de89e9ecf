/** The catalogue editor in a browser: create, edit, compare, save, restore, and preview. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { entryKinds, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../../club/catalogue/full-catalogue.ts'
import { fetchPicture, newPng } from '../../club/pictures/pictures-world.ts'
import { addFan } from '../../economy/rules/rules-world.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

const LIMIT = { timeout: BROWSER_TIMEOUT_MS }
const HOSTILE = '<img src=x onerror=alert(1)> \u202etxet'

describe.skipIf(noBrowser !== null)(noBrowser ? `Editor (skipped: ${noBrowser})` : 'Editor', () => {
  onEngine(sqliteEngine, 'The catalogue editor', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(async () => {
      pages = servePages(world)
      await world.db.write(async tx => {
        for (const record of fullCatalogue('shown')) await writeRecord(tx, record)
        await writeRecord(tx, {
          kind: 'team',
          entry: { id: 'hostile', name: HOSTILE.slice(0, 28), shortName: '<b>', city: 'ب'.repeat(100) },
        })
      })
    })
    afterAll(() => pages.stop())

    async function open(
      path: string,
      look: Parameters<typeof openBrowser>[0] = {},
      role: 'editor' | 'support' = 'editor',
    ) {
      const browser = await openBrowser(look)
      const page = await pages.open(browser.context, path, role)
      return { page, ...browser }
    }

    /** Fills the reason of the open dialog and confirms. Returns what the dialog said. */
    async function confirm(page: Page, button: string, reason: string): Promise<string> {
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill(reason)
      const text = (await dialog.textContent()) ?? ''
      await dialog.getByRole('button', { name: button, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      return text
    }

    test(
      'creates a reward, edits it after a review of the changes, and restores it',
      async () => {
        const { page, complaints, close } = await open('/catalogue/reward')
        await page.getByRole('grid').waitFor()
        await takeScreenshot(page, 'catalogue-list')
        expect(await findSerious(page)).toEqual([])
        await page.getByRole('link', { name: 'New reward' }).click()
        // Faults stand at their fields.
        await page.getByRole('button', { name: 'Create reward' }).click()
        await page.getByText('Correct these').waitFor()
        await page.getByRole('textbox', { name: 'Id', exact: true }).fill('away.scarf')
        await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Away scarf')
        await page.getByRole('textbox', { name: 'Description', exact: true }).fill('For away days.')
        await page.getByRole('combobox', { name: 'Item type' }).selectOption('voucher')
        await takeScreenshot(page, 'catalogue-new', { fullPage: true })
        await page.getByRole('button', { name: 'Create reward' }).click()
        await confirm(page, 'Save', 'New season')
        await page.waitForURL(/\/catalogue\/reward\/entry\/away\.scarf/)

        await page.getByRole('spinbutton', { name: 'Points required' }).fill('250')
        await page.getByRole('button', { name: 'Review and save' }).click()
        await page.getByRole('dialog').getByText('pointsRequired').waitFor()
        await takeScreenshot(page, 'catalogue-save')
        expect(await findSerious(page)).toEqual([])
        expect(await confirm(page, 'Save', 'Harder to get')).toContain('250')
        await page.getByText('No changes').waitFor()

        await page.getByRole('tab', { name: /History/ }).click()
        await page.getByRole('row', { name: /New season/ }).click()
        await page.getByRole('button', { name: 'Restore this revision' }).click()
        await page.getByRole('dialog').getByText('pointsRequired').waitFor()
        await confirm(page, 'Restore', 'Too hard')
        await page.getByRole('row', { name: /Too hard/ }).waitFor()
        await takeScreenshot(page, 'catalogue-history')
        expect(await findSerious(page)).toEqual([])
        const [stored] = await entryKinds.reward.read(world.db.read, ['away.scarf'])
        expect(stored).toMatchObject({ title: 'Away scarf', pointsRequired: 0 })
        expect(complaints).toEqual([])
        await close()
      },
      LIMIT,
    )

    test(
      'merges the changes of two people',
      async () => {
        const { page, complaints, close } = await open('/catalogue/reward/entry/shown-open')
        await page.getByRole('combobox', { name: 'Item type' }).selectOption({ label: 'Another…' })
        await page.getByRole('textbox', { name: 'Item type', exact: true }).fill('ticket')
        const [stored] = await entryKinds.reward.read(world.db.read, ['shown-open'])
        if (!stored) throw new Error('there is no reward')
        await world.db.write(tx =>
          writeRecord(tx, { kind: 'reward', entry: { ...stored, pointsRequired: 77, itemType: 'cup' } }),
        )
        await page.getByRole('button', { name: 'Review and save' }).click()
        await page.getByRole('dialog').getByLabel('Reason').fill('Ticket')
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
        await page.getByText('You both changed itemType').waitFor()
        expect(await page.getByRole('spinbutton', { name: 'Points required' }).inputValue()).toBe('77')
        // Leaving asks first.
        await page.getByRole('link', { name: 'Rewards' }).first().click()
        await page
          .getByRole('dialog')
          .getByRole('button', { name: /Stay|Keep/ })
          .click()
        await page.getByRole('button', { name: 'Review and save' }).click()
        await confirm(page, 'Save', 'Ticket')
        await page.getByText('No changes').waitFor()
        const [after] = await entryKinds.reward.read(world.db.read, ['shown-open'])
        expect(after).toMatchObject({ itemType: 'ticket', pointsRequired: 77 })
        expect(complaints).toEqual([])
        await close()
      },
      LIMIT,
    )

    test(
      'creates a rule with conditions, and previews it on past events',
      async () => {
        const fans = [await addFan(world), await addFan(world)]
        for (let n = 0; n < 9; n++)
          await world.db.write(tx =>
            writeEvent(tx, {
              ...{ source: 'shop', eventId: `seen-${n}`, userId: fans[n % 2] ?? '', type: 'test.preview' },
              ...{ occurredAt: tx.now(), data: { amount: n * 100, currency: 'EUR' } },
            }),
          )
        const { page, complaints, close } = await open('/catalogue/rule/new')
        await page.getByRole('textbox', { name: 'Id', exact: true }).fill('big-spender')
        await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Big spender')
        await page
          .getByRole('combobox', { name: 'Event type' })
          .selectOption('Test preview (of another system)')
        await page.getByRole('button', { name: 'Add condition' }).click()
        await page.getByRole('combobox', { name: 'Member' }).selectOption('Amount')
        await page.getByRole('combobox', { name: 'Comparison' }).selectOption('gte')
        await page.getByRole('textbox', { name: 'Value', exact: true }).fill('300')
        await page.getByRole('spinbutton', { name: 'Points for each event' }).fill('10')
        await takeScreenshot(page, 'catalogue-rule', { fullPage: true })
        expect(await findSerious(page)).toEqual([])
        await page.getByRole('tab', { name: 'Preview' }).click()
        await page.getByRole('button', { name: 'Run preview' }).click()
        await page.getByText('60 points').first().waitFor()
        await takeScreenshot(page, 'catalogue-preview')
        expect(await page.getByText('Would have granted').textContent()).toBe(
          'Would have granted 60 points to 2 fans.',
        )
        expect(await findSerious(page)).toEqual([])
        await page.getByRole('tab', { name: 'Form' }).click()
        await page.getByRole('button', { name: 'Create rule' }).click()
        await confirm(page, 'Save', 'For big spenders')
        await page.waitForURL(/big-spender/)
        const [stored] = await entryKinds.rule.read(world.db.read, ['big-spender'])
        expect(stored).toMatchObject({
          when: [{ path: '/amount', op: 'gte', value: 300 }],
          points: { fixed: 10 },
        })
        expect(complaints).toEqual([])
        await close()
      },
      LIMIT,
    )

    test(
      'uploads a picture with any file name, and says why another file is not a picture',
      async () => {
        const { page, complaints, close } = await open('/catalogue/reward/entry/shown-open')
        const [input, address] = [page.getByLabel(/^Upload/), page.getByPlaceholder('https://…')]
        await input.waitFor()
        const before = await address.inputValue()
        const choose = (name: string, buffer: Buffer, mimeType = 'image/png') =>
          input.setInputFiles({ name, mimeType, buffer })
        // Faults that follow each other differ, so that each is waited for.
        for (const [name, content, fault] of [
          ['notes.png', Buffer.from('No picture.'), 'not a JPEG, PNG or WebP'],
          ['large.png', Buffer.alloc(9 * 1024 * 1024), 'larger than 6 MiB'],
          ['moving.png', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'), 'not a JPEG, PNG or WebP'],
        ] as const) {
          await choose(name, content)
          await page.getByRole('alert').getByText(fault).waitFor()
        }
        expect(await address.inputValue()).toBe(before)
        expect(await findSerious(page)).toEqual([])
        await takeScreenshot(page, 'catalogue-picture')
        const picture = newPng()
        await choose('../../<img src=x onerror=alert(1)>\u202egnp.exe', picture, '')
        await page.getByRole('dialog').getByRole('button', { name: 'Use all of it' }).click()
        await waitUntil('the address is that of the picture', async () =>
          (await address.inputValue()).startsWith('/uploads/'),
        )
        expect(await page.getByRole('alert').count()).toBe(0)
        const url = await address.inputValue()
        expect(url).toMatch(/^\/uploads\/[0-9a-f]{64}\.webp$/)
        await page.getByRole('button', { name: 'Review and save' }).click()
        await confirm(page, 'Save', 'A new picture')
        await page.getByText('No changes').waitFor()
        const [stored] = await entryKinds.reward.read(world.db.read, ['shown-open'])
        expect(stored).toMatchObject({ imageUrl: url })
        const served = await fetchPicture(world, url)
        expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/webp'])
        expect(complaints).toEqual([])
        await close()
      },
      LIMIT,
    )

    test.each(fullCatalogue('shown').map(({ kind, entry }) => [kind, entry.id] as const))(
      'shows %s %s without a change, on a phone and in the dark',
      async (kind, id) => {
        const look = { colorScheme: 'dark', viewport: { width: 320, height: 720 } } as const
        const { page, complaints, close } = await open(`/catalogue/${kind}/entry/${id}`, look)
        await page.getByText('No changes').waitFor()
        expect(await findSerious(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        await takeScreenshot(page, `catalogue-${id}`)
        expect(complaints).toEqual([])
        await close()
      },
      LIMIT,
    )

    test(
      'shows hostile names safely, and lets support only read',
      async () => {
        const { page, complaints, close } = await open(
          '/catalogue/team',
          { viewport: { width: 390, height: 800 } },
          'support',
        )
        await page.getByText('<img src=x').first().waitFor()
        expect(await page.getByRole('link', { name: 'New team' }).count()).toBe(0)
        await page.getByRole('row', { name: /<img src=x/ }).click()
        await page.getByText('Your role can read the catalogue').waitFor()
        expect(await page.getByRole('button', { name: 'Review and save' }).count()).toBe(0)
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        expect(complaints).toEqual([])
        await close()
      },
      LIMIT,
    )
  })
})
