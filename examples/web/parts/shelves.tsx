/** A locker as others see it. */
import type { Locker } from '../api.ts'
import { text } from '../lang/lang.ts'
import { ItemCards } from './item-cards.tsx'

export const Shelves = ({ locker: { title, theme, shelves } }: { locker: Locker }) => (
  <section class={`locker theme-${theme}`}>
    {title && <h2>{title}</h2>}
    {shelves.map((shelf, nth) => (
      <section key={nth} class="shelf">
        {shelf.title && <h3>{shelf.title}</h3>}
        {shelf.items.length === 0 ? <p>{text.locker.emptyShelf}</p> : <ItemCards items={shelf.items} />}
      </section>
    ))}
  </section>
)

export const hasItems = ({ shelves }: Locker) => shelves.some(({ items }) => items.length > 0)
