/** A fan of the example app asks for the file with their data, waits for it, and downloads it. */
import { describe, expect, test } from 'bun:test'
import { findSerious } from '../support/axe.ts'
import { BROWSER_TIMEOUT_MS, noBrowser, takeScreenshot } from '../support/browser.ts'
import { PHONE, useDemo } from '../support/demo.ts'

const title = noBrowser ? `The file of a fan (skipped: ${noBrowser})` : 'The file of a fan in the example app'

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo()

  test(
    'is asked for with the keyboard, and downloaded when it is ready',
    async () => {
      const page = await demo.visit()
      await page.setViewportSize(PHONE)
      await demo.signIn(page, 21)
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'You' }).press('Enter')
      await page.getByRole('button', { name: 'Ask for the file', exact: true }).press('Enter')
      const download = page.getByRole('button', { name: 'Download the file', exact: true })
      await download.waitFor()
      expect(await findSerious(page)).toEqual([])
      await takeScreenshot(page, 'demo-data-file')
      const [file] = await Promise.all([page.waitForEvent('download'), download.press('Enter')])
      expect(file.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.json$/)
      const written = await Bun.file(await file.path()).json()
      const headers = { authorization: `Bearer ${await demo.readToken(page)}` }
      const own = await fetch(`${demo.origin}/api/user/profile`, { headers })
      expect(await own.json()).toMatchObject({ id: written.profile.id })
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    },
    BROWSER_TIMEOUT_MS,
  )
})
