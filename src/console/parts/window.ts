/** The visible rows of a long list, in any scrolling element: the page, a dialog, a panel. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The value of `--row` in table.css. */
export const ROW_REM = 2.75
/** Rows rendered above and below the visible ones, so that fast scrolling shows no gap. */
const OVERSCAN = 10

interface RowWindow {
  first: number
  last: number
}

const rootSize = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)

/**
 * First and last row to render. Measured once per frame; rendered again only when another row comes into view. `list` must
 * be inside the scrolling element. `rowRem`: the height of a row.
 */
export function useWindow(
  list: RefObject<HTMLElement | null>,
  count: number,
  rowRem = ROW_REM,
): RowWindow & { rowHeight: number } {
  const [rowHeight] = useState(() => rowRem * rootSize())
  const [shown, setShown] = useState<RowWindow>({ first: 0, last: 0 })

  useLayoutEffect(() => {
    let frame = 0
    const measure = () => {
      frame = 0
      const box = list.current?.getBoundingClientRect()
      if (!box) return
      const top = Math.floor(-box.top / rowHeight)
      const bottom = Math.ceil((innerHeight - box.top) / rowHeight)
      const clamp = (index: number) => Math.max(0, Math.min(count - 1, index))
      const next = { first: clamp(top - OVERSCAN), last: clamp(bottom + OVERSCAN) }
      setShown(old => (old.first === next.first && old.last === next.last ? old : next))
    }
    const schedule = () => {
      frame ||= requestAnimationFrame(measure)
    }
    measure()
    // `scroll` does not bubble: captured here, it comes from any element.
    document.addEventListener('scroll', schedule, { capture: true, passive: true })
    addEventListener('resize', schedule)
    // Elements above the list move it: a notice that appears or disappears, a panel that opens.
    const sizes = new ResizeObserver(schedule)
    sizes.observe(document.body)
    return () => {
      cancelAnimationFrame(frame)
      document.removeEventListener('scroll', schedule, { capture: true })
      removeEventListener('resize', schedule)
      sizes.disconnect()
    }
  }, [list, count, rowHeight])

  return { first: Math.min(shown.first, count - 1), last: Math.min(shown.last, count - 1), rowHeight }
}

/** A row by its index, or a number of rows that are not in the document. */
type Drawn = { index: number } | { gap: number; before: number }

/** `kept`, such as the row with the focus, stays in the document while others scroll past it. */
export function drawnRows({ first, last }: RowWindow, count: number, kept: number | null): Drawn[] {
  const indexes = Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
  if (kept !== null && kept < first) indexes.unshift(kept)
  if (kept !== null && kept > last) indexes.push(kept)
  const drawn: Drawn[] = []
  let reached = 0
  for (const index of indexes) {
    if (index > reached) drawn.push({ gap: index - reached, before: reached })
    drawn.push({ index })
    reached = index + 1
  }
  if (reached < count) drawn.push({ gap: count - reached, before: reached })
  return drawn
}
