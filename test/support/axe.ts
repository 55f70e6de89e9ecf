/** Accessibility of a page in the browser, as axe-core judges it. */
import { expect } from 'bun:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Each serious or critical violation with the elements that it is about; `within` the element of a selector, if given. */
export async function findSerious(page: Page, within?: string): Promise<string[]> {
  // A color on its way to another is of neither state.
  await page.evaluate(
    `Promise.all(document.getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
      .map(({ finished }) => finished.catch(() => {})))`,
  )
  // By the debugger, which the page's policy does not bind.
  await page.evaluate(axe.source)
  const violations = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
    `axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 4)
          .map(({ html }) => html.slice(0, 160))
          .join(' | ')}`,
    )
}

interface Look {
  colorScheme: 'light' | 'dark'
  width: number
}

/** A page of text has no serious barrier, has the colors of its scheme, and does not scroll sideways. */
export async function expectReadable(page: Page, name: string, { colorScheme, width }: Look): Promise<void> {
  expect(await findSerious(page), name).toEqual([])
  const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
  expect(background).toBe(colorScheme === 'dark' ? 'rgb(13, 20, 17)' : 'rgb(246, 248, 245)')
  const scrolled = await page.evaluate<number>('document.documentElement.scrollWidth')
  expect(scrolled, name).toBeLessThanOrEqual(width)
}
