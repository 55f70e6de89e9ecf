/** The receipt as a page to print: one file without scripts and other files, so that it can be saved. */
import { moneyFormat } from '../../core/format-money.ts'
import { POINTS } from '../purchases/purchase.ts'
import type { Receipt } from './schema.ts'
import type { Words } from './words.ts'

const STYLE = `
:root { color-scheme: light; }
body { margin: 2rem auto; max-width: 48rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #111; background: #fff; overflow-wrap: anywhere; }
section { break-inside: avoid; margin-block: 2rem; }
h1, h2 { line-height: 1.2; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 1rem; }
dd { margin: 0; white-space: pre-line; }
.table { overflow-x: auto; }
table { border-collapse: collapse; inline-size: 100%; }
th, td { padding: 0.35rem 0.5rem; text-align: start; border-block-end: 1px solid #bbb; }
tr > :first-child { min-inline-size: 9rem; }
.amount { text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
tfoot { font-weight: 600; }
@page { margin: 2cm; }
@media print { body { margin: 0; max-width: none; padding: 0; font-size: 10pt; } .table { overflow: visible; } }
`

const hash = new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')
export const RECEIPT_POLICY = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const escaped = (text: string) => Bun.escapeHTML(text)

type Numbered = Receipt['creditNotes'][number]

/** `receipt`: in the language of the words. `number`: of the receipt or credit note that is shown alone, instead of all. */
export function receiptPage(receipt: Receipt, words: Words, timeZone: string, number?: number): string {
  const { lang, dir } = words
  const titleOf = (of: Numbered) => `${of === receipt ? words.receipt : words.creditNote} ${of.number}`
  const note = receipt.creditNotes.find(one => one.number === number)
  const first = note ?? receipt
  const others = number === undefined ? receipt.creditNotes : []
  const title = titleOf(first)
  return `<!doctype html>
<html lang="${lang}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${partiesOf(receipt, words, note ? [[words.receipt, String(receipt.number)]] : [])}
${sectionOf(receipt, first, title, words, timeZone)}
${others.map(other => `<h2>${escaped(titleOf(other))}</h2>\n${sectionOf(receipt, other, titleOf(other), words, timeZone)}`).join('\n')}
</main>
</body>
</html>
`
}

function partiesOf({ orderId, seller, buyer }: Receipt, words: Words, further: string[][]): string {
  const from = [seller.name, seller.address].flatMap(text => text ?? []).join('\n')
  const to = buyer
    ? [...[buyer.name, buyer.line1, buyer.line2, buyer.postalCode, buyer.city, buyer.region], buyer.country]
        .flatMap(text => text ?? [])
        .join('\n')
    : ''
  const facts = [
    [words.order, orderId],
    ...further,
    [words.seller, from],
    [words.taxId, seller.taxId ?? ''],
    [words.buyer, to],
  ]
  return definitions(facts)
}

const definitions = (facts: string[][]) =>
  `<dl>${facts.map(([name = '', text = '']) => (text === '' ? '' : `<dt>${escaped(name)}</dt><dd dir="auto">${escaped(text)}</dd>`)).join('')}</dl>`

function sectionOf({ currency }: Receipt, numbered: Numbered, title: string, words: Words, timeZone: string) {
  const { lang } = words
  const money = amountsIn(currency, words)
  const percent = new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: 4 })
  const date = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone })
  const number = new Intl.NumberFormat(lang)
  const cell = (text: string) => `<td class="amount">${escaped(text)}</td>`
  const heads = [words.quantity, words.rate, words.net, words.tax, words.gross]
  const rows = numbered.lines.map(line => {
    const name = line.variant === null ? line.name : `${line.name}, ${line.variant}`
    const rate = line.taxRate === null ? '–' : percent.format(line.taxRate)
    const amounts = [line.net, line.tax, line.gross].map(money)
    return `<tr><th scope="row" dir="auto">${escaped(name)}</th>${[number.format(line.quantity), rate, ...amounts].map(cell).join('')}</tr>`
  })
  const totals = [numbered.net, numbered.tax, numbered.gross].map(money)
  return `<section>
${definitions([
  [words.number, String(numbered.number)],
  [words.date, date.format(new Date(numbered.issuedAt))],
])}
<div class="table" role="region" tabindex="0" aria-label="${escaped(title)}"><table>
<thead><tr><th scope="col">${escaped(words.item)}</th>${heads.map(text => `<th scope="col" class="amount">${escaped(text)}</th>`).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody>
<tfoot><tr><th scope="row" colspan="3">${escaped(words.total)}</th>${totals.map(cell).join('')}</tr></tfoot>
</table></div>
</section>`
}

function amountsIn(currency: string, { lang, points }: Words): (amount: number) => string {
  if (currency !== POINTS) return moneyFormat(currency, lang)
  const numbers = new Intl.NumberFormat(lang)
  return amount => `${numbers.format(amount)} ${points}`
}
