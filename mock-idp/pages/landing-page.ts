import { html } from './html.ts'
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

/** The start page: links and the list of control calls. */
export function landingPage({ issuer, fans }: { issuer: string; fans: number }): Response {
  return pageResponse({
    title: 'Start',
    header: html`<h1>Mock identity provider</h1>
<p class="lead">An OpenID Connect provider to develop and test against, with ${fans} made-up fans to sign in as.</p>`,
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
