/** The last data of screens, so that Back shows them at once while they are read again. */
const shown = new Map<string, unknown>()
const SHOWN_MAX = 50

/** Clears the data when another person signs in. */
export const forgetShown = () => shown.clear()

export const shownBefore = (key: string): unknown => shown.get(key) ?? null

export function remember(key: string, data: unknown): void {
  shown.delete(key)
  shown.set(key, data)
  const oldest = shown.keys().next().value
  if (shown.size > SHOWN_MAX && oldest !== undefined) shown.delete(oldest)
}
