/** The example app as a fan uses it: on a phone, in a real browser, against the API and the mock provider. */
import { describe, expect, test } from 'bun:test'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { isRead, PHONE, useDemo } from '../support/demo.ts'
import { expectTexts } from '../support/expect-texts.ts'
import { waitUntil } from '../support/wait-until.ts'

const title = noBrowser ? `The example app (skipped: ${noBrowser})` : 'The example app'

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo()
  const SALE_IN_MS = 5 * 60_000

  test.each(['light', 'dark'] as const)(
    'a new fan joins, chooses a team, buys a pack, verifies its draw and sees the cards (%s)',
    async colorScheme => {
      const page = await demo.visit({ colorScheme })
      const reducedMotion = colorScheme === 'dark' ? 'reduce' : 'no-preference'
      await page.emulateMedia({ colorScheme, reducedMotion })
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `demo-welcome-${colorScheme}`)
      await demo.signIn(page, colorScheme === 'light' ? 20 : 21)
      await page.getByRole('button', { name: 'Join and get your first points' }).click()
      await page.getByTestId('points').getByText('100').waitFor()
      await page.getByRole('button', { name: 'Harbour City FC' }).click()
      await page.getByText('Choose your team').waitFor({ state: 'detached' })
      const colour = "document.documentElement.style.getPropertyValue('--team')"
      await waitUntil('the colours of the team', () => page.evaluate(`${colour} === '#0b3d91'`))
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `demo-home-${colorScheme}`)

      await demo.open(page, 'Packs')
      await page.getByRole('link', { name: /Starter pack/ }).click()
      const buy = page.getByRole('button', { name: 'Buy for 100 points and open Starter pack' })
      await buy.press('Enter')
      // Nothing is bought before the fan has seen the price, and Escape leads back to the button.
      const question = page.getByRole('dialog', { name: 'Buy Starter pack?' })
      expect(await question.locator('dd').allTextContents()).toEqual(['100', '100', '0'])
      expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Cancel')
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `demo-confirm-${colorScheme}`)
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'detached' })
      expect(await page.evaluate<string>('document.activeElement.ariaLabel')).toStartWith(
        'Buy for 100 points',
      )
      await page.keyboard.press('Enter')
      await question.getByRole('button', { name: 'Buy for 100 points' }).press('Enter')
      await page.getByText('Draw verified in this browser').waitFor()
      expect(await page.getByText(/^No\. \d+$/).count()).toBe(3)
      const turning = await page.evaluate<number>(
        "[...document.querySelectorAll('*')].filter(one => getComputedStyle(one).animationName === 'turn-over').length",
      )
      expect(turning).toBe(reducedMotion === 'reduce' ? 0 : 3)
      // Cards that are turning have less contrast.
      await page.evaluate(
        'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => null)',
      )
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `demo-packs-${colorScheme}`)

      // The cards and their proof have addresses of their own.
      const names = await page.locator('.cards strong').allTextContents()
      await page.reload()
      await page.getByText('Draw verified in this browser').waitFor()
      await expectTexts(page.locator('.cards strong'), names)
      await page.getByRole('link', { name: 'See the proof' }).press('Enter')
      await page.getByRole('heading', { name: 'Proof of the draw' }).waitFor()
      await expectTexts(page.getByRole('list').first().getByRole('listitem'), names)
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, `demo-proof-${colorScheme}`, { fullPage: true })
      await page.reload()
      await page.getByRole('link', { name: 'Download the proof' }).waitFor()
      await demo.open(page, 'Packs')
      await page.getByRole('link', { name: /^See the cards of Starter pack, opened on / }).press('Enter')
      await page.getByText('Draw verified in this browser').waitFor()

      await page.getByRole('link', { name: 'See your collection' }).click()
      await page.getByRole('heading', { name: 'Collection' }).waitFor()
      await page.getByRole('listitem').first().waitFor()
      await demo.open(page, 'Points')
      await page.getByText('Bought a pack').waitFor()
      await page.getByText('Welcome to the club').waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a claimed reward is redeemed by keyboard alone, its code is shown and copied, and a quest is completed and claimed',
    async () => {
      const page = await demo.visit()
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await demo.signIn(page, 22)
      await page.getByRole('button', { name: 'Join and get your first points' }).press('Enter')
      await page.getByTestId('points').getByText('100').waitFor()
      await demo.open(page, 'Rewards')
      await page.getByRole('link', { name: /Anthem ringtone/ }).press('Enter')
      await page.getByRole('button', { name: 'Claim Anthem ringtone' }).press('Enter')
      const redeem = page.getByRole('button', { name: 'Redeem Anthem ringtone' })
      await redeem.press('Enter')
      const question = page.getByRole('dialog', { name: 'Redeem Anthem ringtone?' })
      await question.getByText('this cannot be undone').waitFor()
      await question.getByRole('button', { name: 'Cancel' }).press('Enter')
      await redeem.press('Enter')
      await question.getByRole('button', { name: 'Redeem now' }).press('Enter')
      const code = await page.locator('code').textContent()
      expect(code).toMatch(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/)
      const bar = page.getByRole('navigation', { name: 'Pages' })
      for (const viewport of [{ width: 320, height: 568 }, PHONE]) {
        await page.setViewportSize(viewport)
        const picture = await page.getByRole('img', { name: 'QR code of Anthem ringtone' }).boundingBox()
        if (!picture) throw new Error('no QR code')
        expect(picture.width).toBeLessThanOrEqual(viewport.width)
        expect(picture.y).toBeGreaterThanOrEqual(0)
        expect(picture.y + picture.height).toBeLessThanOrEqual((await bar.boundingBox())?.y ?? 0)
      }
      await page.getByRole('button', { name: 'Copy the code' }).press('Enter')
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(code as string)
      // Where the browser refuses to copy.
      await page.context().clearPermissions()
      await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))")
      await page.getByRole('button', { name: 'Copied' }).press('Enter')
      await page.getByRole('status').getByText('Copying is not allowed here.').waitFor()
      expect(await page.evaluate<string>('String(getSelection())')).toBe(code as string)
      expect(await findSerious(page)).toEqual([])
      // The claim has completed a quest.
      await demo.open(page, 'Quests')
      await page.getByRole('button', { name: 'Claim Something for nothing' }).press('Enter')
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Something for nothing' })
        .getByText('Claimed')
        .waitFor()
      expect(await findSerious(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'points that arrive elsewhere appear without a reload',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 19)
      await page.getByTestId('points').getByText('0').waitFor()
      const response = await fetch(`${demo.origin}/api/user/onboarding`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await demo.readToken(page)}` },
      })
      expect(response.status).toBe(200)
      await page.getByTestId('points').getByText('100').waitFor()
      await page.getByRole('button', { name: 'Join and get' }).waitFor({ state: 'detached' })
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a sale that starts while its pack is shown opens without a reload',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 18)
      await page.getByRole('button', { name: 'Join and get your first points' }).press('Enter')
      await page.getByTestId('points').getByText('100').waitFor()
      await page.clock.install()
      const startsAt = new Date(Date.now() + SALE_IN_MS).toISOString()
      let active = false
      await page.route('**/api/packs/starter?*', async route => {
        const response = await route.fetch()
        await route.fulfill({ json: { ...(await response.json()), active, startsAt } })
      })
      await demo.open(page, 'Packs')
      await page.getByRole('link', { name: /Starter pack/ }).press('Enter')
      await page.getByText(/^On sale from /).waitFor()
      expect(await page.getByRole('button', { name: /^Buy/ }).count()).toBe(0)
      active = true
      await page.clock.fastForward(SALE_IN_MS)
      await page.getByRole('button', { name: /^Buy for 100 points/ }).waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a link works before the first paint of the page',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 15)
      const content = `new MutationObserver((_, observer) => {
        const link = document.querySelector('a[href="/demo/packs"]')
        if (!link) return
        observer.disconnect()
        link.click()
      }).observe(document, { childList: true, subtree: true })`
      await page.addInitScript({ content })
      await page.reload()
      await page.getByRole('heading', { name: 'Packs', level: 1 }).waitFor()
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'each screen has an address: a link to one opens it, and Back returns to the previous one',
    async () => {
      const page = await demo.visit({}, '/rewards/home-shirt')
      await demo.signIn(page, 15)
      // The address that the fan came for, after the way to the provider.
      await page.getByRole('heading', { name: 'Home shirt' }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/demo/rewards/home-shirt')
      expect(new URL(page.url()).search).toBe('')
      await demo.open(page, 'Leaderboard')
      await page.getByRole('heading', { name: 'Leaderboard' }).waitFor()
      expect(await page.title()).toBe('Leaderboard · Matchday')
      await page.goBack()
      await page.getByRole('navigation', { name: 'More' }).waitFor()
      await page.goBack()
      await page.getByRole('heading', { name: 'Home shirt' }).waitFor()
      await page.goForward()
      await page.goForward()
      await page.reload()
      await page.getByRole('heading', { name: 'Leaderboard' }).waitFor()
      await page.goto(`${demo.origin}/demo/nowhere`)
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
      await page.goto(`${demo.origin}/demo/packs/nothing`)
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor()

      // A filter is in the address, and Back returns to where the screen was left.
      await demo.open(page, 'Rewards')
      await page.getByRole('button', { name: 'Mine' }).press('Enter')
      await page.waitForURL('**/demo/rewards?show=mine')
      await page.reload()
      await page.getByRole('button', { name: 'Mine', pressed: true }).waitFor()
      await page.getByRole('button', { name: 'All' }).press('Enter')
      await page.waitForURL('**/demo/rewards')
      const shirt = page.getByRole('link', { name: /Home shirt/ })
      await shirt.focus()
      const left = await page.evaluate<number>('scrollY')
      expect(left).toBeGreaterThan(200)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Home shirt' }).waitFor()
      expect(await page.evaluate<number>('scrollY')).toBe(0)
      await page.goBack()
      await shirt.waitFor()
      expect(await page.evaluate<number>('scrollY')).toBe(left)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a new screen has the focus as soon as it is there, so that no key is lost',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 14)
      const focused = await page.evaluate<string>(`new Promise(resolve => {
        new MutationObserver(() => {
          if (location.pathname === '/demo/rewards' && document.querySelector('h1')?.textContent === 'Rewards')
            resolve(document.activeElement.id)
        }).observe(document.body, { childList: true, subtree: true, characterData: true })
        const link = document.querySelector('a[href="/demo/rewards"]')
        link.focus()
        link.click()
      })`)
      expect(focused).toBe('main')
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan writes a profile, which is shown with the language of the page',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 16)
      await demo.open(page, 'You')
      await page.getByLabel('Name', { exact: true }).fill('Ada of the north stand')
      await page.getByRole('button', { name: 'Bellavista CF' }).press('Enter')
      await page.getByRole('button', { name: 'Save' }).press('Enter')
      await page.getByText('Saved.').waitFor()
      await page.getByRole('heading', { name: 'Ada of the north stand' }).waitFor()
      const file = { name: 'me.png', mimeType: 'image/png', buffer: await page.screenshot() }
      await page.locator('input[type=file]').setInputFiles({ ...file, buffer: Buffer.from('no picture') })
      await page.getByRole('alert').getByText('This is not a picture').waitFor()
      await page.locator('input[type=file]').setInputFiles(file)
      await page.locator('main img.avatar[src^="/uploads/"]').waitFor()
      const width =
        "(image => image.decode().then(() => image.naturalWidth))(document.querySelector('main img.avatar'))"
      expect(await page.evaluate<number>(width)).toBeGreaterThan(0)
      await page.getByRole('button', { name: 'Remove the picture' }).press('Enter')
      await page.locator('main img.avatar[src^="/uploads/"]').waitFor({ state: 'detached' })
      await demo.open(page, 'Devices')
      await page.getByText('This device').waitFor()
      expect(await page.evaluate<string>('document.documentElement.dir')).toBe('ltr')
      expect(await findSerious(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test.each([
    ['Português', 'pt', 'ltr', 'Recompensas', 'Camisola principal'],
    ['Português (Brasil)', 'pt-BR', 'ltr', 'Prêmios', 'Camisa principal'],
    ['العربية', 'ar', 'rtl', 'المكافآت', 'القميص الأساسي'],
  ])(
    'a fan who chooses %s sees the app and the texts of the club in it',
    async (name, tag, dir, title, reward) => {
      const page = await demo.visit()
      await demo.signIn(page, 6)
      await page.goto(`${demo.origin}/demo/profile`)
      const choice = page.getByRole('combobox', { name: 'Language' })
      expect(await choice.locator('option').allTextContents()).toEqual([
        ...['English', 'Português', 'Português (Brasil)', 'العربية'],
      ])
      const reloaded = page.waitForEvent('load')
      await choice.selectOption({ label: name })
      await reloaded
      await page.goto(`${demo.origin}/demo/rewards`)
      await page.getByRole('heading', { name: title, exact: true }).waitFor()
      await page.getByText(reward).first().waitFor()
      const root = 'document.documentElement'
      expect(await page.evaluate<string[]>(`[${root}.lang, ${root}.dir]`)).toEqual([tag, dir])
      await takeScreenshot(page, `demo-rewards-${tag}`)
      await page.goto(`${demo.origin}/demo`)
      await isRead(page)
      await takeScreenshot(page, `demo-home-${tag}`)
      expect(await findSerious(page)).toEqual([])
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a fan deletes the account, after a typed word and a new sign-in as the same fan',
    async () => {
      const page = await demo.visit()
      await demo.signIn(page, 13)
      await page.getByRole('button', { name: 'Join and get your first points' }).press('Enter')
      await page.getByTestId('points').getByText('100').waitFor()
      const headers = { authorization: `Bearer ${await demo.readToken(page)}` }
      const confirm = async (word: string) => {
        await demo.open(page, 'You')
        await page.getByRole('link', { name: 'Delete your account' }).press('Enter')
        await page.getByRole('textbox', { name: 'Type DELETE to continue' }).fill(word)
      }
      await confirm('delete it')
      const go = page.getByRole('button', { name: 'Sign in again and delete' })
      expect(await go.isDisabled()).toBe(true)
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-delete')
      await confirm('delete')
      await go.press('Enter')
      await demo.chooseFan(page, 12)
      await page.getByRole('alert').getByText('You signed in as another fan. Nothing was deleted.').waitFor()
      await confirm('DELETE')
      await go.press('Enter')
      await demo.chooseFan(page, 13)
      await page.getByText('Your account is deleted.').waitFor()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect((await fetch(`${demo.origin}/api/dashboard`, { headers })).status).toBe(401)
    },
    BROWSER_TIMEOUT_MS,
  )

  test(
    'a sign-in that did not start in this tab is refused',
    async () => {
      const page = await demo.visit()
      await page.goto(`${demo.origin}/demo?code=stolen&state=x`)
      expect(await page.getByRole('alert').textContent()).toContain('did not start here')
      expect(page.url()).toBe(`${demo.origin}/demo`)
    },
    BROWSER_TIMEOUT_MS,
  )
})
