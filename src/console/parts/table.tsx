/** Tables of any length: only the rows in sight are in the document. */
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { navigate } from '../router.tsx'
import type { Paged } from './resource.ts'
import { Empty, Failed, Skeleton } from './states.tsx'
import { CsvButton, More } from './table-foot.tsx'
import { type Column, classOf, DrawnRow, Gap, HeadCell, type Sorting } from './table-row.tsx'
import { drawnRows, ROW_REM, useWindow } from './window.ts'

export { More } from './table-foot.tsx'
export type { Column } from './table-row.tsx'

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
  /** Of columns with `sorts`. */
  sorting?: Sorting
  /** Keys of the rows that are picked for an action on many. */
  picked?: Picked | undefined
}

interface Picked {
  keys: ReadonlySet<string>
  onChange: (keys: ReadonlySet<string>) => void
}

/** The height of a row with a second line, as in table.css. */
const TALL_ROW_REM = 4
/** Below it, columns with `under` are a second line. */
const NARROW_REM = 40

/** Whether the element is narrow. False until it is measured. */
function useNarrow(element: RefObject<HTMLElement | null>): boolean {
  const [isNarrow, setNarrow] = useState(false)
  useLayoutEffect(() => {
    const measured = element.current
    if (!measured) return
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setNarrow(measured.clientWidth < NARROW_REM * rem)
    }
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(measured)
    return () => sizes.disconnect()
  }, [element.current])
  return isNarrow
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
        <>
          <Frame {...props} rows={rows} />
          <div class="table-foot">
            {pages ? <More pages={pages} count={rows.length} /> : <span />}
            <CsvButton label={label} columns={columns} rows={rows} pages={pages} />
          </div>
        </>
      )}
    </>
  )
}

function Frame<Row>(props: DataTableProps<Row> & { rows: Row[] }) {
  const frame = useRef<HTMLDivElement>(null)
  const isNarrow = useNarrow(frame)
  const { columns } = props
  const [own, under] = useMemo(() => {
    const below = isNarrow ? columns.filter(column => column.under) : []
    return [columns.filter(column => !below.includes(column)), below]
  }, [columns, isNarrow])
  return (
    <div class={under.length > 0 ? 'table tall' : 'table'} ref={frame}>
      <Rows key={under.length > 0 ? 'tall' : 'flat'} {...props} columns={own} under={under} />
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
  sorting,
  picked,
  under,
}: DataTableProps<Row> & { rows: Row[]; under: Column<Row>[] }) {
  const body = useRef<HTMLTableSectionElement | null>(null)
  const rowRem = under.length > 0 ? TALL_ROW_REM : ROW_REM
  const { first, last, rowHeight } = useWindow(body, rows.length, rowRem)
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

  const pick = (row: Row) => {
    if (picked) picked.onChange(picked.keys.symmetricDifference(new Set([rowKey(row)])))
  }
  const latest = useRef({ open, setActive, pick })
  latest.current = { open, setActive, pick }

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
          under={under}
          index={index}
          isOpening={isOpening}
          isCurrent={index === current}
          isSelected={selected?.(row)}
          isPicked={picked?.keys.has(rowKey(row))}
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
        {picked && <col class="pick" />}
        {columns.map(column => (
          <col key={column.id} class={classOf(column)} style={column.width ? { width: column.width } : {}} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {picked && (
            <th scope="col" class="pick">
              <input
                type="checkbox"
                aria-label="Select all rows that are loaded"
                checked={rows.every(row => picked.keys.has(rowKey(row)))}
                onChange={({ currentTarget: { checked } }) =>
                  picked.onChange(new Set(checked ? rows.map(rowKey) : []))
                }
              />
            </th>
          )}
          {columns.map(column => (
            <HeadCell key={column.id} column={column} sorting={sorting} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>{parts}</tbody>
    </table>
  )
}
