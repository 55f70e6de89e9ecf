/** The frame of a chart: its legend, its table, which screen readers always have, and its files: CSV and PNG. */
import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { saveChartTable, savePng } from './chart-files.ts'
import { formatCount } from './format.ts'
import { None } from './values.tsx'

export type Cell = string | number | null

interface ChartFrameProps {
  /** A description: "Points granted and spent a day". */
  label: string
  legend?: { name: string; total?: number | undefined }[]
  /** The first is the head of each row. */
  columns: string[]
  rows: Cell[][]
  /** The picture, hidden from screen readers. Without one, the table is always shown. */
  children?: ComponentChildren
}

export function ChartFrame({ label, legend = [], columns, rows, children }: ChartFrameProps) {
  const [isChosen, setTable] = useState(false)
  const figure = useRef<HTMLElement>(null)
  const id = useId()
  const isTable = isChosen || children === undefined
  const save = () => figure.current && savePng(figure.current, { label, legend: legend.map(one => one.name) })
  return (
    <figure class="chart" aria-label={label} ref={figure}>
      <figcaption>
        <ul class="legend">
          {legend.map(({ name, total }, nth) => (
            <li key={name}>
              <span class={`swatch series-${nth + 1}`} aria-hidden="true" />
              <span>{name}</span>
              {total !== undefined && <strong>{formatCount(total)}</strong>}
            </li>
          ))}
        </ul>
        <div class="actions">
          {children !== undefined && (
            <Button
              kind="quiet"
              small
              pressed={isTable}
              label={`Show as table: ${label}`}
              onClick={() => setTable(!isTable)}
            >
              Table
            </Button>
          )}
          <Button
            kind="quiet"
            small
            label={`Download CSV: ${label}`}
            onClick={() => saveChartTable(label, columns, rows)}
          >
            CSV
          </Button>
          {!isTable && (
            <Button kind="quiet" small label={`Download PNG: ${label}`} onClick={save}>
              PNG
            </Button>
          )}
        </div>
      </figcaption>
      {!isTable && children}
      <section
        class={isTable ? 'chart-table' : 'unseen'}
        tabIndex={isTable ? 0 : undefined}
        aria-labelledby={id}
      >
        <table>
          <caption id={id} class="unseen">{`${label}, as a table`}</caption>
          <thead>
            <tr>
              {columns.map((column, nth) => (
                <th key={column} scope="col" class={nth > 0 && isNumeric(rows, nth) ? 'end' : undefined}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, nth) => (
              <tr key={nth}>
                {row.map((cell, column) =>
                  column === 0 ? (
                    <th key={column} scope="row">
                      <Shown cell={cell} />
                    </th>
                  ) : (
                    <td key={column} class={isNumeric(rows, column) ? 'end' : undefined}>
                      <Shown cell={cell} />
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </figure>
  )
}

const isNumeric = (rows: Cell[][], column: number) => rows.every(row => typeof row[column] !== 'string')

const Shown = ({ cell }: { cell: Cell }) => {
  if (cell === null) return <None why="Not known" />
  return <bdi>{typeof cell === 'number' ? formatCount(cell) : cell}</bdi>
}
