/** Tables as files for spreadsheets, with what their cells show. */
import { render } from 'preact'
import { harmless, saveCsv } from '../save-file.ts'
import type { Column } from './table-row.tsx'

const NUMBER = /^[+-]?[\d,]+(\.\d+)?$/

/** The text of a cell as it is drawn: times in full, numbers without separators, nothing for what is only for the eye. */
function textOf<Row>({ cell }: Column<Row>, row: Row): string {
  const drawn = document.createElement('div')
  render(<div>{cell(row)}</div>, drawn)
  for (const hidden of drawn.querySelectorAll(
    '[aria-hidden="true"], .none, .only-narrow, .unseen, button, input',
  ))
    hidden.remove()
  for (const time of drawn.querySelectorAll('time')) time.textContent = time.dateTime
  // A space between elements that follow each other.
  for (const element of drawn.querySelectorAll('bdi, span, p, a')) element.append(' ')
  const text = (drawn.textContent ?? '').replace(/\s+/g, ' ').trim()
  render(null, drawn)
  const number = text.replace('−', '-')
  return NUMBER.test(number) ? number.replaceAll(',', '') : harmless(text)
}

export function saveTable<Row>(label: string, columns: Column<Row>[], rows: Row[]): void {
  const written = columns.filter(({ id }) => id !== 'actions' && id !== 'end')
  saveCsv(label, [
    written.map(({ title }) => title),
    ...rows.map(row => written.map(column => textOf(column, row))),
  ])
}
