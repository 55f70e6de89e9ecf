/** Templates: text with `{{/pointer}}` into the data of the event. There are no expressions. */
import { startOf } from '../../core/cut-text.ts'
import { valueAt } from '../catalogue/conditions.ts'

const PLACE = /\{\{([^{}]{0,100})\}\}/g
const POINTER = /^(\/([^/~]|~[01])*)+$/
/** Values are plain text in one line, without characters that reverse the text around them. */
const UNWANTED = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu
const MAX_VALUE = 200

/** What is between braces and is no pointer. Null: nothing. */
export function faultIn(template: string): string | null {
  const wrong = [...template.matchAll(PLACE)].find(([, pointer = '']) => !POINTER.test(pointer))
  if (wrong) return `must have a JSON pointer between braces, such as {{/amount}}, and not ${wrong[0]}`
  return /\{\{|\}\}/.test(template.replaceAll(PLACE, '')) ? 'must close each {{ with }}' : null
}

export const hasPlaces = (template: string): boolean => template.search(PLACE) >= 0

/** The text with the values of the data. A member that is missing, null, a list or an object is given to `missing`. */
export function renderTemplate(
  template: string,
  data: unknown,
  { encode = text => text, missing }: { encode?: (text: string) => string; missing(pointer: string): void },
): string {
  return template.replaceAll(PLACE, (_, pointer: string) => {
    const value = valueAt(data, pointer)
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return encode(startOf(String(value).replaceAll(UNWANTED, ' '), MAX_VALUE))
    missing(pointer)
    return ''
  })
}
