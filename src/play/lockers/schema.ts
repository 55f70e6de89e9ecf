import { Formatted, isValid } from '../../core/formats.ts'
import { isDeceptive, isStacked, isVisible, withoutBidiControls } from '../../core/name-text.ts'
import type { FieldError } from '../../core/problems.ts'
import { Closed, IdReference, Integer, Nullable, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'

const [MAX_SHELVES, MAX_ITEMS, MAX_TITLE] = [5, 12, 50]

/** The rules of names: a title must not imitate another text or change the order of the text around it. */
function isTitle(text: string): boolean {
  const title = text.trim()
  if (title === '') return true
  const isPlain = withoutBidiControls(title) === title && !/\p{Cc}/u.test(title)
  const isHonest = isVisible(title) && !isDeceptive(title) && !isStacked(title)
  return [...title].length <= MAX_TITLE && isPlain && isHonest
}

const Title = (description: string, example: string) =>
  Formatted('locker-title', isTitle, {
    errorNoun: `a string of at most ${MAX_TITLE} characters without control, bidirectional and invisible characters, stacked marks, styled letters, and words that mix letters of similar scripts`,
    documentedAs: { type: 'string', maxLength: MAX_TITLE, description, examples: [example] },
  })

const Theme = OneOf(['classic', 'night', 'pitch', 'terrace'], { description: 'How clients draw the locker.' })

export const WriteLocker = Closed(
  {
    title: Title('Title of the locker. May be empty.', 'Derby days'),
    theme: Theme,
    shelves: Type.Array(
      Closed({
        title: Title('Title of the shelf. May be empty.', 'Goals'),
        items: Type.Array(
          Closed({
            collectibleId: IdReference('The `id` of the collectible.', 'winning-goal'),
            serialNumber: Integer({ minimum: 1, description: 'Serial number of the item.' }),
          }),
          { maxItems: MAX_ITEMS, description: 'Items that you own, in order.' },
        ),
      }),
      { maxItems: MAX_SHELVES, description: 'From top to bottom.' },
    ),
  },
  { title: 'WriteLocker', description: 'Replaces the whole locker.' },
)
export type WriteLocker = Static<typeof WriteLocker>

const LockerItem = Closed(
  {
    collectibleId: Type.String({ description: 'Slug of the collectible.' }),
    serialNumber: Integer({ minimum: 1, description: 'Serial number of the item.' }),
    name: Type.String({ description: 'Name of the collectible.' }),
    imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
    rarity: Type.String({ description: 'Rarity: any text of the catalogue.' }),
  },
  { title: 'LockerItem' },
)

const lockerMembers = {
  title: Type.String({ description: 'Title of the locker. May be empty.' }),
  theme: Theme,
  shelves: Type.Array(
    Closed(
      {
        title: Type.String({ description: 'Title of the shelf. May be empty.' }),
        items: Type.Array(LockerItem, { description: 'The items that the fan owns now.' }),
      },
      { title: 'Shelf' },
    ),
    { description: 'From top to bottom.' },
  ),
}

export const Locker = Closed(lockerMembers, { title: 'Locker' })
export type Locker = Static<typeof Locker>

export const ShownLocker = Closed(
  {
    handle: Type.String({ description: 'Handle of the fan.' }),
    displayName: Nullable(Type.String(), { description: 'Null if the fan does not show it to you.' }),
    avatarUrl: Nullable(Type.String(), { description: 'Null if the fan does not show it to you.' }),
    ...lockerMembers,
  },
  { title: 'ShownLocker', description: 'The locker of a fan as you see it.' },
)
export type ShownLocker = Static<typeof ShownLocker>

/** The locker of a fan who has not written one. */
export const EMPTY_LOCKER: Locker = { title: '', theme: 'classic', shelves: [] }

export const exampleLocker: Locker = {
  title: 'Derby days',
  theme: 'night',
  shelves: [
    {
      title: 'Goals',
      items: [
        {
          collectibleId: 'winning-goal',
          serialNumber: 7,
          name: 'The winning goal',
          imageUrl: null,
          rarity: 'rare',
        },
      ],
    },
  ],
}

export const exampleWriteLocker: WriteLocker = {
  title: 'Derby days',
  theme: 'night',
  shelves: [{ title: 'Goals', items: [{ collectibleId: 'winning-goal', serialNumber: 7 }] }],
}

/** An item can be in one place only. */
export function findRepeatedItems(body: unknown): FieldError[] {
  if (!isValid(WriteLocker, body)) return []
  const seen = new Set<string>()
  return body.shelves.flatMap(({ items }, shelf) =>
    items.flatMap(({ collectibleId, serialNumber }, position) => {
      const item = `${serialNumber} ${collectibleId}`
      if (seen.has(item))
        return [{ pointer: `/shelves/${shelf}/items/${position}`, message: 'must be on a shelf only once' }]
      seen.add(item)
      return []
    }),
  )
}
