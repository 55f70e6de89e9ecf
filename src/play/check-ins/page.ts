/** The page for a tablet at the gate: it shows the check-in code as a QR code. */
import { join } from 'node:path'

export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Check in · Matchday</title>
<link rel="stylesheet" href="/check-in/assets/check-in.css">
</head>
<body>
<main>
<h1>Check in</h1>
<p id="match"></p>
<form id="key" hidden>
<label for="server-key">Server key</label>
<input id="server-key" type="password" autocomplete="off" spellcheck="false" required>
<button>Show the code</button>
<p>The key is kept until this tab is closed or reloaded, and nowhere else.</p>
</form>
<figure id="shown" hidden>
<canvas id="qr" role="img" aria-label="QR code: scan it in the app"></canvas>
<figcaption><code id="code"></code></figcaption>
</figure>
<p id="state" role="status"></p>
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
