/** The page of notices as HTML: a form that works without a script, and the receipt. */
import { formFrame } from '../../../platform/docs/form-page.ts'
import { NOTICE_CATEGORIES } from '../notice-kinds.ts'
import type { NewNotice, NoticeReceipt } from '../notice-schema.ts'
import type { Words } from './words.ts'

export const PATH = '/notice'
export const assetPath = (name: string) => `${PATH}/assets/${name}`

const escaped = (text: string) => Bun.escapeHTML(text)

const frame = (words: Words, title: string, content: string) =>
  formFrame({ words, title, asset: assetPath, content })

type Field = 'location' | 'category' | 'explanation' | 'name' | 'email' | 'goodFaith'

/** What the person has sent, or the address of a link. */
export type Typed = Partial<Record<Exclude<Field, 'goodFaith'>, string>> & { goodFaith?: boolean }

interface Faults {
  /** Above the form. */
  page: 'wrong' | 'limited' | 'failed'
  fields: ReadonlySet<string>
}

export function formPage(words: Words, typed: Typed, faults?: Faults): string {
  const isWrong = (name: Field) => faults?.fields.has(name) === true
  const whyOf = (name: Field) => (name === 'email' && typed.email ? words.notEmail : words.missing)
  /** The attributes of a control, and what is said below it. */
  const parts = (name: Field, hint = '') => {
    const described = [...(hint ? [`${name}-hint`] : []), ...(isWrong(name) ? [`${name}-wrong`] : [])]
    return {
      attributes: `id="${name}" name="${name}"${isWrong(name) ? ' aria-invalid="true"' : ''}${
        described.length > 0 ? ` aria-describedby="${described.join(' ')}"` : ''
      }`,
      below: `${hint ? `\n<small id="${name}-hint">${hint}</small>` : ''}${
        isWrong(name) ? `\n<small id="${name}-wrong" class="wrong">${whyOf(name)}</small>` : ''
      }`,
    }
  }
  const field = (name: Exclude<Field, 'goodFaith'>, control: (attributes: string) => string, hint = '') => {
    const { attributes, below } = parts(name, hint)
    return `<div class="field">\n<label for="${name}">${words[name]}</label>\n${control(attributes)}${below}\n</div>`
  }
  const area = (name: 'location' | 'explanation', rows: number, max: number) => (attributes: string) =>
    `<textarea ${attributes} rows="${rows}" maxlength="${max}" required dir="auto">\n${escaped(typed[name] ?? '')}</textarea>`
  const input = (name: 'name' | 'email', more: string) => (attributes: string) =>
    `<input ${attributes} value="${escaped(typed[name] ?? '')}" ${more}>`
  const options = NOTICE_CATEGORIES.map(
    category =>
      `<option value="${category}"${typed.category === category ? ' selected' : ''}>${words.categories[category]}</option>`,
  )
  const goodFaith = parts('goodFaith')
  return frame(
    words,
    words.title,
    `<p>${words.lead}</p>
${faults ? `<p class="fault" role="alert">${words[faults.page]}</p>\n` : ''}<form method="post" action="${PATH}">
<input type="hidden" name="lang" value="${words.lang}">
${field('location', area('location', 2, 2_000), words.locationHint)}
${field('category', attributes => `<select ${attributes} required>\n<option value=""></option>\n${options.join('\n')}\n</select>`)}
${field('explanation', area('explanation', 6, 5_000), words.explanationHint)}
${field('name', input('name', 'maxlength="100" autocomplete="name" dir="auto"'), words.notifierHint)}
${field('email', input('email', 'type="email" maxlength="254" autocomplete="email" dir="ltr"'), words.notifierHint)}
<div class="field">
<label class="check"><input ${goodFaith.attributes} type="checkbox" value="true" required${typed.goodFaith ? ' checked' : ''}> <span>${words.goodFaith}</span></label>${goodFaith.below}
</div>
<button>${words.send}</button>
</form>
<p class="quiet">${words.privacy}</p>`,
  )
}

export function receiptPage(words: Words, { receipt, createdAt, merged }: NoticeReceipt, timeZone: string) {
  const time = new Intl.DateTimeFormat(words.lang, { dateStyle: 'long', timeStyle: 'long', timeZone })
  return frame(
    words,
    words.receipt,
    `<p class="done" role="status">${words.received}</p>
<div class="panel">
<dl>
<div><dt>${words.number}</dt><dd><bdi dir="ltr">${escaped(receipt)}</bdi></dd></div>
<div><dt>${words.time}</dt><dd>${escaped(time.format(new Date(createdAt)))}</dd></div>
</dl>
</div>
${merged ? `<p>${words.merged}</p>\n` : ''}<p class="screen">${words.keep}</p>
<p class="screen"><a href="${PATH}?lang=${words.lang}">${words.again}</a></p>`,
  )
}

/** The notice of a form: empty fields are missing. Not validated. */
export function noticeOf({ goodFaith, ...texts }: Typed): unknown {
  const written = Object.entries(texts).filter(([, text]) => text.trim() !== '')
  return { ...Object.fromEntries(written), goodFaith } satisfies Partial<Record<keyof NewNotice, unknown>>
}
