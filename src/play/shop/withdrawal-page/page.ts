/** The page of withdrawals as HTML: forms that work without a script, and a receipt to print. */
import { moneyFormat } from '../../../core/format-money.ts'
import { formFrame } from '../../../platform/docs/form-page.ts'
import { POINTS } from '../../purchases/purchase.ts'
import type { Pair, ShownLine, ShownOrder } from './withdrawals.ts'
import { fill, type Words } from './words.ts'

export const PATH = '/withdraw'
export const CONFIRM = `${PATH}/confirm`
/** Served also where the documentation is not. */
export const assetPath = (name: string) => `${PATH}/assets/${name}`

const escaped = (text: string) => Bun.escapeHTML(text)

const frame = (words: Words, title: string, content: string) =>
  formFrame({ words, title, asset: assetPath, scripts: ['withdraw.js'], content })

export type Fault = 'noMatch' | 'limited' | 'failed' | 'notRefundable'

const faultOf = (text: string) => `<p class="fault" role="alert" id="fault">${text}</p>\n`

/** `typed`: what the person has sent, or the order of a link. */
export function formPage(words: Words, typed: Partial<Pair>, fault?: Fault): string {
  const isWrong = fault === 'noMatch' ? ' aria-invalid="true"' : ''
  const field = (name: keyof Pair, label: string, hint: string, attributes: string) => `<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${escaped(typed[name] ?? '')}" aria-describedby="${name}-hint${fault ? ' fault' : ''}" required dir="ltr" ${attributes}${isWrong}>
<small id="${name}-hint">${hint}</small>
</div>`
  return frame(
    words,
    words.title,
    `<p>${words.lead}</p>
${fault ? faultOf(words[fault]) : ''}<form method="post" action="${PATH}">
<input type="hidden" name="lang" value="${words.lang}">
${field('order', words.orderField, words.orderHint, 'maxlength="100" autocomplete="off" autocapitalize="none" spellcheck="false"')}
${field('email', words.email, words.emailHint, 'type="email" maxlength="254" autocomplete="email"')}
<button>${words.find}</button>
</form>
<p class="quiet">${words.help}</p>`,
  )
}

interface Shown {
  words: Words
  pair: Pair
  timeZone: string
}

const moneyOf = (words: Words, currency: string, amount: number): string => {
  if (currency === POINTS)
    return fill(words.inPoints, { amount: new Intl.NumberFormat(words.lang).format(amount) })
  return moneyFormat(currency, words.lang)(amount)
}

const timeOf = ({ words, timeZone }: Shown, at: Date) =>
  new Intl.DateTimeFormat(words.lang, { dateStyle: 'long', timeStyle: 'long', timeZone }).format(at)

const dayOf = ({ words, timeZone }: Shown, at: Date) =>
  new Intl.DateTimeFormat(words.lang, { dateStyle: 'long', timeZone }).format(at)

const nameOf = ({ names, quantity }: ShownLine, words: Words) => {
  // Guarantee of the cast: texts of the catalogue become strings in JSON.
  const texts = JSON.parse(JSON.stringify(names)) as string[]
  return `<strong><bdi>${escaped(texts.join(' · '))}</bdi> × ${new Intl.NumberFormat(words.lang).format(quantity)}</strong>`
}

/** What comes back of a line, as sentences. */
const refundsOf = ({ now, later }: ShownLine, currency: string, words: Words) =>
  [
    ...(now > 0 || later === 0 ? [[words.refundNow, now] as const] : []),
    ...(later > 0 ? [[words.refundLater, later] as const] : []),
  ]
    .map(
      ([text, amount]) =>
        `<small>${escaped(fill(text, { amount: moneyOf(words, currency, amount) }))}</small>`,
    )
    .join('\n')

const isOpen = ({ withdrawnAt, refusal }: ShownLine) => withdrawnAt === null && refusal === null

/** The lines of the order, and the second button. */
export function choicePage(order: ShownOrder, shown: Shown, fault?: 'chooseOne' | 'changed'): string {
  const { words, pair } = shown
  const items = order.lines.map(line => {
    const { number, withdrawnAt, refusal } = line
    if (isOpen(line))
      return `<li><label><input type="checkbox" name="lines" value="${number}" checked>
<span>${nameOf(line, words)}
${refundsOf(line, order.currency, words)}</span></label></li>`
    const why =
      withdrawnAt === null
        ? words.refusals[refusal ?? 'already_used']
        : fill(words.withdrawnAt, { time: timeOf(shown, withdrawnAt) })
    return `<li><div><span>${nameOf(line, words)}\n<small>${escaped(why)}</small></span></div></li>`
  })
  const list = `<ul>\n${items.join('\n')}\n</ul>`
  const about = `<p class="quiet"><bdi dir="ltr">${escaped(order.id)}</bdi><br>${escaped(fill(words.boughtOn, { day: dayOf(shown, order.createdAt) }))}</p>`
  const cancel = `<a class="button" href="${PATH}?lang=${words.lang}">${words.cancel}</a>`
  if (!order.lines.some(isOpen))
    return frame(words, words.title, `${about}\n<p>${words.nothingLeft}</p>\n${list}\n<p>${cancel}</p>`)
  return frame(
    words,
    words.choose,
    `${about}
${fault ? faultOf(words[fault]) : ''}<form method="post" action="${CONFIRM}">
<input type="hidden" name="lang" value="${words.lang}">
<input type="hidden" name="order" value="${escaped(pair.order)}">
<input type="hidden" name="email" value="${escaped(pair.email)}">
${list}
<p class="quiet">${words.means}: ${words[order.means]}</p>
<button>${words.confirm}</button>
${cancel}
</form>`,
  )
}

/** Of lines that were withdrawn. */
export function receiptPage(order: ShownOrder, shown: Shown): string {
  const { words } = shown
  const times = order.lines.flatMap(({ withdrawnAt }) => withdrawnAt?.getTime() ?? [])
  const items = order.lines.map(
    line =>
      `<li><div><span>${nameOf(line, words)}\n${refundsOf(line, order.currency, words)}</span></div></li>`,
  )
  const facts = [
    [words.time, escaped(timeOf(shown, new Date(Math.max(...times))))],
    [words.order, `<bdi dir="ltr">${escaped(order.id)}</bdi>`],
    [words.means, words[order.means]],
  ]
  const isAwaited = order.lines.some(({ later }) => later > 0)
  return frame(
    words,
    words.receipt,
    `<p class="done" role="status">${words.received}</p>
<div class="panel">
<dl>
${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('\n')}
</dl>
<ul>
${items.join('\n')}
</ul>
</div>
${isAwaited ? `<p>${words.sendBack}</p>\n` : ''}<p class="screen">${words.keep}</p>
<button id="print" type="button" hidden>${words.print}</button>`,
  )
}
