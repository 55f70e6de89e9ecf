/** Addresses of screens: links, Back, and the address that is shown. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

const BASE = '/demo'
const CHANGE = 'matchday navigation'

/** The parts of the address after `/demo`: `['rewards', 'home-shirt']`. */
export function useRoute(): string[] {
  const [path, setPath] = useState(location.pathname)
  // Before the paint: a navigation before the listeners are there would be lost.
  useLayoutEffect(() => {
    const update = () => setPath(location.pathname)
    addEventListener('popstate', update)
    addEventListener(CHANGE, update)
    return () => {
      removeEventListener('popstate', update)
      removeEventListener(CHANGE, update)
    }
  }, [])
  return path
    .slice(BASE.length)
    .split('/')
    .filter(part => part !== '')
    .map(decodeURIComponent)
}

export const addressOf = (...parts: string[]) => [BASE, ...parts.map(encodeURIComponent)].join('/')

export function navigate(address: string): void {
  if (address === location.pathname) return
  history.pushState(null, '', address)
  dispatchEvent(new Event(CHANGE))
}

interface LinkProps {
  to: string
  class?: string
  'aria-label'?: string
  'aria-current'?: 'page' | undefined
  children: ComponentChildren
}

/** A link of the app. With a modifier key the browser opens it as usual. */
export function Link({ to, children, ...others }: LinkProps) {
  const follow = (event: MouseEvent) => {
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
