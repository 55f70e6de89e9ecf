/** Tables of any length: only the rows in sight are in the document. */
import { Component, type ComponentChildren, type RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { navigate } from '../router.tsx'
import { Button } from './button.tsx'
import { formatCount } from './format.ts'
import type { Paged } from './resource.ts'
import { Empty, Failed, Skeleton } from './states.tsx'
import { drawnRows, useWindow } from './window.ts'

export interface Column<Row> {
  id: string
  title: string
  cell: (row: Row) => ComponentChildren
  /** Such as `12rem` or `20%`. Columns without one share the rest. */
  width?: string
  align?: 'end'
  /** Hidden where the table is narrower: below `narrow` 40rem, below `middle` 60rem. */
  hide?: 'narrow' | 'middle'
}

interface DataTableProps<Row> {
  /** Names it for screen readers. */
  label: string
  columns: Column<Row>[]
  rowKey: (row: Row) => string
  /** All rows, or `pages`: a list by cursor, of which scrolling loads further pages. */
  rows?: Row[]
  pages?: Paged<Row>
  /** The address of a row. A click opens it, as does Enter on the row that the arrow keys selected. */
  href?: (row: Row) => string
  /** Instead of `href`: called for the selected row. */
  onOpen?: (row: Row) => void
  selected?: (row: Row) => boolean
  empty?: ComponentChildren
}

/** Rows of equal height with a sticky head. Arrow keys, Page Up and Down, Home and End move between rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, pages, empty } = props
  const rows = props.rows ?? pages?.data ?? null
  if (rows === null) {
    if (pages?.error != null)
      return <Failed error={pages.error} onRetry={pages.reload} busy={pages.isLoading} />
    return <Skeleton lines={8} />
  }
  return (
    <>
      {pages?.error != null && <Failed error={pages.error} onRetry={pages.reload} busy={pages.isLoading} />}
      {rows.length === 0 ? (
        (empty ?? <Empty title="Nothing here yet" />)
      ) : (
        <div class="table">
          <Rows {...props} rows={rows} columns={columns} label={label} />
        </div>
      )}
      {pages && rows.length > 0 && <More pages={pages} count={rows.length} />}
    </>
  )
}

/** The foot of a list by cursor. */
export function More<Row>({ pages, count }: { pages: Paged<Row>; count: number }) {
  if (pages.moreError !== null)
    return <Failed error={pages.moreError} onRetry={pages.more} busy={pages.isLoadingMore} />
  return (
    <div class="table-foot">
      <span class="quiet" role="status">
        {pages.hasMore ? `The first ${formatCount(count)}` : `${formatCount(count)} in all`}
      </span>
      {pages.hasMore && (
        <Button small busy={pages.isLoadingMore} onClick={pages.more}>
          Load more
        </Button>
      )}
    </div>
  )
}

/** Rows before the end of the list at which the next page is read. */
const AHEAD = 20

function Rows<Row>({
  label,
  columns,
  rowKey,
  rows,
  pages,
  href,
  onOpen,
  selected,
}: DataTableProps<Row> & { rows: Row[] }) {
  const body = useRef<HTMLTableSectionElement | null>(null)
  const { first, last, rowHeight } = useWindow(body, rows.length)
  const [active, setActive] = useState(0)
  const isOpening = href !== undefined || onOpen !== undefined
  const current = Math.min(active, rows.length - 1)

  useEffect(() => {
    if (pages?.hasMore && !pages.isLoadingMore && pages.moreError === null && last >= rows.length - AHEAD)
      void pages.more()
  })
  const open = (row: Row) => {
    if (href) navigate(href(row))
    else onOpen?.(row)
  }
  const move = (event: KeyboardEvent) => {
    // A control in a cell handles its own keys.
    if (event.target instanceof Element && event.target.tagName !== 'TR') return
    const inSight = Math.max(1, Math.floor(innerHeight / rowHeight) - 4)
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: inSight,
      PageUp: -inSight,
      Home: -rows.length,
      End: rows.length,
    }
    const step = steps[event.key]
    if (step === undefined) {
      const row = rows[current]
      if ((event.key === 'Enter' || event.key === ' ') && row !== undefined) {
        event.preventDefault()
        open(row)
      }
      return
    }
    event.preventDefault()
    const next = Math.max(0, Math.min(rows.length - 1, current + step))
    setActive(next)
    // It is drawn before the next frame, wherever it is: see `drawnRows`.
    requestAnimationFrame(() => {
      const row = body.current?.querySelector<HTMLElement>(`[aria-rowindex="${next + 2}"]`)
      row?.focus({ preventScroll: true })
      row?.scrollIntoView({ block: 'nearest' })
    })
  }

  const latest = useRef({ open, setActive })
  latest.current = { open, setActive }

  const parts = drawnRows({ first, last }, rows.length, isOpening ? current : null).map(drawn => {
    if (!('index' in drawn)) return <Gap key={`gap ${drawn.before}`} rows={drawn.gap} rowHeight={rowHeight} />
    const { index } = drawn
    const row = rows[index]
    return (
      row !== undefined && (
        <DrawnRow
          key={rowKey(row)}
          row={row}
          columns={columns}
          index={index}
          isOpening={isOpening}
          isCurrent={index === current}
          isSelected={selected?.(row)}
          latest={latest}
        />
      )
    )
  })

  return (
    <table
      role={isOpening ? 'grid' : undefined}
      aria-label={label}
      aria-rowcount={pages?.hasMore ? -1 : rows.length + 1}
      onKeyDown={isOpening ? move : undefined}
    >
      <colgroup>
        {columns.map(column => (
          <col key={column.id} class={classOf(column)} style={column.width ? { width: column.width } : {}} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map(column => (
            <th key={column.id} scope="col" class={classOf(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>{parts}</tbody>
    </table>
  )
}

interface DrawnRowProps<Row> {
  row: Row
  columns: Column<Row>[]
  index: number
  isOpening: boolean
  isCurrent: boolean
  isSelected: boolean | undefined
  /** The current functions of the table, which change with each render. */
  latest: RefObject<{ open: (row: Row) => void; setActive: (index: number) => void }>
}

/** Rendered again only when it changes, so that scrolling renders only rows that come into view. */
class DrawnRow<Row> extends Component<DrawnRowProps<Row>> {
  override shouldComponentUpdate(next: DrawnRowProps<Row>, state: object): boolean {
    const { row, columns, index, isCurrent, isSelected } = this.props
    // The state object differs after a change of a signal, such as the time zone.
    if (state !== this.state || next.row !== row || next.columns !== columns) return true
    return next.index !== index || next.isCurrent !== isCurrent || next.isSelected !== isSelected
  }

  render({ row, columns, index, isOpening, isCurrent, isSelected, latest }: DrawnRowProps<Row>) {
    return (
      <tr
        aria-rowindex={index + 2}
        aria-selected={isSelected}
        class={isOpening ? 'opens' : undefined}
        tabIndex={isOpening ? (isCurrent ? 0 : -1) : undefined}
        onFocus={() => latest.current?.setActive(index)}
        onClick={event => {
          const isControl =
            event.target instanceof Element && event.target.closest('a, button, input, select, label')
          // Selecting text is not a click.
          if (isOpening && !isControl && getSelection()?.isCollapsed !== false) latest.current?.open(row)
        }}
      >
        {columns.map(column => (
          <td key={column.id} class={classOf(column)} {...(isOpening ? { role: 'gridcell' } : {})}>
            {column.cell(row)}
          </td>
        ))}
      </tr>
    )
  }
}

const classOf = <Row,>({ align, hide }: Column<Row>) =>
  [align === 'end' && 'end', hide && `hide-${hide}`].filter(Boolean).join(' ') || undefined

/** The height of rows that are not in the document. */
const Gap = ({ rows, rowHeight }: { rows: number; rowHeight: number }) => (
  // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: an empty row is no row
  <tr role="presentation" class="gap" style={{ height: `${rows * rowHeight}px` }} />
)
