/** Lists on a page that changes: what it showed before a click may still be there. */
import { expect } from 'bun:test'
import type { Locator } from 'playwright-core'
import { waitUntil } from './wait-until.ts'

/** Waits until the elements have these texts, in this order. */
export async function expectTexts(of: Locator, texts: string[]): Promise<void> {
  let shown: string[] = []
  const areShown = async () => {
    shown = await of.allTextContents()
    return Bun.deepEquals(shown, texts)
  }
  await waitUntil('the texts', areShown).catch(() => {})
  expect(shown).toEqual(texts)
}

/** Waits until there are so many elements, and no more. */
export async function expectCount(of: Locator, count: number): Promise<void> {
  let shown = -1
  const areShown = async () => {
    shown = await of.count()
    return shown === count
  }
  await waitUntil('the elements', areShown).catch(() => {})
  expect(shown).toBe(count)
}
