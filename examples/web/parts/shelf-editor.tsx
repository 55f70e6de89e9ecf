/** One shelf of a locker while it is arranged. Buttons put cards in order: they work by keyboard, touch and voice alike. */
import type { Item } from '../api.ts'
import { keyOf } from '../items.ts'
import { text } from '../lang/lang.ts'
import { changeShelf, type Draft, MAX_ITEMS, removeShelf, toggleItem } from '../shelves.ts'
import { Icon, type IconName } from './icon.tsx'
import { ItemPicker } from './item-picker.tsx'
import { Picture } from './picture.tsx'

interface ShelfEditorProps {
  draft: Draft
  nth: number
  /** What the fan has. */
  owned: Item[]
  setDraft: (draft: Draft) => void
  move: (nth: number, place: number, by: 1 | -1) => void
}

export function ShelfEditor({ draft, nth, owned, setDraft, move }: ShelfEditorProps) {
  const { shelves } = draft
  const { title = '', items = [] } = shelves[nth] ?? {}
  const elsewhere = new Set(shelves.flatMap((shelf, at) => (at === nth ? [] : shelf.items.map(keyOf))))
  const name = text.locker.shelf(nth + 1)
  return (
    <fieldset class="panel form-part">
      <legend class="unseen">{name}</legend>
      <div class="field-row">
        <label class="grow">
          <span>{name}</span>
          <input
            maxLength={50}
            value={title}
            onInput={event => setDraft(changeShelf(draft, nth, { title: event.currentTarget.value }))}
          />
        </label>
        {shelves.length > 1 && (
          <Tool
            icon="remove"
            label={text.locker.removeShelf(nth + 1)}
            onClick={() => setDraft(removeShelf(draft, nth))}
          />
        )}
      </div>
      <ol class="places">
        {items.map((item, place) => (
          <Place
            key={keyOf(item)}
            item={item}
            isFirst={nth === 0 && place === 0}
            isLast={nth === shelves.length - 1 && place === items.length - 1}
            onMove={by => move(nth, place, by)}
            onRemove={() => setDraft(toggleItem(draft, nth, item))}
          />
        ))}
      </ol>
      <details class="choose">
        <summary>{text.locker.choose(items.length, MAX_ITEMS)}</summary>
        <ItemPicker
          items={owned.filter(item => !elsewhere.has(keyOf(item)))}
          chosen={new Set(items.map(keyOf))}
          isFull={items.length >= MAX_ITEMS}
          onToggle={item => setDraft(toggleItem(draft, nth, item))}
        />
      </details>
    </fieldset>
  )
}

interface PlaceProps {
  item: Item
  isFirst: boolean
  isLast: boolean
  onMove: (by: 1 | -1) => void
  onRemove: () => void
}

function Place({ item, isFirst, isLast, onMove, onRemove }: PlaceProps) {
  const { name, imageUrl, rarity, serialNumber } = item
  const copy = `${name}, ${text.packs.serial(serialNumber)}`
  return (
    <li class={`place rarity-${rarity}`}>
      <Picture src={imageUrl} class="pick-picture" />
      <span class="grow">
        <strong class="line">{name}</strong>
        <small class="quiet">{text.packs.serial(serialNumber)}</small>
      </span>
      <span class="tools">
        <Tool
          id={`earlier:${keyOf(item)}`}
          icon="up"
          label={text.locker.earlier(copy)}
          isOff={isFirst}
          onClick={() => onMove(-1)}
        />
        <Tool
          id={`later:${keyOf(item)}`}
          icon="down"
          label={text.locker.later(copy)}
          isOff={isLast}
          onClick={() => onMove(1)}
        />
        <Tool icon="remove" label={text.locker.takeOff(copy)} onClick={onRemove} />
      </span>
    </li>
  )
}

interface ToolProps {
  id?: string
  icon: IconName
  label: string
  /** It has no effect now, but keeps the focus. */
  isOff?: boolean
  onClick: () => void
}

const Tool = ({ id, icon, label, isOff = false, onClick }: ToolProps) => (
  <button
    type="button"
    id={id}
    class="tool"
    aria-label={label}
    title={label}
    aria-disabled={isOff}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
)
