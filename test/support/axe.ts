/** Accessibility of a page in the browser, as axe-core judges it. */
import { expect } from 'bun:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { takeScreenshot } from './browser.ts'

const judgedElsewhere = new WeakSet<Page>()

/** For pages of a second engine: axe finds nothing more there, and takes a quarter of the time of their tests. */
export const judgeElsewhere = (page: Page) => void judgedElsewhere.add(page)

/** Each serious or critical violation with the elements that it is about; `within` the element of a selector, if given. */
export const findSerious = (page: Page, within?: string) => findOf(page, ['serious', 'critical'], within)

/** Each violation, of any impact. */
export const findAny = (page: Page) => findOf(page, ['minor', 'moderate', 'serious', 'critical'])

async function findOf(page: Page, impacts: string[], within?: string): Promise<string[]> {
  if (judgedElsewhere.has(page)) return []
  // Transitions are turned off: a color between two states would be a false finding.
  await page.evaluate(`(() => {
    const still = new CSSStyleSheet()
    still.replaceSync('*, ::before, ::after { transition: none !important }')
    document.adoptedStyleSheets = [still]
  })()`)
  await page.evaluate(
    `Promise.all(document.getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
      .map(({ finished }) => finished.catch(() => {})))`,
  )
  // By the debugger, which the page's policy does not bind.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source)
  const violations = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
    `(() => {
      const lesser = axe._audit.rules.filter(({ impact }) => !${JSON.stringify(impacts)}.includes(impact))
      const rules = Object.fromEntries(lesser.map(({ id }) => [id, { enabled: false }]))
      return axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, { resultTypes: ['violations'], rules })
    })().then(({ violations }) => violations)`,
  )
  await page.evaluate('document.adoptedStyleSheets = []')
  return violations
    .filter(({ impact }) => impacts.includes(impact))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 4)
          .map(({ html }) => html.slice(0, 160))
          .join(' | ')}`,
    )
}

/** By scheme the background and the widths; axe judges the first of each: as many elements, at another size. */
const LOOKS = [
  ['light', 'rgb(246, 248, 245)', [390, 1280, 320]],
  ['dark', 'rgb(13, 20, 17)', [1280, 390, 320]],
] as const

/**
 * A page of text has no serious barrier and the colors of its scheme, in light and dark, and scrolls sideways at no width.
 * It is loaded once: what depends on its size and scheme are its styles.
 */
export async function expectReadable(page: Page, name: string): Promise<void> {
  for (const [colorScheme, background, widths] of LOOKS) {
    await page.emulateMedia({ colorScheme })
    for (const width of widths) {
      const look = `${name}, ${colorScheme}, ${width} pixels wide`
      await page.setViewportSize({ width, height: 900 })
      await takeScreenshot(page, look.replaceAll(/\W+/g, '-'))
      if (width === widths[0]) expect(await findSerious(page), look).toEqual([])
      expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'), look).toBe(
        background,
      )
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), look).toBeLessThanOrEqual(
        width,
      )
    }
  }
}
