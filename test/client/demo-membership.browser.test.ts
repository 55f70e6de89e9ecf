/** Member cards and status in the example app: with a network, without one, and after the session. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Database } from '../../db/index.ts'
import { generateFans } from '../../mock-idp/users/generate-fans.ts'
import { accountKind } from '../../src/economy/accounts/account-kind.ts'
import { writeEvent } from '../../src/economy/events/record-event.ts'
import { upsertRule } from '../../src/economy/rules/rule-kind.ts'
import { ensureUser } from '../../src/identity/users/callers.ts'
import { membershipKind } from '../../src/play/memberships/membership-kind.ts'
import { writeMembership } from '../../src/play/memberships/memberships.ts'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser
  ? `Membership in the example app (skipped: ${noBrowser})`
  : 'Membership in the example app'

/** Of the mock provider. The first and the last have season tickets, and the last deletes the account. */
const [FAN, OTHER, LEAVING] = [6, 5, 4]
const PROVIDER = 'mock-idp'
const STORED = 'matchday member cards'
const AS_OF = /^As of \d/
const fans = generateFans({ seed: 1, count: 40 })

async function prepare(db: Database) {
  const subject = fans[FAN]?.sub ?? ''
  await db.write(tx =>
    membershipKind.upsert(tx, {
      id: 'season-ticket',
      name: { en: 'Season ticket', ar: 'تذكرة الموسم' },
      benefits: ['Priority for away games'],
    }),
  )
  await db.write(tx =>
    accountKind.upsert(tx, {
      ...{ id: 'status', name: { en: 'Status points', ar: 'نقاط المكانة' } },
      ...{ unit: { en: 'points', ar: 'نقطة' }, window: null, public: true },
      tiers: [
        {
          id: 'silver',
          name: { en: 'Silver', ar: 'فضي' },
          from: 100,
          benefits: ['A drink at each home game'],
        },
        { id: 'gold', name: { en: 'Gold', ar: 'ذهبي' }, from: 200 },
      ],
    }),
  )
  await db.write(tx =>
    upsertRule(tx, {
      ...{ id: 'attended', name: 'At a home game', eventType: 'gate.scan', account: 'status' },
      points: { per: '/points', every: 1, points: 1 },
    }),
  )
  const earn = (of: string, points: number) =>
    db.write(async tx => {
      const { user } = await ensureUser(tx, { provider: PROVIDER, subject: of })
      const event = { source: 'gate', eventId: `scan-${of}`, userId: user.id, type: 'gate.scan' }
      await writeEvent(tx, { ...event, occurredAt: tx.now(), data: { points } })
    })
  await earn(subject, 140)
  for (let nth = 0; nth < 40; nth++) await earn(`crowd-${nth}`, 10 + ((nth * nth) % 250))
  const addTicket = (ref: string, of: string) =>
    db.write(tx =>
      writeMembership(tx, { provider: PROVIDER }, ref, {
        ...{ fan: { provider: PROVIDER, subject: of }, kindId: 'season-ticket', number: '004711' },
        ...{ holder: 'Ada Okafor', startsAt: '2026-01-01T00:00:00Z', endsAt: '2046-01-01T00:00:00Z' },
      }),
    )
  await addTicket('ST-0042', subject)
  await addTicket('ST-0043', fans[LEAVING]?.sub ?? '')
}

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(prepare)
  const readKept = (page: Page) =>
    page.evaluate<string | null>(`localStorage.getItem(${JSON.stringify(STORED)})`)

  test(
    'the card is there without a network, with its age, and the status with the place among all fans',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, FAN)
      await page.getByRole('link', { name: 'Season ticket · Silver' }).click()
      await page.getByText('Ada Okafor').waitFor()
      await page.getByText('60 points to Gold').waitFor()
      await page.getByRole('img', { name: 'How many fans have how much' }).waitFor()
      await page.getByText(/fans? of 41 in higher bands/).waitFor()
      await page.getByText('A drink at each home game').waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-membership', { fullPage: true })
      await page.getByRole('link', { name: 'How it was earned' }).click()
      await page.getByText('At a home game').waitFor()
      expect(await findSerious(page)).toEqual([])
      await page.evaluate('navigator.serviceWorker.ready')
      await page.evaluate('caches.keys()')

      await page.context().setOffline(true)
      await page.goto(`${demo.origin}/demo`)
      await page.getByRole('status').getByRole('link', { name: 'Membership' }).click()
      await page.getByText('Ada Okafor').waitFor()
      await page.getByText('004711').first().waitFor()
      await page.getByText(AS_OF).waitFor()
      await page.getByText('Show the code').click()
      await page.getByRole('img', { name: /^QR code of/ }).waitFor()
      expect(await page.getByText('60 points to Gold').count()).toBe(0)
      await takeScreenshot(page, 'demo-membership-offline', { fullPage: true })

      await page.goto(`${demo.origin}/demo/profile`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect(await readKept(page)).toBeNull()
      await page.context().setOffline(false)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan without a membership sees what is missing, and keeps no card',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, OTHER)
      await demo.open(page, 'Membership')
      await page.getByText('100 points to Silver').waitFor()
      expect((await readKept(page)) ?? '').not.toContain('holder')
      expect(await page.locator('.member-card').count()).toBe(0)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'the card goes with the account',
    async () => {
      const page = await demo.visit(
        { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
        '?lang=en',
      )
      await demo.signIn(page, LEAVING)
      await page.goto(`${demo.origin}/demo/membership?lang=ar`)
      await page.getByText('Ada Okafor').waitFor()
      await takeScreenshot(page, 'demo-membership-dark-ar', { fullPage: true })
      expect(await readKept(page)).toContain('Ada Okafor')
      await page.goto(`${demo.origin}/demo/profile/delete?lang=en`)
      await page.getByRole('textbox', { name: 'Type DELETE to continue' }).fill('DELETE')
      await page.getByRole('button', { name: 'Sign in again and delete' }).click()
      await demo.chooseFan(page, LEAVING)
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect(await readKept(page)).toBeNull()
    },
    BROWSER_TIMEOUT_MS,
  )
})
