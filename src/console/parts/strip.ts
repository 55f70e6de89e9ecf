/** Strips of tabs and choices, which scroll on narrow screens. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

const CURRENT = '[aria-selected="true"], [aria-pressed="true"], [aria-current]'

/** For the strip, in which it keeps the current item in sight. `current`: what names that item. */
export function useStrip<Strip extends HTMLElement>(current: string): RefObject<Strip | null> {
  const strip = useRef<Strip>(null)
  useLayoutEffect(() => {
    const item = strip.current?.querySelector(CURRENT)
    if (!strip.current || !item) return
    const [frame, box] = [strip.current.getBoundingClientRect(), item.getBoundingClientRect()]
    if (box.left >= frame.left && box.right <= frame.right) return
    // Not by `scrollIntoView`, which also scrolls the page. From right to left, offsets are negative: a difference is right in both.
    strip.current.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2
  }, [current])
  return strip
}
