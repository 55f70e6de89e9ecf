/** The rows of a table, and the cells of its head. */
import { Component, type ComponentChildren, type RefObject } from 'preact'

export interface Column<Row> {
  id: string
  title: string
  cell: (row: Row) => ComponentChildren
  /** Such as `12rem` or `20%`. Columns without one share the rest. */
  width?: string
  align?: 'end'
  /** Hidden where the table is narrower: below `narrow` 40rem, below `middle` 60rem. */
  hide?: 'narrow' | 'middle' | 'wide'
  /** Below 40rem it is a second line under the first column, whether or not it hides. */
  under?: boolean
  /** Its title is a button that sorts by it. */
  sorts?: boolean
}

export interface Sorting {
  /** Id of the column; null: the order of the list. */
  by: string | null
  isDescending: boolean
  onSort: (by: string) => void
}

interface HeadCellProps<Row> {
  column: Column<Row>
  sorting: Sorting | undefined
}

export function HeadCell<Row>({ column, sorting }: HeadCellProps<Row>) {
  const { id, title, sorts } = column
  const isSorted = sorting?.by === id
  const direction = sorting?.isDescending ? 'descending' : 'ascending'
  return (
    <th scope="col" class={classOf(column)} aria-sort={isSorted ? direction : undefined}>
      {sorts && sorting ? (
        <button type="button" class="sort" onClick={() => sorting.onSort(id)}>
          <span>{title}</span>
          <span class={isSorted ? 'sort-mark' : 'sort-mark unsorted'} aria-hidden="true">
            {isSorted && sorting.isDescending ? '↓' : '↑'}
          </span>
        </button>
      ) : (
        title
      )}
    </th>
  )
}

interface DrawnRowProps<Row> {
  row: Row
  columns: Column<Row>[]
  /** Shown below the first cell. */
  under: Column<Row>[]
  index: number
  isOpening: boolean
  isCurrent: boolean
  isSelected: boolean | undefined
  /** Undefined: rows cannot be picked. */
  isPicked: boolean | undefined
  /** The current functions of the table, which change with each render. */
  latest: RefObject<{
    open: (row: Row) => void
    setActive: (index: number) => void
    pick: (row: Row) => void
  }>
}

/** Rendered again only when it changes, so that scrolling renders only rows that come into view. */
export class DrawnRow<Row> extends Component<DrawnRowProps<Row>> {
  override shouldComponentUpdate(next: DrawnRowProps<Row>, state: object): boolean {
    const { row, columns, under, index, isCurrent, isSelected, isPicked } = this.props
    // The state object differs after a change of a signal, such as the time zone.
    if (state !== this.state || next.row !== row || next.columns !== columns || next.under !== under)
      return true
    if (next.isPicked !== isPicked) return true
    return next.index !== index || next.isCurrent !== isCurrent || next.isSelected !== isSelected
  }

  render(props: DrawnRowProps<Row>) {
    const { row, columns, under, index, isOpening, isCurrent, isSelected, isPicked, latest } = props
    const role = isOpening ? { role: 'gridcell' as const } : {}
    return (
      <tr
        aria-rowindex={index + 2}
        aria-selected={isSelected}
        class={isOpening ? 'opens' : undefined}
        tabIndex={isOpening ? (isCurrent ? 0 : -1) : undefined}
        onFocus={() => latest.current?.setActive(index)}
        onClick={event => {
          const isControl =
            event.target instanceof Element && event.target.closest('a, button, input, select, label, dialog')
          // Selecting text is not a click.
          if (isOpening && !isControl && getSelection()?.isCollapsed !== false) latest.current?.open(row)
        }}
      >
        {isPicked !== undefined && (
          <td class="pick" {...role}>
            <input
              type="checkbox"
              aria-label={`Select row ${index + 1}`}
              checked={isPicked}
              onChange={() => latest.current?.pick(row)}
            />
          </td>
        )}
        {columns.map((column, nth) => (
          <td key={column.id} class={classOf(column)} {...role}>
            {nth === 0 && under.length > 0 ? (
              <>
                <div class="over">{column.cell(row)}</div>
                <div class="under">
                  {under.map(one => (
                    <span key={one.id}>{one.cell(row)}</span>
                  ))}
                </div>
              </>
            ) : (
              column.cell(row)
            )}
          </td>
        ))}
      </tr>
    )
  }
}

export const classOf = <Row,>({ align, hide }: Column<Row>) =>
  [align === 'end' && 'end', hide && `hide-${hide}`].filter(Boolean).join(' ') || undefined

/** The height of rows that are not in the document. */
export const Gap = ({ rows, rowHeight }: { rows: number; rowHeight: number }) => (
  // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: an empty row is no row
  <tr role="presentation" class="gap" style={{ height: `${rows * rowHeight}px` }} />
)
