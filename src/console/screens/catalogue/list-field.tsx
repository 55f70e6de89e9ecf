/** A list in an entry: rows can be opened, moved and removed. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { CheckField, type FieldProps } from '../../parts/form.tsx'
import { DragHandle, useDrag } from './drag.tsx'
import { moved, RowButtons, useHasErrorBelow } from './rows.tsx'
import { initialOf, isMembers, type Members, type Schema, singular, type Value } from './shapes.ts'

export interface RowContent {
  value: Value
  /** Names a row that is one value. */
  label: string
  pointer: string
  onChange: (value: Value) => void
}

interface ListProps extends FieldProps {
  items: Schema
  max: number | undefined
  /** Null: there is no list. */
  value: Value[] | null
  nullable: boolean
  onChange: (value: Value[] | null) => void
  renderRow: (row: RowContent) => ComponentChildren
}

export function ListField({ items, max, value, nullable, onChange, renderRow, ...field }: ListProps) {
  const { label, hint, pointer = '', disabled = false } = field
  const rows = value ?? []
  const [added, setAdded] = useState<number | null>(null)
  const replace = (index: number, next: Value) =>
    onChange(rows.map((row, nth) => (nth === index ? next : row)))
  const remove = (index: number) => onChange(rows.filter((_, nth) => nth !== index))
  const drag = useDrag((from, to) => onChange(moved(rows, from, to)))
  const isFull = max !== undefined && rows.length >= max
  return (
    <fieldset class="group">
      <legend>
        {label} {rows.length > 0 && <span class="quiet">{rows.length}</span>}
      </legend>
      {hint && <p class="field-hint">{hint}</p>}
      {nullable && (
        <CheckField
          label={`Limit ${label.toLowerCase()}`}
          disabled={disabled}
          value={value !== null}
          onChange={on => onChange(on ? [initialOf(items)] : null)}
        />
      )}
      {value !== null && (
        <ol class="rows">
          {rows.map((row, index) => (
            <Row
              // Rows have no id while they are edited, so their index is the key.
              key={index}
              row={row}
              index={index}
              disabled={disabled}
              renderRow={renderRow}
              isOpen={added === index}
              drag={drag}
              count={rows.length}
              label={singular(label)}
              pointer={`${pointer}/${index}`}
              onChange={next => replace(index, next)}
              onMove={to => onChange(moved(rows, index, to))}
              onRemove={() => remove(index)}
            />
          ))}
        </ol>
      )}
      {value !== null && !disabled && (
        <div>
          <Button
            small
            icon="add"
            blocked={isFull && `At most ${max} are possible.`}
            onClick={() => {
              setAdded(rows.length)
              onChange([...rows, initialOf(items)])
            }}
          >
            Add {singular(label).toLowerCase()}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

interface RowProps {
  row: Value
  index: number
  count: number
  label: string
  pointer: string
  isOpen: boolean
  drag: ReturnType<typeof useDrag>
  disabled: boolean
  onChange: (value: Value) => void
  onMove: (to: number) => void
  onRemove: () => void
  renderRow: ListProps['renderRow']
}

/** Objects are collapsed at first, since a pack may have a thousand items. */
function Row({ row, index, count, label, pointer, isOpen, drag, disabled, renderRow, ...change }: RowProps) {
  const { dragged } = drag
  const { onChange, onMove, onRemove } = change
  const [opened, setOpened] = useState(isOpen)
  const hasError = useHasErrorBelow(pointer)
  const place = `${label} ${index + 1}`
  const isShown = opened || hasError
  const content = () => renderRow({ value: row, label: place, pointer, onChange })
  return (
    <li class={`row${placeOf(dragged, index)}`}>
      {!disabled && count > 1 && (
        <DragHandle name={place.toLowerCase()} index={index} count={count} drag={drag} onMove={onMove} />
      )}
      {isMembers(row) ? (
        <details open={isShown} onToggle={event => setOpened(event.currentTarget.open)}>
          <summary>
            <bdi>{summaryOf(row) || place}</bdi>
          </summary>
          {isShown && <div class="group-fields">{content()}</div>}
        </details>
      ) : (
        content()
      )}
      {!disabled && (
        <RowButtons
          index={index}
          count={count}
          onMove={onMove}
          onRemove={onRemove}
          name={place.toLowerCase()}
        />
      )}
    </li>
  )
}

/** Where a dragged row is, and where it will be. */
function placeOf(dragged: { from: number; to: number } | null, index: number): string {
  if (dragged === null) return ''
  if (dragged.from === index) return ' dragged'
  return dragged.to !== index ? '' : dragged.to < dragged.from ? ' drop-before' : ' drop-after'
}

/** A summary of a row: its text or id, and its weight or stock. */
function summaryOf({ id, name, title, text: said, weight, stock, target }: Members): string {
  const text = [name, title, said].find(one => one !== undefined && one !== '')
  const named = typeof text === 'string' ? text : isMembers(text) ? Object.values(text)[0] : undefined
  const figure =
    typeof weight === 'number'
      ? `${weight / 10_000} %`
      : typeof stock === 'number'
        ? `${stock} units`
        : typeof target === 'number'
          ? target === 1
            ? 'once'
            : `${target} times`
          : ''
  return [named ?? id, figure].filter(part => typeof part === 'string' && part !== '').join(' · ')
}
