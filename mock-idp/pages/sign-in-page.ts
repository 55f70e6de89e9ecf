import type { AuthorizeRequest } from '../oidc/authorize-request.ts'
import { formActionSource } from '../oidc/clients.ts'
import { paths } from '../oidc/discovery.ts'
import { type Stage, stageNames } from '../users/stages.ts'
import type { User } from '../users/user.ts'
import { type Html, html } from './html.ts'
import { pageResponse } from './layout.ts'

const pageSize = 24

export interface SignIn {
  request: AuthorizeRequest
  /** The fan that `login_hint` names. */
  hinted?: User
  /** The fan that this browser is signed in as. */
  current?: User
  /** Every fan that matches the search. */
  users: User[]
  /** The stage of a fan in a seeded database. */
  stageOf: StageOf
  /** The number of fans without a search. */
  total: number
  search: string
  /** From 1. */
  page: number
}

type StageOf = (sub: string) => Stage | undefined

/** The sign-in page: a plain form with a button for each fan, and a plain search form. It works without scripts. */
export function signInPage({
  request,
  hinted,
  current,
  users,
  stageOf,
  total,
  search,
  page,
}: SignIn): Response {
  const pages = Math.max(1, Math.ceil(users.length / pageSize))
  const currentPage = Math.min(Math.max(1, page), pages)
  const shown = users.slice((currentPage - 1) * pageSize, currentPage * pageSize)
  const hidden = [...request.parameters].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const first = hinted ?? current
  const title = `Sign in to ${request.client.name}`
  return pageResponse({
    title,
    scripts: ['/assets/sign-in.js'],
    formActions: [formActionSource(request.redirectUri)],
    header: html`<h1>Choose a fan</h1>
<p class="lead">Pick a fan to sign in to <strong>${request.client.name}</strong>.</p>
<form class="search" role="search" method="get" action="${paths.authorize}" id="search">
${hidden}
<label for="q">Search by name, username or email</label>
<div class="search-row">
<input type="search" id="q" name="q" value="${search}" maxlength="100" autocomplete="off" spellcheck="false" aria-controls="fans">
<button type="submit">Search</button>
</div>
</form>`,
    main: html`${first && pinned(first, hinted ? 'Suggested by the app' : 'Continue as', hidden, stageOf)}
<section aria-labelledby="fans-heading">
<div class="section-head">
<h2 id="fans-heading">Fans</h2>
<p id="count" role="status" aria-live="polite">${countText(users.length, total, shown.length, (currentPage - 1) * pageSize)}</p>
</div>
<div id="fans">
${shown.length === 0 ? emptyResult(request, search) : fanForm(shown, hidden, stageOf)}
${pages > 1 && pager(request, search, currentPage, pages)}
</div>
</section>`,
  })
}

function pinned(user: User, heading: string, hidden: Html[], stageOf: StageOf): Html {
  return html`<section class="pinned" aria-labelledby="pinned-heading">
<h2 id="pinned-heading">${heading}</h2>
${fanForm([user], hidden, stageOf)}
</section>`
}

function fanForm(users: User[], hidden: Html[], stageOf: StageOf): Html {
  return html`<form method="post" action="${paths.authorize}">
${hidden}
<ul class="fans">
${users.map(user => fanCard(user, stageOf(user.sub)))}</ul>
</form>`
}

function fanCard(user: User, stage: Stage | undefined): Html {
  const { sub, preferred_username, email, locale } = user
  const avatar = `/avatars/${encodeURIComponent(sub)}.png`
  return html`<li><button class="fan" type="submit" name="sub" value="${sub}">
<img src="${avatar}" alt="" width="64" height="64" loading="lazy">
<span class="fan-text"><span class="unseen">Sign in as </span><bdi class="fan-name"${locale !== undefined && html` lang="${locale}"`}>${displayName(user)}</bdi>
<span class="fan-handle">${preferred_username === undefined ? sub : `@${preferred_username}`}</span>
${preferred_username !== undefined && html`<span class="fan-id">${sub}</span>`}
${email !== undefined && html`<span class="fan-email">${email}</span>`}
${stage !== undefined && html`<span class="fan-stage">Seeded ${stageNames[stage]}</span>`}</span>
</button></li>
`
}

function displayName({ name, preferred_username, email, sub }: User): string {
  return name ?? preferred_username ?? email ?? sub
}

function countText(found: number, total: number, shown: number, before: number): string {
  if (found === 0) return `No fan found among ${total}`
  const range = shown === found ? '' : `${before + 1}–${before + shown} of `
  return `${range}${found} ${found === 1 ? 'fan' : 'fans'}${found < total ? ' found' : ''}`
}

function emptyResult(request: AuthorizeRequest, search: string): Html {
  return html`<div class="panel empty">
<img src="/assets/icon.svg" alt="" width="72" height="72">
<h3>${search === '' ? 'There are no fans' : html`No fan matches “<bdi>${search}</bdi>”`}</h3>
<p>${search === '' ? 'Create some with POST /_mock/users.' : 'Try a part of a name, a username or an email address.'}</p>
${search !== '' && html`<p><a class="action" href="${pageHref(request, '', 1)}">Show all fans</a></p>`}
</div>`
}

function pager(request: AuthorizeRequest, search: string, currentPage: number, pages: number): Html {
  const link = (page: number, label: string, rel: string) =>
    page >= 1 &&
    page <= pages &&
    html`<a class="action" rel="${rel}" href="${pageHref(request, search, page)}">${label}</a>`
  return html`<nav class="pager" aria-label="Pages of fans">
${link(currentPage - 1, '← Previous', 'prev')}
<span>Page ${currentPage} of ${pages}</span>
${link(currentPage + 1, 'Next →', 'next')}
</nav>`
}

function pageHref({ parameters }: AuthorizeRequest, search: string, page: number): string {
  const query = new URLSearchParams([...parameters])
  query.set('q', search)
  if (page > 1) query.set('page', String(page))
  return `${paths.authorize}?${query}`
}
