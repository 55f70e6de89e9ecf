import type { OAuthError } from '../oidc/oauth-error.ts'
import { html } from './html.ts'
import { pageResponse } from './layout.ts'

/** A page with one message. */
export function messagePage(title: string, message: string): Response {
  return pageResponse({
    title,
    header: html`<h1>${title}</h1>`,
    main: html`<section class="panel"><p>${message}</p><p><a class="action" href="/">Go to the start page</a></p></section>`,
  })
}

/** The page of an error. Its reader is a developer, so it shows the cause. */
export function errorPage({ status, error, description }: OAuthError): Response {
  return pageResponse({
    title: 'This sign-in cannot continue',
    status,
    header: html`<h1>This sign-in cannot continue</h1>`,
    main: html`<section class="panel">
<p>${description}</p>
<p class="quiet">Error code: <code>${error}</code>. The app was not informed, because the request names no valid redirect URI.</p>
</section>`,
  })
}
