/** A locker while its fan edits it: each change returns a new draft. */
import type { Data, Input } from '@matchday/client'
import { type Item, keyOf, referenceOf } from './items.ts'

export type Locker = Data<'readOwnLocker'>
export type WrittenLocker = Input<'writeLocker'>

/** The maximum in the API. */
export const MAX_SHELVES = 5
export const MAX_ITEMS = 12

export interface Shelf {
  /** Identifies the shelf in any position. */
  key: number
  title: string
  items: Item[]
}

export interface Draft {
  title: string
  theme: Locker['theme']
  shelves: Shelf[]
}

let made = 0
const newShelf = (title = '', items: Item[] = []): Shelf => ({ key: made++, title, items })

/** A locker without shelves begins with one. */
export function draftOf({ title, theme, shelves }: Locker): Draft {
  const own = shelves.map(shelf => newShelf(shelf.title, shelf.items))
  return { title, theme, shelves: own.length > 0 ? own : [newShelf()] }
}

export const writtenOf = ({ title, theme, shelves }: Draft): WrittenLocker => ({
  title,
  theme,
  shelves: shelves.map(shelf => ({ title: shelf.title, items: shelf.items.map(referenceOf) })),
})

export const addShelf = (draft: Draft): Draft => ({ ...draft, shelves: [...draft.shelves, newShelf()] })

export const removeShelf = (draft: Draft, nth: number): Draft => ({
  ...draft,
  shelves: draft.shelves.toSpliced(nth, 1),
})

export const changeShelf = (draft: Draft, nth: number, change: Partial<Shelf>): Draft => ({
  ...draft,
  shelves: draft.shelves.map((shelf, at) => (at === nth ? { ...shelf, ...change } : shelf)),
})

/** Puts the item at the end of the shelf, or takes it off. */
export function toggleItem(draft: Draft, nth: number, item: Item): Draft {
  const items = draft.shelves[nth]?.items ?? []
  const others = items.filter(other => keyOf(other) !== keyOf(item))
  return changeShelf(draft, nth, { items: others.length < items.length ? others : [...items, item] })
}

/**
 * Moves an item by one position; from the end of a shelf to the next one, if it has room. Returns the same draft if there is
 * no such position.
 */
export function moveItem(draft: Draft, nth: number, place: number, by: 1 | -1): Draft {
  const items = draft.shelves[nth]?.items ?? []
  const item = items[place]
  if (!item) return draft
  const rest = items.toSpliced(place, 1)
  const to = place + by
  if (to >= 0 && to < items.length) return changeShelf(draft, nth, { items: rest.toSpliced(to, 0, item) })
  const next = draft.shelves[nth + by]?.items
  if (!next || next.length === MAX_ITEMS) return draft
  const moved = by === 1 ? [item, ...next] : [...next, item]
  return changeShelf(changeShelf(draft, nth, { items: rest }), nth + by, { items: moved })
}

/** Removes items that the fan no longer owns. */
export function keepOwned(draft: Draft, owned: Item[]): Draft {
  const keys = new Set(owned.map(keyOf))
  const shelves = draft.shelves.map(shelf => ({
    ...shelf,
    items: shelf.items.filter(item => keys.has(keyOf(item))),
  }))
  return { ...draft, shelves }
}
