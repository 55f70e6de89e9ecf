/** The gate display: a page that shows the check-in code of a match as a QR code. */
import { join } from 'node:path'
import { pageResponse } from '../../platform/docs/page-response.ts'
import { serveStatic } from '../../platform/docs/static-files.ts'

interface PageOptions {
  /** The app's page for check-ins, which the QR code opens; null: the QR code contains only the code. */
  link: string | null
  /** Path of the API that returns a match and its code, followed by the id of the match. */
  matches: string
  /** Whether the session of the browser reads the code. Otherwise staff enter a server key. */
  session: boolean
  /** The origin of pictures whose address is a path. Default: that of the page. */
  images?: string
}

const keyForm = `<form id="key" hidden>
<h2>For staff</h2>
<label for="server-key">Server key</label>
<input id="server-key" type="password" autocomplete="off" spellcheck="false" required>
<button>Show the code</button>
<p>The key is kept until this tab is closed or reloaded, and nowhere else.</p>
</form>`

const signIn = `<section id="key" hidden>
<h2>For staff</h2>
<p><a href="/" target="_blank">Sign in to the console.</a> This page then continues by itself.</p>
</section>`

const page = ({ link, matches, session, images }: PageOptions) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Check in · Matchday</title>
<link rel="stylesheet" href="/check-in/assets/check-in.css">
</head>
<body>
<main id="gate" data-matches="${matches}"${session ? ' data-session' : ''}${images === undefined ? '' : ` data-images="${Bun.escapeHTML(images)}"`}${link === null ? '' : ` data-link="${Bun.escapeHTML(link)}"`}>
<section class="about">
<p class="crests" id="crests" aria-hidden="true"></p>
<p class="kicker" id="competition">Match day</p>
<h1>Check in</h1>
<p class="teams" id="match"></p>
<dl id="facts" hidden>
<div><dt>Kick-off</dt><dd id="kickoff"></dd></div>
<div id="venue-fact"><dt>Venue</dt><dd id="venue"></dd></div>
<div id="window-fact"><dt>Check-in</dt><dd id="window"></dd></div>
</dl>
<p id="state" role="status">Reading the match …</p>
</section>
<section class="way">
${session ? signIn : keyForm}
<figure id="shown" hidden>
<p class="how">${link === null ? 'Scan it in the app' : "Point your phone's camera here"}</p>
<canvas id="qr" role="img" aria-label="QR code: scan it with the camera of a phone"></canvas>
<figcaption>Or type it in the app: <code id="code"></code></figcaption>
</figure>
</section>
</main>
<noscript><p>This page needs JavaScript.</p></noscript>
<script type="module" src="/check-in/assets/check-in.js"></script>
</body>
</html>
`

const ours = (name: string) => join(import.meta.dir, 'assets', name)
const SCRIPT = 'text/javascript; charset=utf-8'

/** By name below /check-in/assets. */
export const assets = {
  'check-in.css': { type: 'text/css; charset=utf-8', file: ours('check-in.css') },
  'check-in.js': { type: SCRIPT, file: ours('check-in.js') },
  'lean-qr.mjs': { type: SCRIPT, file: join(import.meta.dir, '../../../node_modules/lean-qr/index.mjs') },
}

/**
 * Allows this origin only, except for crests: a catalogue can name pictures on any https origin. `images`: further origins
 * of pictures.
 */
const policyOf = (images: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data: https: ${images}`.trim(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The files below `/check-in`, by path: the page of each match, and the assets that it loads. */
export function gateFiles(options: PageOptions) {
  const { images = '' } = options
  const html = page(options)
  return {
    page: () => pageResponse(html, 'text/html; charset=utf-8', policyOf(images)),
    assets: Object.entries(assets).map(
      ([name, asset]) =>
        [`/assets/${name}`, ({ request }: { request: Request }) => serveStatic(request, asset)] as const,
    ),
  }
}
