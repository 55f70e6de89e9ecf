/** Addresses of screens: links, Back, filters in the query, and the question before unsaved work is left. */
import { computed, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

const current = signal(location.pathname + location.search)

/** The parts of the address: `['fans', '0193…']`. */
export const route = computed(() => {
  const [path = ''] = current.value.split('?')
  return path
    .split('/')
    .filter(part => part !== '')
    .map(decodeURIComponent)
})

const query = computed(() => new URLSearchParams(current.value.split('?')[1] ?? ''))

export const addressOf = (...parts: string[]) => `/${parts.map(encodeURIComponent).join('/')}`

/** The name of unsaved work of the screen, and the address that waits for the decision to leave. */
export const unsaved = signal<string | null>(null)
export const waiting = signal<string | null>(null)

/** Where the entries of the history were scrolled to, for Back. */
const scrolled = new Map<string, number>()
const entryOf = (state: { entry?: string } | null) => state?.entry ?? 'first'
let entry = entryOf(history.state)

// The browser would scroll before the screen is drawn.
history.scrollRestoration = 'manual'

addEventListener('popstate', () => {
  const address = location.pathname + location.search
  // Another position on the same screen, for example by the link that skips to the content.
  if (address === current.value) return
  if (unsaved.value !== null) {
    // The browser has already moved: returns to the screen with unsaved work, and asks.
    history.pushState({ entry }, '', current.value)
    waiting.value = address
    return
  }
  scrolled.set(entry, scrollY)
  entry = entryOf(history.state)
  current.value = address
})
addEventListener('beforeunload', event => {
  if (unsaved.value !== null) event.preventDefault()
})

/** Goes to an address; with unsaved work on the screen, asks first. */
export function navigate(address: string, { replace = false } = {}): void {
  if (address === current.value) return
  if (unsaved.value !== null) {
    waiting.value = address
    return
  }
  if (replace) history.replaceState(history.state, '', address)
  else {
    scrolled.set(entry, scrollY)
    hasNavigated = true
    entry = crypto.randomUUID()
    history.pushState({ entry }, '', address)
  }
  current.value = address
}

/** The answer to the question about unsaved work. */
export function answerLeave(leave: boolean): void {
  const address = waiting.value
  waiting.value = null
  if (!leave || address === null) return
  unsaved.value = null
  navigate(address)
}

/** Asks before the screen is left while there is unsaved work; `what` names it: "Your changes of the reward". */
export function useUnsaved(what: string | null): void {
  useEffect(() => {
    unsaved.value = what
    return () => {
      unsaved.value = null
    }
  }, [what])
}

/** Whether the screen was reached from another one, and is not the first of the page. */
export let hasNavigated = false

/** Scrolls to the top of a new screen, or to the earlier position. */
export const restoreScroll = () => scrollTo(0, scrolled.get(entry) ?? 0)

/** A value in the query of the address, such as a search or a tab. It survives a reload and can be shared. */
export function useParameter(name: string, usual = ''): [string, (value: string) => void] {
  const value = query.value.get(name) ?? usual
  const change = (next: string) => {
    const written = new URLSearchParams(query.peek())
    if (next === usual) written.delete(name)
    else written.set(name, next)
    const text = written.toString()
    const [path = '/'] = current.peek().split('?')
    const address = text === '' ? path : `${path}?${text}`
    history.replaceState(history.state, '', address)
    current.value = address
  }
  return [value, change]
}

/** The query of the address, as text. */
export const queryText = computed(() => query.value.toString())

/** Shows the same screen with another query. */
export function applyQuery(text: string): void {
  const [path = '/'] = current.peek().split('?')
  navigate(text === '' ? path : `${path}?${text}`)
}

/** A choice of few values in the query. The first is the default. */
export function useChoice<T extends string>(
  name: string,
  values: readonly [T, ...T[]],
): [T, (value: T) => void] {
  const [written, change] = useParameter(name, values[0])
  return [values.find(value => value === written) ?? values[0], change]
}

export interface LinkProps {
  to: string
  class?: string
  'aria-label'?: string
  'aria-current'?: 'page' | undefined
  title?: string | undefined
  tabIndex?: number
  onClick?: () => unknown
  children: ComponentChildren
}

/** A link to a screen. With a modifier key the browser opens it as usual. */
export function Link({ to, children, onClick, ...others }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onClick?.()
    navigate(to)
  }
  return (
    <a href={to} onClick={follow} {...others}>
      {children}
    </a>
  )
}
