/** Code of the guide as HTML with classes, so that the policy of the pages needs no inline styles. */
import { highlighter } from './highlighter.js'

/** What readers call the languages of code blocks. */
const NAMES: Record<string, string> = {
  caddy: 'Caddyfile',
  console: 'Terminal',
  csv: 'CSV',
  http: 'HTTP',
  ini: 'INI',
  js: 'JavaScript',
  json: 'JSON',
  kotlin: 'Kotlin',
  sh: 'Shell',
  sql: 'SQL',
  swift: 'Swift',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  yaml: 'YAML',
}

export const nameOfLanguage = (language: string): string => NAMES[language] ?? 'Text'

export function highlight(code: string, language: string): string {
  if (language === 'console') return highlightSession(code)
  if (highlighter.getLanguage(language) === undefined) return Bun.escapeHTML(code)
  return highlighter.highlight(code, { language }).value
}

/** A line that starts with `$ ` is a command, which the copy button takes; the others are its output. */
const highlightSession = (session: string): string =>
  session
    .trimEnd()
    .split('\n')
    .map(line =>
      line.startsWith('$ ')
        ? `<span class="prompt">$ </span><span class="command">${highlight(line.slice(2), 'bash')}</span>`
        : `<span class="output">${Bun.escapeHTML(line)}</span>`,
    )
    .join('\n')
