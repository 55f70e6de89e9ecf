/** The inbox of the example app: empty, live, with marks on what is not read, and in each language on a narrow screen. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'
import { LONG_MESSAGES, writeInbox } from './layout-messages.ts'

const title = noBrowser
  ? `The inbox of the example app (skipped: ${noBrowser})`
  : 'The inbox of the example app'

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo()

  const isWide = (page: Page) =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

  async function check(page: Page, name: string) {
    expect(await findSerious(page)).toEqual([])
    expect(await isWide(page)).toBe(false)
    await takeScreenshot(page, `demo-inbox-${name}`, { fullPage: true })
  }

  async function idOf(page: Page): Promise<string> {
    const response = await fetch(`${demo.origin}/api/user/profile`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await demo.readToken(page)}`,
        'content-type': 'application/json',
      },
      body: '{}',
    })
    // Guarantee of the cast: the API keeps to its document.
    return ((await response.json()) as { id: string }).id
  }

  test(
    'a message arrives while the inbox is open, is marked until it is read, and opens what it is about',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 20)
      const id = await idOf(page)
      await demo.open(page, 'Inbox')
      await page.getByText('No messages yet.').waitFor()
      await check(page, 'empty')
      await writeInbox(demo.db, id, [
        { title: 'A reward waits', body: 'You can claim it.', url: '/rewards' },
        { title: 'Welcome', body: 'To the club.' },
      ])
      const marked = page.locator('.message.unread')
      await marked.getByText('Welcome').waitFor()
      expect(await marked.count()).toBe(2)
      expect(await page.locator('.message strong').allTextContents()).toEqual(['Welcome', 'A reward waits'])
      await check(page, 'unread')
      await demo.open(page, 'Home')
      await page.getByRole('link', { name: '2 new messages' }).press('Enter')
      await page.getByRole('link', { name: 'A reward waits' }).press('Enter')
      await page.getByRole('heading', { name: 'Rewards', level: 1 }).waitFor()
      await page.goBack()
      await page.getByText('1 new message', { exact: true }).waitFor()
      expect(await marked.locator('strong').allTextContents()).toEqual(['Welcome'])
      await page.getByRole('button', { name: 'Mark all as read' }).press('Enter')
      await marked.first().waitFor({ state: 'detached' })
      expect(await page.locator('.message').count()).toBe(2)
      expect(await page.getByRole('button', { name: 'Mark all as read' }).count()).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'long messages fit on a narrow screen in each language, also without messages',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 21)
      const id = await idOf(page)
      await page.setViewportSize({ width: 320, height: 640 })
      const languages = { en: 'Inbox', pt: 'Mensagens', 'pt-BR': 'Mensagens', ar: 'الرسائل' }
      for (const shown of ['empty', 'long']) {
        if (shown === 'long') await writeInbox(demo.db, id, LONG_MESSAGES)
        for (const [lang, name] of Object.entries(languages)) {
          await page.goto(`${demo.origin}/demo/inbox?lang=${lang}`)
          await page.getByRole('heading', { name, level: 1 }).waitFor()
          await page
            .locator(shown === 'empty' ? '.empty' : '.message.unread')
            .first()
            .waitFor()
          await check(page, `${shown}-${lang}`)
        }
      }
    },
    BROWSER_TIMEOUT_MS,
  )
})
