/** Rows of lists: moved and removed by buttons, opened by errors. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'

/** Pointers with errors, so that closed parts of the form open. */
export const ErrorPointers = createContext<string[]>([])

export const useHasErrorBelow = (pointer: string) =>
  useContext(ErrorPointers).some(one => one.startsWith(`${pointer}/`) || one === pointer)

/** Moves and removes a row of a list. */
export function RowButtons({
  name,
  index,
  count,
  onMove,
  onRemove,
}: {
  name: string
  index: number
  count: number
  onMove: (to: number) => void
  onRemove: () => void
}) {
  return (
    <span class="row-buttons">
      <Button
        small
        kind="quiet"
        icon="up"
        label={`Move ${name} up`}
        blocked={index === 0 && 'It is the first.'}
        onClick={() => onMove(index - 1)}
      />
      <Button
        small
        kind="quiet"
        icon="down"
        label={`Move ${name} down`}
        blocked={index === count - 1 && 'It is the last.'}
        onClick={() => onMove(index + 1)}
      />
      <Button small kind="quiet" icon="remove" label={`Remove ${name}`} onClick={onRemove} />
    </span>
  )
}

export function moved<T>(list: T[], from: number, to: number): T[] {
  const next = [...list]
  const [taken] = next.splice(from, 1)
  if (taken !== undefined) next.splice(to, 0, taken)
  return next
}
