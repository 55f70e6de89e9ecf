import type { Refusal } from '../oidc/refusal.ts'
import { html } from './html.ts'
import { pageResponse } from './layout.ts'

/** A page that says one thing. */
export function messagePage({
  title,
  message,
  status,
}: {
  title: string
  message: string
  status?: number
}): Response {
  return pageResponse({
    title,
    status,
    header: html`<h1>${title}</h1>`,
    main: html`<section class="panel"><p>${message}</p><p><a class="action" href="/">To the start page</a></p></section>`,
  })
}

/** A refusal as a person sees it. The reader is a developer, so it says what was wrong. */
export function errorPage({ status, error, description }: Refusal): Response {
  return pageResponse({
    title: 'This sign-in cannot go on',
    status,
    header: html`<h1>This sign-in cannot go on</h1>`,
    main: html`<section class="panel">
<p>${description}</p>
<p class="quiet">Error code: <code>${error}</code>. Nothing was sent back to the app, because it is not certain where to.</p>
</section>`,
  })
}
