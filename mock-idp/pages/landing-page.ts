import { html } from './html.ts'
import { pageResponse } from './layout.ts'

const calls = [
  ['GET, POST /_mock/users', 'list (?q=, ?limit=, ?offset=) and make users'],
  ['GET, PATCH, DELETE /_mock/users/{sub}', 'one user; a change sends a webhook'],
  ['POST /_mock/tokens', 'a token for a user, good or with a defect'],
  ['GET /_mock/keys, POST /_mock/keys/rotate, /_mock/keys/retire', 'signing keys'],
  ['GET, POST, DELETE /_mock/faults', 'outages, lies and slowness, on demand'],
  ['GET, PUT /_mock/webhooks, POST /_mock/webhooks/flush', 'deliveries: doubled, reordered, delayed, paused'],
  ['GET, POST /_mock/clock', 'its time, and moving it ahead'],
  ['GET, DELETE /_mock/requests', 'what it was asked'],
  ['POST /_mock/reset', 'back to the seed'],
] as const

/** The start page: what this is, and where to go. */
export function landingPage({ issuer, fans }: { issuer: string; fans: number }): Response {
  return pageResponse({
    title: 'Start',
    header: html`<h1>A stand full of fans</h1>
<p class="lead">An OpenID Connect provider to develop and test against, with ${fans} made-up fans to sign in as.</p>`,
    main: html`<section class="panel" aria-labelledby="links-heading">
<h2 id="links-heading">Where to look</h2>
<p>The issuer is <code>${issuer}</code>.</p>
<ul class="links">
<li><a href="/.well-known/openid-configuration">Discovery</a><span>where everything is</span></li>
<li><a href="/.well-known/jwks.json">Keys</a><span>what tokens are signed with</span></li>
<li><a href="/_mock/users?limit=20">Fans</a><span>who there is to sign in as</span></li>
<li><a href="/_mock/requests">Requests</a><span>what it was asked lately</span></li>
</ul>
</section>
<section class="panel" aria-labelledby="calls-heading">
<h2 id="calls-heading">Control calls</h2>
<p>JSON in, JSON out, no authentication, this machine alone.</p>
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
