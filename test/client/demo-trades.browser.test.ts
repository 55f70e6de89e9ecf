/** Lockers, trades and the history of cards in the example app: from the board to a trade, a report and a block. */
import { describe, expect, test } from 'bun:test'
import { and, eq, ne } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { transferItems } from '../../src/play/packs/transfer-items.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser ? `Trades in the example app (skipped: ${noBrowser})` : 'Trades in the example app'

interface Item {
  collectibleId: string
  serialNumber: number
}

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo()

  async function call<T>(token: string, method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${demo.origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = response.status === 204 ? null : await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    // Guarantee of the cast: the API keeps to its document.
    return answer as T
  }

  /** Signs in as a fan with this handle and the cards of a pack. Returns the token, the session to come back with, and the cards. */
  async function enter(page: Page, fan: number, handle: string) {
    await page.evaluate(() => localStorage.clear())
    await page.goto(`${demo.origin}/demo`)
    await demo.signIn(page, fan)
    const token = await demo.readToken(page)
    await call(token, 'POST', '/api/user/onboarding', {})
    await call(token, 'POST', '/api/user/profile', { handle, displayName: `Fan ${handle}` })
    const purchase = await call<{ id: string }>(token, 'POST', '/api/packs/purchase', { packId: 'starter' })
    const { userPack } = await call<{ userPack: { id: string } }>(token, 'PUT', '/api/packs/purchase', {
      purchaseId: purchase.id,
    })
    const opened = await call<{ items: { id: string; serialNumber: number }[] }>(
      ...([token, 'POST', '/api/packs/open', { userPackId: userPack.id }] as const),
    )
    const items = opened.items.map(({ id, serialNumber }) => ({ collectibleId: id, serialNumber }))
    const session = await page.evaluate(() => localStorage.getItem('matchday session') ?? '')
    return { token, session, items }
  }

  const become = (page: Page, { session }: { session: string }) =>
    page.evaluate(kept => localStorage.setItem('matchday session', kept), session)
  const open = (page: Page, path: string) => page.goto(`${demo.origin}/demo${path}`)
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const press = (page: Page, name: string) => button(page, name).press('Enter')
  const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).press('Enter')

  /** The copies on the shelves of a locker, in order. */
  const readShelf = async (token: string) => {
    const { shelves } = await call<{ shelves: { items: Item[] }[] }>(token, 'GET', '/api/user/locker')
    return shelves.map(({ items }) =>
      items.map(({ collectibleId, serialNumber }) => ({ collectibleId, serialNumber })),
    )
  }

  /** To another fan, as if by a trade. */
  const moveAway = ({ collectibleId, serialNumber }: Item) =>
    demo.db.write(async tx => {
      const { userItems, users } = tx.tables
      const isCopy = and(eq(userItems.collectibleId, collectibleId), eq(userItems.serialNumber, serialNumber))
      const [item] = await tx.select().from(userItems).where(isCopy)
      const fromId = item?.userId ?? ''
      const [other] = await tx.select().from(users).where(ne(users.id, fromId)).limit(1)
      const transfer = { collectibleId, serialNumber, fromId, toId: other?.id ?? '' }
      return transferItems(tx, [transfer], { ref: 'trade:other', restedAt: tx.now() })
    })

  test(
    'a fan fills a locker by keyboard, another follows, trades for a card of it, reports it and blocks the fan',
    async () => {
      const page = await demo.visit()
      const giver = await enter(page, 15, 'locker_fan')

      // The locker: cards from the list, in another order.
      await demo.open(page, 'Collection')
      await follow(page, 'Locker')
      await page.getByText('Your locker is empty').waitFor()
      await follow(page, 'Fill your locker')
      await page.getByLabel('Title', { exact: true }).fill('Harbour nights')
      await page.getByLabel('Pitch').check()
      await page.getByText('Choose cards (0 of 12)').press('Enter')
      const boxes = page.getByRole('checkbox')
      for (let nth = 0; nth < 3; nth++) await boxes.nth(nth).press('Space')
      await page.getByText('Choose cards (3 of 12)').waitFor()
      const last = page.getByRole('button', { name: /^Move forward/ }).nth(2)
      const moved = await last.getAttribute('aria-label')
      await last.press('Enter')
      expect(await page.evaluate<string>('document.activeElement.ariaLabel')).toBe(moved ?? '')
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-locker-edit', { fullPage: true })
      const writes: (string | undefined)[] = []
      page.on('request', request => {
        if (request.method() === 'PUT') writes.push(request.headers()['idempotency-key'])
      })
      await button(page, 'Save').dblclick()
      await page.getByRole('heading', { name: 'Harbour nights' }).waitFor()
      expect(writes).toEqual([expect.any(String)])
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await press(page, 'Share')
      await page.getByText('Link copied').waitFor()
      const shared = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(shared).toBe(`${demo.origin}/lockers/locker_fan?lang=en`)
      expect(await (await fetch(shared)).text()).toContain('Harbour nights')
      const [shelf = []] = await readShelf(giver.token)
      expect(shelf).toHaveLength(3)
      expect(shelf.map(copy => `${copy.collectibleId}:${copy.serialNumber}`).toSorted()).toEqual(
        giver.items.map(copy => `${copy.collectibleId}:${copy.serialNumber}`).toSorted(),
      )

      // Another fan: follows from the board, opens the locker, and asks for a card of it.
      const asker = await enter(page, 16, 'asking_fan')
      await demo.open(page, 'Leaderboard')
      const row = page.getByRole('link', { name: 'Fan locker_fan' })
      await row.or(button(page, 'Show me')).first().waitFor()
      if (!(await row.isVisible())) await press(page, 'Show me')
      await row.press('Enter')
      await press(page, 'Follow')
      await button(page, 'Unfollow').waitFor()
      await page.getByRole('link', { name: /^Harbour nights/ }).press('Enter')
      await page.getByRole('heading', { name: 'Locker of Fan locker_fan' }).waitFor()
      await page.getByRole('link', { name: /No\. / }).first().press('Enter')
      await page.getByText('History verified in this browser').waitFor()
      await page.getByText('Drawn from a pack').waitFor()
      await follow(page, 'Offer a trade for it')
      const give = page.locator('section', { has: page.getByRole('heading', { name: 'You give' }) })
      await give.getByRole('checkbox').first().press('Space')
      await page.getByText('You give 1 card, you get 1 card').waitFor()
      await takeScreenshot(page, 'demo-offer', { fullPage: true })
      await press(page, 'Send the offer')
      await button(page, 'Cancel the offer').waitFor()

      // The other fan learns of it, reads which items are traded, and accepts.
      await become(page, giver)
      await open(page, '')
      await page.getByRole('link', { name: '1 offer waits for your answer' }).press('Enter')
      await page.getByRole('link', { name: /^Offer from/ }).press('Enter')
      await page.getByText(/^Expires in/).waitFor()
      await press(page, 'Accept')
      const dialog = page.getByRole('dialog', { name: 'Accept this trade?' })
      await dialog.getByText(/^You get .*, No\. \d+$/).waitFor()
      await dialog.getByText(/^You give .*, No\. \d+$/).waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-trade-confirm')
      await dialog.getByRole('button', { name: 'Accept' }).press('Enter')
      await page.getByText(/^Completed\. The cards have their new owners/).waitFor()
      const [left = []] = await readShelf(giver.token)
      expect(left).toHaveLength(2)

      // A set counts what the fan has now.
      const { sets } = await call<{ sets: { name: string; owned: number; total: number }[] }>(
        ...([giver.token, 'GET', '/api/user/sets'] as const),
      )
      await follow(page, 'See your collection')
      await follow(page, 'Sets')
      for (const { name, owned, total } of sets) {
        const set = page.locator('article', { has: page.getByRole('heading', { name }) })
        await set.getByText(`${owned} of ${total}`).waitFor()
        expect(await set.getByText('Missing').count()).toBe(total - owned)
      }

      // The received item cannot be traded yet, its history has a new link, and the trade can be reported.
      await become(page, asker)
      await open(page, '/trades')
      await page.getByText(/^Completed/).waitFor()
      const [asked] = shelf
      await open(page, `/cards/${asked?.collectibleId}/${asked?.serialNumber}`)
      await page.getByText('Traded').waitFor()
      await page.getByText('This card is yours.').waitFor()
      await open(page, '/fans/locker_fan/trade')
      await page.getByRole('heading', { name: 'You give' }).waitFor()
      const own = give.getByRole('checkbox')
      for (let nth = 0; nth < (await own.count()); nth++) await own.nth(nth).press('Space')
      await press(page, 'Send as a gift')
      await page
        .getByRole('alert')
        .getByText(/was traded recently\. It can be traded again from/)
        .waitFor()
      await open(page, '/fans/locker_fan/locker')
      await page.getByText('Report', { exact: true }).click()
      await press(page, 'Send the report')
      await page.getByText('Thank you. The club will look at it.').waitFor()
      const { reports } = await call<{ reports: object[] }>(asker.token, 'GET', '/api/user/reports')
      expect(reports).toMatchObject([{ subject: { kind: 'locker', id: 'locker_fan' } }])
      await open(page, '/fans/locker_fan')
      await press(page, 'Block')
      await page.getByText('You have blocked this fan.').waitFor()
      for (const path of ['/fans/locker_fan/locker', '/fans/locker_fan/trade']) {
        await open(page, path)
        await page.getByText('There is no such fan, or they are hidden from you.').waitFor()
      }
      await open(page, '/trades')
      await page.getByText('No trades yet.').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an offer that changed, or whose card has left, is shown as it is now, and a new one appears by itself',
    async () => {
      const page = await demo.visit()
      const maker = await enter(page, 17, 'maker_fan')
      const [first, second, third] = maker.items
      if (!first || !second || !third) throw new Error('a starter pack has three cards')
      await enter(page, 18, 'taker_fan')
      const offer = (item: Item) =>
        call<{ id: string }>(maker.token, 'POST', '/api/trades', { to: 'taker_fan', give: [item] })
      const { id } = await offer(first)
      await open(page, '/trades')
      await page.getByRole('link', { name: /^Offer from/ }).press('Enter')
      await button(page, 'Accept').waitFor()
      await call(maker.token, 'POST', `/api/trades/${id}/cancel`, {})
      await press(page, 'Accept')
      await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).press('Enter')
      await page.getByRole('alert').getByText('The offer has changed.').waitFor()
      await page.getByText('Cancelled. No cards were exchanged.').waitFor()
      expect(await button(page, 'Accept').count()).toBe(0)
      await open(page, '/trades')
      await page.getByText(/^Cancelled/).waitFor()
      await offer(second)
      await page.getByRole('heading', { name: 'Waiting for you' }).waitFor()
      await page
        .getByRole('link', { name: /^Offer from/ })
        .first()
        .press('Enter')
      await page.getByText('Report', { exact: true }).click()
      await press(page, 'Send the report')
      await page.getByText('Thank you. The club will look at it.').waitFor()
      await press(page, 'Decline')
      await page.getByText('Declined. No cards were exchanged.').waitFor()

      // A card that has left voids the offer.
      await offer(third)
      await open(page, '/trades')
      await page
        .getByRole('link', { name: /^Offer from/ })
        .first()
        .press('Enter')
      await button(page, 'Accept').waitFor()
      await moveAway(third)
      await press(page, 'Accept')
      await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).press('Enter')
      await page.getByRole('alert').getByText('A card in this offer has another owner now.').waitFor()
      await page.getByText(/^Void: a card had another owner/).waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )
})
