/** In the example app: decisions of the club about a fan, with their statements, and the appeal against them. */
import { describe, expect, test } from 'bun:test'
import { and, eq, isNull } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { decideAppeal } from '../../src/identity/sanctions/appeals.ts'
import { recordDecision } from '../../src/identity/sanctions/decisions.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { PHONE, useDemo } from '../support/demo.ts'

const title = noBrowser ? `Appeals in the example app (skipped: ${noBrowser})` : 'Appeals in the example app'
const WIDE = { width: 1440, height: 900 }
const FACTS = 'Three messages on 3 May insulted another fan.'
const WHY = 'I quoted what others wrote to me.'
const DAY_MS = 86_400_000

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo()

  /** Signs in, and answers the id of the fan. */
  async function enter(page: Page, fan: number, handle: string): Promise<string> {
    await demo.signIn(page, fan)
    const authorization = `Bearer ${await demo.readToken(page)}`
    const response = await fetch(`${demo.origin}/api/user/profile`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ handle }),
    })
    expect(response.ok).toBe(true)
    const { users } = demo.db.tables
    const [user] = await demo.db.read.select().from(users).where(eq(users.handle, handle))
    return user?.id ?? ''
  }

  const suspend = (fanId: string) =>
    demo.db.write(tx =>
      recordDecision(tx, {
        fanId,
        kind: 'suspend',
        until: new Date(Date.now() + DAY_MS),
        reason: 'harassment',
        facts: FACTS,
        decidedBy: 'Ana',
      }),
    )

  async function decide(fanId: string, granted: boolean) {
    const { appeals } = demo.db.tables
    const open = and(eq(appeals.fanId, fanId), isNull(appeals.decidedAt))
    const [appeal] = await demo.db.read.select().from(appeals).where(open)
    expect(appeal?.text).toBe(WHY)
    await demo.db.write(tx =>
      decideAppeal(tx, appeal?.id ?? '', { granted, reason: 'other', decidedBy: 'Bruno' }),
    )
  }

  async function check(page: Page, name: string) {
    expect(await findSerious(page)).toEqual([])
    expect(
      await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
    ).toBe(false)
    await takeScreenshot(page, `demo-sanctions-${name}`, { fullPage: true })
  }

  test(
    'a suspended fan reads why, appeals by keyboard, and sees that the appeal is granted',
    async () => {
      const page = await demo.visit({ colorScheme: 'dark', viewport: PHONE })
      const fanId = await enter(page, 15, 'appealing_fan')
      await suspend(fanId)
      await page.goto(`${demo.origin}/demo`)
      await page.getByRole('link', { name: 'Appeal' }).press('Enter')
      await page.getByRole('heading', { name: 'Decisions about your account' }).waitFor()
      await page.getByText(`The club states: ${FACTS}`).waitFor()
      await check(page, 'form')
      await page.getByLabel('Why the club should lift it').fill(WHY)
      await page.getByRole('button', { name: 'Send the appeal' }).press('Enter')
      await page.getByText('The club is reading your appeal.').waitFor()
      await page.getByText(WHY).waitFor()
      expect(await page.getByLabel('Why the club should lift it').count()).toBe(0)
      await check(page, 'sent')
      await decide(fanId, true)
      // The stream tells the page.
      await page.getByText('Your appeal was granted. The decision was lifted.').waitFor()
      await page.getByText(/^Lifted on /).waitFor()
      await page.goto(`${demo.origin}/demo`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.getByRole('link', { name: 'Appeal' }).count()).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan whose guardian does not agree reads why a write is refused',
    async () => {
      const page = await demo.visit()
      const fanId = await enter(page, 18, 'young_fan')
      const { users } = demo.db.tables
      const age = { ageBand: '13_15', guardianConsent: false }
      await demo.db.write(tx => tx.update(users).set(age).where(eq(users.id, fanId)))
      await page.goto(`${demo.origin}/demo/profile`)
      await page.getByLabel('Name', { exact: true }).fill('New name')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('alert').getByText('A parent or guardian has not agreed').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an appeal of another device is shown instead of an error, and a rejected one with the sanction in force',
    async () => {
      const page = await demo.visit({ viewport: WIDE }, '/account/sanctions')
      const fanId = await enter(page, 16, 'rejected_fan')
      await page.goto(`${demo.origin}/demo/account/sanctions`)
      await page.getByText('The club has decided nothing about your account.').waitFor()
      await check(page, 'none')
      await suspend(fanId)
      const text = page.getByLabel('Why the club should lift it')
      await text.waitFor()
      const [sanction] = await demo.db.read
        .select()
        .from(demo.db.tables.moderationDecisions)
        .where(eq(demo.db.tables.moderationDecisions.fanId, fanId))
      const elsewhere = await fetch(`${demo.origin}/api/user/appeals`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await demo.readToken(page)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ sanctionId: sanction?.id, text: WHY }),
      })
      expect(elsewhere.status).toBe(201)
      await text.fill('The same from here.')
      await page.getByRole('button', { name: 'Send the appeal' }).click()
      await page.getByText(WHY).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await decide(fanId, false)
      await page.getByText('Your appeal was rejected.').waitFor()
      await page.getByText(/^Your account is suspended until /).waitFor()
      await check(page, 'rejected')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'an Arabic fan reads and writes it from right to left',
    async () => {
      const page = await demo.visit({ viewport: PHONE })
      await suspend(await enter(page, 17, 'arabic_fan'))
      await page.goto(`${demo.origin}/demo/account/sanctions?lang=ar`)
      await page.getByRole('heading', { name: 'قرارات بشأن حسابك' }).waitFor()
      expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
      await check(page, 'ar-form')
      await page.getByLabel('لماذا ينبغي للنادي إلغاؤه').fill(WHY)
      await page.getByRole('button', { name: 'إرسال التظلّم' }).click()
      await page.getByText('ينظر النادي في تظلّمك.').waitFor()
      await check(page, 'ar-sent')
    },
    BROWSER_TIMEOUT_MS,
  )
})
