/** Moves rows of a list by a handle: with a pointer to any place, with the arrow keys by one. */
import { useRef, useState } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'

/** The list of rows, each with `data-row`. `target`: the row before or after which the dragged one will be. */
export function useDrag(onMove: (from: number, to: number) => void) {
  const [dragged, setDragged] = useState<{ from: number; to: number } | null>(null)
  const latest = useRef(dragged)
  const set = (next: typeof dragged) => {
    latest.current = next
    setDragged(next)
  }
  const rowAt = (list: Element | null | undefined, y: number): number | undefined => {
    const rows = [...(list?.children ?? [])]
    const index = rows.findIndex(row => y < row.getBoundingClientRect().bottom)
    return rows.length === 0 ? undefined : index < 0 ? rows.length - 1 : index
  }
  return {
    dragged,
    handle: (index: number) => ({
      onPointerDown: (event: PointerEvent & { currentTarget: HTMLElement }) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        set({ from: index, to: index })
      },
      onPointerMove: (event: PointerEvent & { currentTarget: HTMLElement }) => {
        const { current } = latest
        if (current === null) return
        const to = rowAt(event.currentTarget.closest('ol'), event.clientY)
        if (to !== undefined && to !== current.to) set({ ...current, to })
      },
      onPointerUp: () => {
        const { current } = latest
        set(null)
        if (current !== null && current.from !== current.to) onMove(current.from, current.to)
      },
      onPointerCancel: () => set(null),
    }),
  }
}

interface HandleProps {
  name: string
  index: number
  count: number
  drag: ReturnType<typeof useDrag>
  onMove: (to: number) => void
}

export function DragHandle({ name, index, count, drag, onMove }: HandleProps) {
  const handle = useRef<HTMLButtonElement>(null)
  const move = (event: KeyboardEvent) => {
    const to = index + ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0)
    if (to === index || to < 0 || to >= count) return
    event.preventDefault()
    const rows = handle.current?.closest('ol')
    onMove(to)
    // The focus goes with the row.
    requestAnimationFrame(() => rows?.children[to]?.querySelector<HTMLElement>('.drag-handle')?.focus())
  }
  return (
    <button
      ref={handle}
      type="button"
      class="drag-handle"
      aria-label={`Move ${name}: drag it, or press the arrow keys`}
      title="Drag to move, or press the arrow keys"
      onKeyDown={move}
      {...drag.handle(index)}
    >
      <Icon name="drag" />
    </button>
  )
}
