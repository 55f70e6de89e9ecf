/** Addresses of screens: links, Back, and the address that is shown. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

const BASE = '/demo'
const CHANGE = 'matchday navigation'

/** Where the entries of the history were scrolled to, for Back. */
const scrolled = new Map<string, number>()
let entry = entryOf(history.state)

function entryOf(state: { entry?: string } | null): string {
  return state?.entry ?? 'first'
}

/** Before anything is drawn for another entry of the history. */
function leaveEntry(): void {
  scrolled.set(entry, scrollY)
  entry = entryOf(history.state)
}

// The browser would scroll before the screen is drawn.
history.scrollRestoration = 'manual'
addEventListener('popstate', leaveEntry)

/** Scrolls to the top of a new screen, or to its last position. */
export const restoreScroll = () => scrollTo(0, scrolled.get(entry) ?? 0)

/** Draws again after each navigation. */
function useNavigation(): void {
  const [, draw] = useState({})
  // Before the paint: a navigation before the listeners are there would be lost.
  useLayoutEffect(() => {
    const update = () => draw({})
    addEventListener('popstate', update)
    addEventListener(CHANGE, update)
    return () => {
      removeEventListener('popstate', update)
      removeEventListener(CHANGE, update)
    }
  }, [])
}

/** The parts of the address after `/demo`: `['rewards', 'home-shirt']`. */
export function useRoute(): string[] {
  useNavigation()
  return location.pathname
    .slice(BASE.length)
    .split('/')
    .filter(part => part !== '')
    .map(decodeURIComponent)
}

/** The view of a screen in its address, such as a filter, and a function that changes it. The first value is the default. */
export function useView<T extends string>(
  name: string,
  values: readonly [T, ...T[]],
): [T, (value: T) => void] {
  useNavigation()
  const written = new URLSearchParams(location.search).get(name)
  const value = values.find(one => one === written) ?? values[0]
  const change = (next: T) => {
    const query = new URLSearchParams(location.search)
    if (next === values[0]) query.delete(name)
    else query.set(name, next)
    const text = query.toString()
    history.replaceState(history.state, '', location.pathname + (text && `?${text}`))
    dispatchEvent(new Event(CHANGE))
  }
  return [value, change]
}

export const addressOf = (...parts: string[]) => [BASE, ...parts.map(encodeURIComponent)].join('/')

/** Of a path of the API, such as `/matches/derby`. */
export const addressIn = (path: string) => BASE + path

export function navigate(address: string): void {
  if (address === location.pathname + location.search) return
  history.pushState({ entry: crypto.randomUUID() }, '', address)
  // The place of the entry that was left.
  leaveEntry()
  dispatchEvent(new Event(CHANGE))
}

interface LinkProps {
  to: string
  /** Before the screen changes. */
  onFollow?: (() => void) | undefined
  class?: string
  'aria-label'?: string
  'aria-current'?: 'page' | undefined
  children: ComponentChildren
}

/** A link of the app. With a modifier key the browser opens it as usual. */
export function Link({ to, onFollow, children, ...others }: LinkProps) {
  const follow = (event: MouseEvent) => {
    onFollow?.()
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a href={to} onClick={follow} {...others}>
      {children}
    </a>
  )
}
