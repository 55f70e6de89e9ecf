/** A locker while the example app arranges it. */
import { expect, test } from 'bun:test'
import { draftOf, keepOwned, MAX_ITEMS, moveItem, toggleItem, writtenOf } from '../../examples/web/shelves.ts'

const item = (collectibleId: string) => ({
  ...{ collectibleId, serialNumber: 1 },
  ...{ name: collectibleId, imageUrl: null, rarity: 'common' },
})
/** Each text is a shelf, each letter an item. */
const arrange = (...shelves: string[]) =>
  draftOf({
    title: '',
    theme: 'classic',
    shelves: shelves.map(all => ({ title: '', items: [...all].map(item) })),
  })
const lettersOf = (draft: ReturnType<typeof arrange>) =>
  draft.shelves.map(({ items }) => items.map(({ name }) => name).join(''))
const full = 'x'.repeat(MAX_ITEMS)

test.each([
  ['within a shelf', ['abc', ''], [0, 1, 1], ['acb', '']],
  ['towards the beginning', ['abc', ''], [0, 1, -1], ['bac', '']],
  ['from the end of a shelf to the next one', ['ab', 'c'], [0, 1, 1], ['a', 'bc']],
  ['from the beginning of a shelf to the previous one', ['a', 'bc'], [1, 0, -1], ['ab', 'c']],
  ['to no shelf that is full', ['a', full], [0, 0, 1], ['a', full]],
  ['not past the last place', ['a'], [0, 0, 1], ['a']],
  ['not before the first place', ['a'], [0, 0, -1], ['a']],
] as const)('an item moves %s', (_, shelves, [nth, place, by], expected) => {
  expect(lettersOf(moveItem(arrange(...shelves), nth, place, by))).toEqual([...expected])
})

test('an item is put on a shelf and taken off it, and one that is no longer owned disappears', () => {
  const draft = toggleItem(arrange('ab'), 0, item('c'))
  expect(lettersOf(draft)).toEqual(['abc'])
  expect(lettersOf(toggleItem(draft, 0, item('a')))).toEqual(['bc'])
  expect(lettersOf(keepOwned(draft, [item('c'), item('d')]))).toEqual(['c'])
})

test('a locker without shelves starts with one, and the written locker contains only the ids of items', () => {
  expect(lettersOf(arrange())).toEqual([''])
  expect(writtenOf(arrange('a'))).toEqual({
    ...{ title: '', theme: 'classic' },
    shelves: [{ title: '', items: [{ collectibleId: 'a', serialNumber: 1 }] }],
  })
})
