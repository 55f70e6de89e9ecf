/** The page for a screen at the gate: it shows the check-in code of a match as a QR code. */
import { join } from 'node:path'

/** `link`: the app's page for check-ins, which the QR code opens; null: it has the code alone. */
export const page = (link: string | null) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Check in · Matchday</title>
<link rel="stylesheet" href="/check-in/assets/check-in.css">
</head>
<body>
<main id="gate"${link === null ? '' : ` data-link="${Bun.escapeHTML(link)}"`}>
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
<form id="key" hidden>
<h2>For staff</h2>
<label for="server-key">Server key</label>
<input id="server-key" type="password" autocomplete="off" spellcheck="false" required>
<button>Show the code</button>
<p>The key is kept until this tab is closed or reloaded, and nowhere else.</p>
</form>
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
