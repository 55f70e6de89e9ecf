/** Copies of cards to choose from. */
import type { Item } from '../api.ts'
import { keyOf } from '../items.ts'
import { text } from '../lang/lang.ts'
import { Picture } from './picture.tsx'

interface ItemPickerProps {
  items: Item[]
  /** Their keys. */
  chosen: ReadonlySet<string>
  /** No further one can be chosen. */
  isFull: boolean
  onToggle: (item: Item) => void
}

export const ItemPicker = ({ items, chosen, isFull, onToggle }: ItemPickerProps) => (
  <ul class="picks">
    {items.map(item => {
      const isChosen = chosen.has(keyOf(item))
      return (
        <li key={keyOf(item)}>
          <label class={`pick rarity-${item.rarity}`}>
            <input
              type="checkbox"
              checked={isChosen}
              disabled={isFull && !isChosen}
              onChange={() => onToggle(item)}
            />
            <Picture src={item.imageUrl} class="pick-picture" />
            <span class="grow">
              <strong class="line">{item.name}</strong>
              <small class="quiet">
                {text.packs.serial(item.serialNumber)} · {text.packs.rarities[item.rarity] ?? item.rarity}
              </small>
            </span>
          </label>
        </li>
      )
    })}
  </ul>
)
