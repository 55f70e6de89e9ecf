/** Escaped markup. Only `html` creates it. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | undefined | false | readonly Part[]

/** A tagged template that escapes every value except `Html`. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, string, n) => text + render(parts[n - 1]) + string))
}

function render(part: Part): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(render).join('')
  return escapeMarkup(String(part))
}

/** Escapes text for HTML, in elements and in quoted attributes. */
function escapeMarkup(text: string): string {
  return text.replace(/[&<>"'`]/g, character => `&#${character.charCodeAt(0)};`)
}
