/** Copies of cards, each with a link to its history. */
import type { Item } from '../api.ts'
import { keyOf } from '../items.ts'
import { text } from '../lang/lang.ts'
import { addressOf, Link } from '../router.tsx'
import { CardTile } from './card-tile.tsx'

export const ItemCards = ({ items }: { items: Item[] }) => (
  <ul class="item-cards">
    {items.map(item => (
      <li key={keyOf(item)}>
        <Link to={addressOf('cards', item.collectibleId, String(item.serialNumber))} class="item-link">
          <CardTile card={item} note={text.packs.serial(item.serialNumber)} />
        </Link>
      </li>
    ))}
  </ul>
)
