/** Who supports what the example app shows, in each language, and nothing of a sponsor who is switched off. */
import { describe, expect, test } from 'bun:test'
import { sponsorKind } from '../../src/club/sponsors/sponsor-kind.ts'
import { findSerious } from '../support/axe.ts'
import { noBrowser, takeScreenshot } from '../support/browser.ts'
import { useDemo } from '../support/demo.ts'

const title = noBrowser
  ? `Sponsors in the example app (skipped: ${noBrowser})`
  : 'Sponsors in the example app'

describe.skipIf(noBrowser !== null)(title, () => {
  const demo = useDemo(async db => {
    await db.write(tx => sponsorKind.deactivate(tx, 'tideline-ferries'))
  })

  test('are named in tiles, and linked where the thing is shown', async () => {
    const page = await demo.visit()
    await demo.signIn(page, 20)
    await demo.open(page, 'Rewards')
    const tile = page.getByRole('link', { name: /Half-time tea/ })
    await tile.getByText('Presented by').waitFor()
    expect(await tile.locator('.presented').textContent()).toBe('Presented byNorthlight Energy')
    expect(
      await page
        .getByRole('link', { name: /away coach/ })
        .locator('.presented')
        .count(),
    ).toBe(0)
    await tile.press('Enter')
    const link = page.getByRole('link', { name: 'Northlight Energy' })
    expect(await link.getAttribute('href')).toBe('https://northlight-energy.example/')
    expect(await link.getAttribute('rel')).toBe('noreferrer')
    expect(await page.locator('.sponsor-logo').getAttribute('src')).toContain('sponsors-northlight-energy')
    expect(await findSerious(page)).toEqual([])
    await takeScreenshot(page, 'demo-sponsor')
    await demo.open(page, 'Packs')
    await page
      .getByRole('link', { name: /Derby day/ })
      .getByText('Presented by')
      .waitFor()
    for (const [lang, words] of [
      ['pt', 'Apresentado por'],
      ['pt-BR', 'Apresentado por'],
      ['ar', 'برعاية'],
    ]) {
      await page.goto(`${demo.origin}/demo/packs?lang=${lang}`)
      await page
        .locator('.presented')
        .getByText(words ?? '')
        .waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    await takeScreenshot(page, 'demo-sponsor-ar')
  })
})
