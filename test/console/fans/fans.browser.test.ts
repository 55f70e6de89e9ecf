/** Fans in Chromium: search, a fan, the timeline, the rules of an event; with hostile names in every text. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { grantPoints } from '../../../src/economy/points/grants.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { addRule, unique } from '../../economy/rules/rules-world.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { addPack, buy, expectStatus, FREE, open } from '../../play/packs/packs-world.ts'
import { addStock, buyWithMoney } from '../../play/shop/orders-world.ts'
import { drawnItem, offer } from '../../play/trades/trades-world.ts'
import { findSerious } from '../../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, openBrowser, takeScreenshot } from '../../support/browser.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { servePages } from '../pages-world.ts'

setDefaultTimeout(BROWSER_TIMEOUT_MS)

const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
const RTL = '\u202eلاعب عربي'
const LONG = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(6)

const LOOKS = [
  ['desktop', 'light', { width: 1280, height: 900 }],
  ['narrow', 'dark', { width: 320, height: 640 }],
] as const

describe.skipIf(noBrowser !== null)(noBrowser ? `Fans (skipped: ${noBrowser})` : 'Fans', () => {
  onEngine(sqliteEngine, 'fans in the browser', world => {
    let pages: ReturnType<typeof servePages>
    let id: string
    let handle: string
    let type: string
    beforeAll(async () => {
      pages = servePages(world)
      const fan = await namedFan(world)
      handle = fan.handle
      id = (await fan.get('/api/user/profile')).body.id
      await fan.post('/api/user/onboarding', { profile: { displayName: 'Mariana Coelho' } })
      type = unique('shop.purchase')
      await addRule(world, {
        ...{ id: unique('rule'), name: MARKUP.slice(0, 60), eventType: type, points: { fixed: 25 } },
      })
      await addRule(world, {
        ...{ id: unique('rule'), name: 'Big spender', eventType: type },
        when: [{ path: '/amount', op: 'gte', value: 10_000 }],
      })
      const shop = world.withToken(await world.serverKey(['events:write'], { source: 'shop' }))
      const occurredAt = world.clock.now().toISOString()
      const event = {
        id: 'sale-1',
        type,
        fan: { userId: id },
        occurredAt,
        data: { amount: 500, note: MARKUP },
      }
      expectStatus(200, await shop.post('/api/events', { events: [event] }))
      const rewardId = await world.reward({ title: MARKUP, pointsRequired: 0 })
      await fan.post('/api/rewards/claim', { rewardId })
      await fan.post('/api/rewards/redeem', { rewardId })
      await open(fan, (await buy(fan, await addPack(world, { price: FREE, itemsPerPack: 1 }))).userPack.id)
      const price = { amount: 500, currency: 'EUR' }
      await buyWithMoney(fan, await addStock(world, 5, { name: RTL.slice(1) + MARKUP.slice(0, 40), price }))
      const other = await namedFan(world)
      await other.patch('/api/user/profile', { displayName: 'Rui <b>Other</b>' })
      expectStatus(201, await offer(fan, other.handle, [await drawnItem(world, fan)]))
      await world.db.write(async tx => {
        const granter = { source: 'operator', provider: 'mock-idp' }
        const grant = { fan: { userId: id }, delta: 40, ref: unique('grant'), note: MARKUP }
        await grantPoints(tx, granter, grant)
        const decision = { fanId: id, kind: 'mute', reason: 'spam' } as const
        await recordDecision(tx, {
          ...decision,
          decidedBy: MARKUP.slice(0, 60),
          note: `${RTL} ${MARKUP}`,
          facts: MARKUP,
        })
      })
    })
    afterAll(() => pages.stop())

    /** What no screen may do. */
    async function judge(page: Page, width: number, complaints: string[]) {
      expect(await page.evaluate('window.hacked')).toBeUndefined()
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(wide).toBeLessThanOrEqual(width)
      expect(await findSerious(page)).toEqual([])
      expect(complaints).toEqual([])
    }

    test.each(LOOKS)(
      'are found, opened and explained by keyboard alone (%s)',
      async (name, colorScheme, viewport) => {
        const browser = await openBrowser({ viewport, colorScheme })
        const page = await pages.open(browser.context, '/fans', 'support')
        const box = page.getByRole('combobox', { name: 'Search fans' })
        await box.waitFor()
        await takeScreenshot(page, `fans-empty-${name}`)
        await judge(page, viewport.width, browser.complaints)
        // The screen gives the box the focus.
        await page.locator('[role=combobox]:focus').waitFor()
        await page.keyboard.type('mariana')
        await page.getByRole('option').first().waitFor()
        expect(await page.getByRole('status').filter({ hasText: 'found' }).textContent()).toBe('1 fan found')
        expect(await page.getByRole('option').textContent()).toContain('by beginning of the name')
        await takeScreenshot(page, `fans-found-${name}`)
        await judge(page, viewport.width, browser.complaints)
        expect(page.url()).toEndWith('/fans')
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: /Mariana Coelho/ }).waitFor()
        const words = type.replace('shop.', 'Shop ').replaceAll('-', ' ')
        const event = `\u2068${words}\u2069, reported by \u2068shop\u2069`
        await page.getByText(event).first().waitFor()
        await takeScreenshot(page, `fan-${name}`, { fullPage: true })
        await judge(page, viewport.width, browser.complaints)

        const details = page.getByRole('button', { name: `Details of ${event}` })
        await details.focus()
        await page.keyboard.press('Enter')
        await page.getByText('nothing: /amount is 500, must be gte 10000').waitFor()
        await takeScreenshot(page, `fan-explained-${name}`)
        await judge(page, viewport.width, browser.complaints)

        await page.getByLabel('Show', { exact: true }).selectOption('rewards')
        await page.getByText('Redeemed the reward', { exact: false }).first().waitFor()
        await page.waitForFunction(`!document.body.textContent.includes('reported by')`)
        expect(page.url()).toContain('kind=rewards')
        for (const tab of ['Points', 'Cards', 'Orders', 'Moderation', 'Record']) {
          await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click()
          await page.locator('.tab-panel :is(table, .timeline, .facts)').first().waitFor()
          await takeScreenshot(page, `fan-${tab.toLowerCase()}-${name}`)
          await judge(page, viewport.width, browser.complaints)
        }

        // Back shows the search as it was, from this page's memory.
        await page.getByRole('link', { name: 'Fans' }).first().click()
        await page.getByRole('option').first().waitFor()
        expect(await box.inputValue()).toBe('mariana')
        expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('mariana')
        await browser.close()
      },
    )

    test.each([
      ['desktop', 'light', { width: 1440, height: 900 }],
      ['phone', 'dark', { width: 390, height: 844 }],
    ] as const)('several get points with one reason (%s)', async (name, colorScheme, viewport) => {
      const several = [await namedFan(world), await namedFan(world), await namedFan(world)]
      const [first, second, third] = several.map(fan => fan.handle)
      const browser = await openBrowser({ viewport, colorScheme })
      const page = await pages.open(browser.context, '/fans', 'support')
      await page.getByRole('button', { name: 'Several fans' }).click()
      const dialog = page.getByRole('dialog')
      const box = dialog.getByLabel('Fans', { exact: true })
      await box.fill(`@${first}, nobody_at_all\n${second} ${third} ${first}`)
      await dialog.getByRole('button', { name: 'Find them' }).click()
      await dialog.getByText('nobody_at_all', { exact: true }).waitFor()
      await takeScreenshot(page, `several-missing-${name}`)
      await judge(page, viewport.width, browser.complaints)
      await box.fill(`@${first} ${second}\n${third} ${first}`)
      await dialog.getByRole('button', { name: 'Find them' }).click()
      await dialog.getByLabel('Points for each fan').fill('15')
      await dialog.getByLabel('Reason').fill('The bus was late.')
      await takeScreenshot(page, `several-grant-${name}`)
      await judge(page, viewport.width, browser.complaints)
      const failing = several[1]?.id
      await page.route(`**/api/fans/${failing}/grants`, route => route.abort(), { times: 1 })
      await dialog.getByRole('button', { name: 'Grant the points' }).click()
      await dialog.getByText('2 of 3 are done.').waitFor()
      // What is done is not repeated.
      await dialog.getByRole('button', { name: 'Try the other 1 again' }).click()
      await dialog.getByText('3 of 3 are done.').waitFor()
      await takeScreenshot(page, `several-done-${name}`)
      await judge(page, viewport.width, browser.complaints)
      for (const fan of several)
        expect(
          (await fan.get('/api/user/points')).body.entries.map((entry: { delta: number }) => entry.delta),
        ).toEqual([15])
      const { consoleAudit } = world.db.tables
      const rows = await world.db.read.select().from(consoleAudit)
      const own = rows.filter(row => several.some(({ id }) => id === row.subjectId))
      expect(own.map(({ operation, reason }) => [operation, reason])).toEqual(
        several.map(() => ['grantPointsToFan', 'The bus was late.']),
      )
      await browser.close()
    })

    test('Enter opens the fan of the text that was typed, not one of the text before', async () => {
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/fans', 'support')
      const answers = Promise.withResolvers<void>()
      await browser.context.route(/fans\?text=(none|.*mariana.coelho)/i, async route => {
        await answers.promise
        await route.continue()
      })
      const box = page.getByRole('combobox', { name: 'Search fans' })
      await box.fill('mariana')
      await page.getByRole('option').first().waitFor()
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('combobox', { name: 'Search fans and pages' })
      await palette.fill('mariana')
      await page
        .getByRole('option', { name: /Mariana/ })
        .last()
        .waitFor()
      await palette.fill('none')
      await palette.press('Enter')
      await palette.press('Escape')
      expect(page.url()).toEndWith('/fans')
      await box.fill('Mariana Coelho')
      await box.press('Enter')
      answers.resolve()
      await page.getByRole('heading', { name: /Mariana Coelho/ }).waitFor()
      expect(browser.complaints).toEqual([])
      await browser.close()
    })

    test.each([
      ['markup', MARKUP],
      ['right-to-left', RTL],
      ['long', LONG],
    ])('with %s in every text are harmless', async (name, text) => {
      const { users, identities, lockers } = world.db.tables
      const hostile = await world.fan()
      const hostileId = (await hostile.post('/api/user/profile', { displayName: 'Before' })).body.id
      // As an import, an older version or a provider may have written them.
      await world.db.write(async tx => {
        const profile = {
          displayName: text,
          bio: text,
          country: text,
          locale: text,
          avatarUrl: text,
          handle: text,
        }
        await tx
          .update(users)
          .set({ ...profile, nameKey: `hostile ${name}` })
          .where(eq(users.id, hostileId))
        const mirror = { email: text, name: text, picture: text, emailVerified: false }
        await tx
          .insert(identities)
          .values({ userId: hostileId, ...mirror })
          .onConflictDoUpdate({ target: identities.userId, set: mirror })
        const at = tx.now()
        await tx
          .insert(lockers)
          .values({ userId: hostileId, title: text, theme: text, shelves: '[]', updatedAt: at })
        const event = { userId: hostileId, occurredAt: at, recordedAt: at }
        await tx.insert(tx.tables.events).values([
          {
            ...event,
            source: text,
            eventId: text,
            sequence: 1,
            type: text,
            data: JSON.stringify({ text }),
          },
          {
            ...{
              ...event,
              source: 'matchday',
              eventId: `wallet ${name}`,
              sequence: 2,
              type: 'wallet.linked',
            },
            data: JSON.stringify({ address: text, chainId: 1 }),
          },
        ])
      })
      for (const viewport of LOOKS.map(([, , size]) => size)) {
        const browser = await openBrowser({ viewport })
        const page = await pages.open(browser.context, '/fans', 'support')
        await page.locator('[role=combobox]:focus').waitFor()
        await page.keyboard.type(`hostile ${name}`)
        await page.getByRole('option').first().waitFor()
        await takeScreenshot(page, `fans-hostile-${name}-${viewport.width}`)
        await judge(page, viewport.width, browser.complaints)
        await page.keyboard.press('Enter')
        await page.locator('.more-button').first().waitFor()
        for (const button of await page.locator('.more-button').all()) await button.click()
        await page.getByText('No rule listens').first().waitFor()
        await takeScreenshot(page, `fan-hostile-${name}-${viewport.width}`, { fullPage: true })
        await judge(page, viewport.width, browser.complaints)
        await page.getByRole('tab', { name: 'Record' }).click()
        await page.locator('.tab-panel .facts').first().waitFor()
        await judge(page, viewport.width, browser.complaints)
        await browser.close()
      }
    })

    test('a failed search is reported and can be repeated, and an unknown fan is reported', async () => {
      const browser = await openBrowser()
      const page = await pages.open(browser.context, '/fans', 'support')
      await page.route('**/api/fans?*', route => route.abort())
      await page.locator('[role=combobox]:focus').waitFor()
      await page.keyboard.type(handle)
      await page.getByText('The console cannot be reached').waitFor()
      await page.unroute('**/api/fans?*')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('option').first().waitFor()
      await page.getByRole('combobox').fill('nobody has this name')
      await page.getByText('No fan was found', { exact: true }).waitFor()
      await page.goto(`${pages.origin}/fans/nobody`)
      await page.getByText('No fan has this id.').waitFor()
      await browser.close()
    })

    test('a role without personal data sees masked texts, and one without fans.read no fans', async () => {
      const browser = await openBrowser()
      const page = await pages.open(browser.context, `/fans/${id}`, 'moderator')
      await page.getByRole('heading', { name: /Mariana Coelho/ }).waitFor()
      const { identities } = world.db.tables
      const [mirror] = await world.db.read.select().from(identities).where(eq(identities.userId, id))
      const email = mirror?.email ?? 'none'
      const shown = await page.textContent('body')
      expect(shown).not.toContain(email)
      expect(shown).toContain(`${email[0]}…@`)
      await browser.close()
      const editor = await openBrowser()
      const refused = await pages.open(editor.context, '/fans', 'editor', 'Edi')
      await refused.getByText('Your role does not open this page').waitFor()
      await editor.close()
    })
  })
})
