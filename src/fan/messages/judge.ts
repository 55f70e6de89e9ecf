/** What a notification makes of an event: its texts in the language of the fan, or why there are none. */
import { type Condition, findUnmet } from '../../club/catalogue/conditions.ts'
import { presentText } from '../../club/catalogue/texts.ts'
import type { Notification } from '../../club/notifications/notifications.ts'
import { renderTemplate } from '../../club/notifications/template.ts'
import { cutText } from '../../core/cut-text.ts'
import { MAX_URL_LENGTH } from '../../core/https-url.ts'
import { fallbacksOf } from '../../core/language-tags.ts'
import { renderIn } from '../../core/texts.ts'

interface MessageTexts {
  title: string
  body: string
  url: string | null
}

export type Judgement =
  | { outcome: 'rendered'; texts: MessageTexts }
  | { outcome: 'unmet'; condition: Condition }
  /** The data has no value at this pointer. */
  | { outcome: 'missing'; pointer: string }

/** Longer texts are cut. */
const MAX_TITLE = 200
const MAX_BODY = 1_000

/** `data` may have texts of the catalogue, such as names of teams. */
export function judge(notification: Notification, data: unknown, locale: string | null): Judgement {
  const { title, body, url, when } = notification
  const texts = { title: presentText(title), body: presentText(body), data }
  const { value } = renderIn(fallbacksOf(locale ?? ''), () => JSON.stringify(texts))
  // Guarantee of the cast: texts are rendered as strings.
  const shown = JSON.parse(value) as { title: string; body: string; data: unknown }
  const condition = findUnmet(when, shown.data)
  if (condition) return { outcome: 'unmet', condition }
  let absent: string | null = null
  const missing = (pointer: string) => {
    absent ??= pointer
  }
  const rendered = {
    title: cutText(renderTemplate(shown.title, shown.data, { missing }), MAX_TITLE),
    body: cutText(renderTemplate(shown.body, shown.data, { missing }), MAX_BODY),
    url:
      url === null ? null : urlOf(renderTemplate(url, shown.data, { encode: encodeURIComponent, missing })),
  }
  return absent === null ? { outcome: 'rendered', texts: rendered } : { outcome: 'missing', pointer: absent }
}

/** A part of an address leads elsewhere: one that is too long is left out. */
const urlOf = (url: string) => (url.length <= MAX_URL_LENGTH ? url : null)

/** As `judge`, once for each notification, data and language. */
export function createJudge(): typeof judge {
  const known = new Map<unknown, Map<string, Judgement>>()
  return (notification, data, locale) =>
    known
      .getOrInsertComputed(data, () => new Map())
      .getOrInsertComputed(`${notification.id} ${locale}`, () => judge(notification, data, locale))
}
