/** What screens showed last, so that Back shows it at once while it is read again. */
const shown = new Map<string, unknown>()
const SHOWN_MAX = 50

/** Forgets what was shown: for another person. */
export const forgetShown = () => shown.clear()

export const shownBefore = (key: string): unknown => shown.get(key) ?? null

export function remember(key: string, data: unknown): void {
  shown.delete(key)
  shown.set(key, data)
  const oldest = shown.keys().next().value
  if (shown.size > SHOWN_MAX && oldest !== undefined) shown.delete(oldest)
}
