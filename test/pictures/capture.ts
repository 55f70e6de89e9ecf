/** A picture of what a page shows when it has come to rest. */
import type { Page } from 'playwright-core'

/** Waits until nothing loads or moves. */
export async function settle(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  await page.evaluate(`(async () => {
    scrollTo(0, 0)
    if (!document.querySelector('dialog[open]')) document.activeElement?.blur()
    await document.fonts.ready
    const seen = [...document.images].filter(image => image.checkVisibility() && image.getBoundingClientRect().top < innerHeight)
    await Promise.all(seen.map(image => image.complete || new Promise(done => { image.onload = image.onerror = done })))
  })()`)
}

/** The visible part as WebP, which Playwright itself does not make. */
export async function capture(page: Page, quality: number): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
  await session.detach()
  return Buffer.from(data, 'base64')
}
