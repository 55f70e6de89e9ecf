import { type Html, html } from './html.ts'

export interface Page {
  title: string
  header: Html
  main: Html
  status?: number
  /** The page's own scripts, by path. */
  scripts?: readonly string[]
  /** Further CSP `form-action` sources, in addition to the provider itself. */
  formActions?: readonly string[]
}

/** A page in the provider's layout: no inline script or style, no other origins, no framing, no caching. */
export function pageResponse({
  title,
  header,
  main,
  status = 200,
  scripts = [],
  formActions = [],
}: Page): Response {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Matchday mock identity provider</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/base.css">
<link rel="stylesheet" href="/assets/parts.css">
${scripts.map(path => html`<script src="${path}" defer></script>\n`)}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="pitch"><div class="column">
<p class="notice"><strong>Mock provider for development.</strong> No password is needed. All users are made up.</p>
${header}
</div></header>
<main id="main" class="column" tabindex="-1">
${main}
</main>
<footer class="column"><p>Matchday mock identity provider · <a href="/">What is this?</a></p></footer>
</body>
</html>
`
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    `form-action ${["'self'", ...formActions].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return new Response(document.text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'x-content-type-options': 'nosniff',
      // With no-referrer, browsers would send Origin: null on the sign-in's POST.
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    },
  })
}
