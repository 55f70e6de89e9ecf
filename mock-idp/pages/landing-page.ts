import { faultKinds, faultMatches } from '../faults/fault.ts'
import { webhookModes } from '../users/webhooks.ts'
import { type Html, html } from './html.ts'
import { pageResponse } from './layout.ts'

const calls = [
  ['GET, POST /_mock/users', 'list (?q=, ?limit=, ?offset=) and create users'],
  ['GET, PATCH, DELETE /_mock/users/{sub}', 'one user; a change sends a webhook'],
  ['POST /_mock/tokens', 'an access token for a user, valid or with a defect'],
  ['GET /_mock/keys, POST /_mock/keys/rotate, /_mock/keys/retire', 'signing keys'],
  ['GET, POST, DELETE /_mock/faults', 'errors, wrong responses and delays'],
  [
    'GET, PUT /_mock/webhooks, POST /_mock/webhooks/flush',
    'deliveries: normal, duplicate, reordered, delayed, paused',
  ],
  ['GET, POST /_mock/clock', 'read and advance its clock'],
  ['GET, DELETE /_mock/requests', 'the request log'],
  ['POST /_mock/reset', 'restore the state at start'],
] as const

const controls = [
  control('POST', '/_mock/faults', 'Add fault', [
    choice('match', 'Endpoint', faultMatches),
    choice('kind', 'Fault', faultKinds),
  ]),
  control('GET', '/_mock/faults', 'Show faults'),
  control('DELETE', '/_mock/faults', 'Delete faults'),
  control('POST', '/_mock/keys/rotate', 'Rotate keys'),
  control('POST', '/_mock/keys/retire', 'Retire old keys'),
  control('POST', '/_mock/clock', 'Advance clock', [
    html`<label>Milliseconds <input type="number" name="advanceMs" value="3600000" min="0" step="1" required></label>`,
  ]),
  control('GET', '/_mock/clock', 'Show clock'),
  control('PUT', '/_mock/webhooks', 'Set mode', [choice('mode', 'Webhooks', webhookModes)]),
  control('GET', '/_mock/webhooks', 'Show webhooks'),
  control('POST', '/_mock/webhooks/flush', 'Deliver pending webhooks'),
  control('POST', '/_mock/reset', 'Reset'),
]

/** The start page: links, buttons for control calls, and their list. */
export function landingPage({ issuer, fans }: { issuer: string; fans: number }): Response {
  return pageResponse({
    title: 'Start',
    scripts: ['/assets/controls.js'],
    header: html`<h1>Mock identity provider</h1>
<p class="lead">An OpenID Connect provider to develop and test against, with ${fans} generated fans to sign in as.</p>`,
    main: html`<section class="panel" aria-labelledby="links-heading">
<h2 id="links-heading">Links</h2>
<p>The issuer is <code>${issuer}</code>.</p>
<ul class="links">
<li><a href="/.well-known/openid-configuration">Discovery</a><span>endpoints and capabilities</span></li>
<li><a href="/.well-known/jwks.json">Keys</a><span>the public signing keys</span></li>
<li><a href="/_mock/users?limit=20">Fans</a><span>the users you can sign in as</span></li>
<li><a href="/_mock/requests">Requests</a><span>the latest requests</span></li>
</ul>
</section>
<section class="panel" aria-labelledby="controls-heading">
<h2 id="controls-heading">Controls</h2>
<div class="controls">
${controls}</div>
<h3 id="result-heading">Response</h3>
<pre id="result" role="status" tabindex="0" aria-labelledby="result-heading">Press a button.</pre>
</section>
<section class="panel" aria-labelledby="calls-heading">
<h2 id="calls-heading">Control calls</h2>
<p>JSON requests and responses, no authentication, loopback only.</p>
<div class="scroll" role="region" aria-labelledby="calls-heading" tabindex="0">
<table class="calls">
<thead><tr><th scope="col">Call</th><th scope="col">Effect</th></tr></thead>
<tbody>
${calls.map(([call, effect]) => html`<tr><td><code>${call}</code></td><td>${effect}</td></tr>\n`)}</tbody>
</table>
</div>
</section>`,
  })
}

/** A form that sends its fields as the JSON body of one control call. */
function control(method: string, path: string, label: string, fields: Html[] = []): Html {
  return html`<form data-method="${method}" data-path="${path}">${fields}<button class="action" type="submit">${label}</button></form>
`
}

function choice(name: string, label: string, values: readonly string[]): Html {
  return html`<label>${label} <select name="${name}">${values.map(value => html`<option>${value}</option>`)}</select></label>`
}
