/** Strips of tabs that scroll sideways. */
import type { Page } from 'playwright-core'

/** The current items of strips that are scrolled out of sight. */
export const findHiddenTabs = (page: Page) =>
  page.evaluate<
    string[]
  >(`[...document.querySelectorAll('[aria-selected=true], [aria-pressed=true], [aria-current]')].flatMap(item => {
    const strip = item.closest('[role=tablist], nav, fieldset')
    if (!strip || !item.checkVisibility() || strip.scrollWidth <= strip.clientWidth) return []
    const [frame, box] = [strip.getBoundingClientRect(), item.getBoundingClientRect()]
    const isInSight = box.left >= frame.left - 1 && box.right <= frame.right + 1
    return isInSight || box.width > frame.width ? [] : [item.textContent]
  })`)
