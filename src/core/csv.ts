/** CSV (RFC 4180) for spreadsheets. The only writer: cells have texts of fans, of staff and of other systems. */

/** A record with its end. Numbers are written as they are. */
export const csvLine = (cells: (string | number | null | undefined)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`

/**
 * Places where a spreadsheet can begin a cell: the start, and after separators of other locales, whether or
 * not it respects quotes. After white space and quotes, one of these signs, also in full width, begins a
 * formula there.
 */
const FORMULA = /(^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/g
/** These characters at the start of a cell can also begin a formula: OWASP, "CSV Injection". */
const CONTROL = /^(?=[\t\r\n])/
const NEEDS_QUOTES = /[",;\t\r\n]/

function csvCell(value: string | number | null | undefined): string {
  const text = String(value ?? '')
  if (typeof value !== 'string') return text
  const harmless = text.replace(FORMULA, "$1'").replace(CONTROL, "'")
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
