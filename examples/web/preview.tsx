/**
 * An entry of the catalogue as this app shows it. The form of the console embeds the page, and sends it the entry by messages. The
 * language is that of the address, `?lang=pt`.
 */
import { render } from 'preact'
import type { Entry, Named } from './drafts.tsx'
import { applyLanguage } from './lang/lang.ts'
import { views } from './previews.tsx'

/** What the console sends as `preview`: an entry with its texts in one language, and addresses that the page can read. */
interface Shown {
  kind: string
  entry: Entry
  named: Named
  scheme: 'light' | 'dark'
}

function show({ kind, entry, named, scheme }: Shown): void {
  document.documentElement.style.colorScheme = scheme
  const root = document.getElementById('app')
  // As the API would get it: a member that is undefined is left out, and has its default.
  const draft: Entry = JSON.parse(JSON.stringify(entry))
  const content = views[kind]?.(draft, named)
  if (root) render(<main class="page preview">{content}</main>, root)
}

applyLanguage()
addEventListener('message', event => {
  // Other programs of the page send messages, too.
  if (event.origin === location.origin && event.source === parent && event.data?.preview)
    show(event.data.preview)
})
parent.postMessage('preview ready', location.origin)
