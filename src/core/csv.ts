/** CSV (RFC 4180) for spreadsheets. The only writer: cells have texts of fans, of staff and of other systems. */

/** A record with its end. Numbers are written as they are. */
export const csvLine = (cells: (string | number | null | undefined)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`

/**
 * Where a spreadsheet may begin a cell: at the start, and after what it splits at in other locales, whatever it makes of quotes. There it
 * would run what begins with one of these signs, also in full width, and trims what stands before it.
 */
const FORMULA = /(^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/g
/** As a first character, itself a way to begin a formula: OWASP, "CSV Injection". */
const CONTROL = /^(?=[\t\r\n])/
const NEEDS_QUOTES = /[",;\t\r\n]/

function csvCell(value: string | number | null | undefined): string {
  const text = String(value ?? '')
  if (typeof value !== 'string') return text
  const harmless = text.replace(FORMULA, "$1'").replace(CONTROL, "'")
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
