/** Files that the browser downloads: content that a page has, and rows as CSV (RFC 4180) for spreadsheets. */

export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // The download has begun, but may not have read it yet.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** The name of a file, from that of a table or chart. */
export const fileNameOf = (label: string) =>
  label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** As in `core/csv.ts`, which pages do not import: places and signs with which a spreadsheet begins a formula. */
const FORMULA = /(^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠])/g
const CONTROL = /^(?=[\t\r\n])/

/** A text of which no spreadsheet makes a formula: an apostrophe comes before it. */
export const harmless = (text: string) => text.replace(FORMULA, "$1'").replace(CONTROL, "'")

const quoted = (text: string) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The first line has the titles. Texts of others are `harmless` already. */
export function saveCsv(label: string, lines: string[][]): void {
  const text = lines.map(line => `${line.map(quoted).join(',')}\r\n`).join('')
  // With a byte order mark, or Excel reads another encoding.
  saveFile(new Blob(['\uFEFF', text], { type: 'text/csv' }), `${fileNameOf(label)}.csv`)
}
