/** The receipts of a month as CSV, for the accounts of the club: credit notes are negative, so that each column adds up. */
import type { Reader } from '../../../db/index.ts'
import { csvLine } from '../../core/csv.ts'
import { windowAt } from '../../core/windows.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import { eachReceipt, linesOf, type ReceiptLine, type ReceiptRow } from '../purchases/receipts.ts'
import { rateOf } from '../purchases/tax-rate.ts'

const COLUMNS = [
  ...['number', 'date', 'order', 'country', 'rate', 'net', 'tax', 'gross', 'currency', 'kind'],
] as const

/**
 * `month`: such as 2026-11, in the time zone of the club. A receipt has a row for each rate of its lines; series after series, by
 * number.
 */
export async function* receiptsCsv(reader: Reader, month: string): AsyncGenerator<string> {
  const timeZone = await timeZoneOf(reader)
  const middle = new Date(`${month}-15T12:00:00Z`)
  const { startsAt, endsAt } = windowAt('month', middle, timeZone)
  yield csvLine([...COLUMNS])
  for await (const row of eachReceipt(reader, startsAt, endsAt))
    yield rowsOf(row, windowAt('day', row.createdAt, timeZone).key)
      .map(cells => csvLine(cells))
      .join('')
}

function rowsOf(row: ReceiptRow, date: string): (string | number | null)[][] {
  const { number, purchaseId, country, currency, kind } = row
  const sign = kind === 'credit_note' ? -1 : 1
  const byRate = Map.groupBy(linesOf(row), ({ taxMillionths }) => taxMillionths)
  return [...byRate].map(([taxMillionths, lines]) => {
    const sumOf = (name: 'net' | 'tax' | 'gross') => {
      const sum = lines.reduce((total, line: ReceiptLine) => total + line[name], 0)
      return sum === 0 ? 0 : sign * sum
    }
    return [
      number,
      date,
      purchaseId,
      country,
      rateOf(taxMillionths),
      ...[sumOf('net'), sumOf('tax'), sumOf('gross')],
      currency,
      kind,
    ]
  })
}
