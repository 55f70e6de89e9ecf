/** Faces of fans and reported pictures in a browser: from this origin alone, blurred until a moderator looks. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { fullCatalogue } from '../club/catalogue/full-catalogue.ts'
import { newPng, upload } from '../club/pictures/pictures-world.ts'
import { namedFan } from '../identity/relations/relations-world.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../support/browser.ts'
import { sqliteEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'
import { servePages } from './pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

describe.skipIf(noBrowser !== null)(noBrowser ? `Faces (skipped: ${noBrowser})` : 'Faces', () => {
  onEngine(sqliteEngine, 'in the browser', world => {
    let pages: ReturnType<typeof servePages>
    beforeAll(() => {
      pages = servePages(world)
    })
    afterAll(() => pages.stop())

    async function reportedWith(avatarUrl: (fan: Awaited<ReturnType<typeof namedFan>>) => Promise<string>) {
      const [reporter, fan] = [await namedFan(world), await namedFan(world)]
      await fan.patch('/api/user/profile', { avatarUrl: await avatarUrl(fan) })
      const subject = { kind: 'fan', id: fan.handle }
      await reporter.post('/api/reports', { subject, reason: 'sexual', note: 'Look.' })
      return fan
    }

    test.each([
      ['desktop', 'light', { width: 1440, height: 900 }],
      ['phone', 'dark', { width: 390, height: 844 }],
    ] as const)('a reported picture is blurred at first (%s)', async (name, colorScheme, viewport) => {
      const fan = await reportedWith(async one => (await upload(one, newPng())).body.url)
      const browser = await openBrowser({ viewport, colorScheme })
      const page = await pages.open(browser.context, '/moderation?order=oldest', 'moderator')
      await page.getByRole('button', { name: `@${fan.handle}` }).click()
      const picture = page.getByRole('img', { name: 'The reported picture, blurred' })
      await picture.waitFor()
      expect(await picture.getAttribute('src')).toMatch(/^\/api\/pictures\/[0-9a-f]{64}$/)
      const blur = () =>
        page.evaluate<string>("getComputedStyle(document.querySelector('.reported img')).filter")
      expect(await blur()).toStartWith('blur(')
      await waitUntil('the face is drawn', () =>
        page.evaluate<boolean>("document.querySelector('.case-head .initial img')?.naturalWidth > 0"),
      )
      expect(
        await page.evaluate<string>(
          "getComputedStyle(document.querySelector('.case-head .initial img')).filter",
        ),
      ).toStartWith('blur(')
      expect(await findSerious(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await takeScreenshot(page, `moderation-picture-${name}`)
      await page.getByRole('button', { name: 'Show it clearly' }).press('Enter')
      expect(await blur()).toBe('none')
      await page.getByRole('button', { name: 'Blur it' }).click()
      expect(await blur()).toStartWith('blur(')
      expect([...browser.hosts]).toEqual(['localhost'])
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('a picture of another site is named, and not read', async () => {
      const fan = await reportedWith(async () => 'https://pictures.example/me.png')
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/moderation', 'moderator')
      await page.getByRole('button', { name: `@${fan.handle}` }).click()
      await page.getByText('which would learn who looks at it').waitFor()
      expect(await page.locator('.reports img').count()).toBe(0)
      await page.goto(`${pages.origin}/fans/${fan.id}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect([...browser.hosts]).toEqual(['localhost'])
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('the gate display reads crests from the API, since their paths are of its origin', async () => {
      const [match] = fullCatalogue('gate').filter(({ kind }) => kind === 'match')
      await world.db.write(async tx => {
        await writeRecord(tx, { kind: 'sponsor', entry: { id: 'gate-energy', name: 'Energy' } })
        for (const side of ['harbour', 'bay'])
          await writeRecord(tx, {
            kind: 'team',
            entry: { id: `gate-${side}`, name: side, shortName: 'GAT', crestUrl: `/pictures/${side}.svg` },
          })
        if (match) await writeRecord(tx, match)
      })
      const browser = await openBrowser()
      const read: string[] = []
      await browser.context.route('**/pictures/*.svg', route => {
        read.push(route.request().url())
        const body = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>'
        return route.fulfill({ contentType: 'image/svg+xml', body })
      })
      const page = await pages.open(browser.context, '/check-in/gate-derby', 'support')
      await waitUntil('the crests are drawn', () =>
        page.evaluate<boolean>(
          "[...document.querySelectorAll('#crests img')].filter(({ naturalWidth }) => naturalWidth > 0).length === 2",
        ),
      )
      const origin = `http://localhost:${world.config.port}`
      expect(read.toSorted()).toEqual([`${origin}/pictures/bay.svg`, `${origin}/pictures/harbour.svg`])
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test('a fan has a face in the search and on the own page', async () => {
      const fan = await namedFan(world)
      const { url } = (await upload(fan, newPng())).body
      await fan.patch('/api/user/profile', { avatarUrl: url })
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/fans', 'support')
      await page.getByRole('combobox').fill(fan.handle)
      await waitUntil('the face is drawn', () =>
        page.evaluate<boolean>("document.querySelector('.found .initial img')?.naturalWidth > 0"),
      )
      await takeScreenshot(page, 'fans-faces')
      await page.getByRole('option').first().click()
      await waitUntil('the face is drawn', () =>
        page.evaluate<boolean>("document.querySelector('h1 .initial img')?.naturalWidth > 0"),
      )
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'fan-face')
      expect(browser.complaints).toEqual([])
      await browser.close()
    })
  })
})
