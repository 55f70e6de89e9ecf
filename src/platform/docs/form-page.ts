/** Pages with forms that work without a script, in the words of the page. */
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { TSchema } from '../../core/typebox.ts'
import { Nothing, pageDetail } from '../http/contract/operation.ts'
import type { Bodies } from '../http/edge/body.ts'
import { htmlPage } from './html-page.ts'
import { pageResponse } from './page-response.ts'
import { serveStatic } from './static-files.ts'

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const HTML = 'text/html; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

const shared = (name: string) => join(import.meta.dir, 'assets', name)
const ASSETS = {
  'form-page.css': { type: STYLE, file: shared('form-page.css') },
  'matchday.css': { type: STYLE, file: shared('matchday.css') },
  'icon.svg': { type: 'image/svg+xml', file: shared('icon.svg') },
}

interface FormPage {
  words: { lang: string; dir: string }
  title: string
  /** The address of a file of `formAssets`. */
  asset: (name: string) => string
  scripts?: string[]
  /** HTML after the heading. */
  content: string
}

export const formFrame = ({ words, title, asset, scripts = [], content }: FormPage) =>
  htmlPage({
    styles: ['form-page.css'],
    scripts,
    asset,
    lang: words.lang,
    dir: words.dir === 'rtl' ? 'rtl' : 'ltr',
    title,
    head: '<meta name="robots" content="noindex">',
    links: [],
    home: '/',
    content: `<main class="form-page">\n<h1>${title}</h1>\n${content}\n</main>`,
  })

/** Serves the files of the page, also where the documentation is not served. `more`: those of this page alone. */
export function formAssets(
  asset: (name: string) => string,
  more: Record<string, { type: string; file: string }> = {},
) {
  const routes = new Elysia()
  for (const [name, file] of Object.entries({ ...ASSETS, ...more }))
    routes.get(asset(name), ({ request }) => serveStatic(request, file), {
      query: Nothing,
      detail: { hide: true },
    })
  return routes
}

/** Options of a route that gets a form. `parse`: the members of its body. */
export function form<Body extends TSchema>(
  id: string,
  body: Body,
  parse: (form: URLSearchParams) => Record<string, unknown>,
) {
  const transform = async ({ bodies, request }: { bodies: Bodies; request: Request }) => {
    requireForm(request)
    return { body: parse(new URLSearchParams(new TextDecoder().decode(await bodies.readBytes(request)))) }
  }
  const options: unknown = { query: Nothing, body, transform, detail: pageDetail({ id, takesBody: true }) }
  // Guarantee of the cast: Elysia's types cannot express that a transform sets the body, which is then validated.
  return options as { query: Nothing; body: Body; detail: Record<string, unknown> }
}

const FORM = 'application/x-www-form-urlencoded'

/** @throws DomainError `unsupported_media_type` */
function requireForm({ headers }: Request): void {
  const [type] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  if (type?.trim() !== FORM)
    throw new DomainError(transportProblems.unsupported_media_type, { detail: `Send Content-Type: ${FORM}.` })
}

/** The form again, with what clients read of the refusal. */
export function respondWithRefusal(html: string, { type, explanation }: DomainError): Response {
  const response = respondWithForm(html, type.status)
  const { retryAfter, limits = {} } = explanation
  if (retryAfter !== undefined) response.headers.set('Retry-After', String(retryAfter))
  for (const [name, value] of Object.entries(limits)) response.headers.set(name, value)
  return response
}

export function respondWithForm(html: string, status = 200): Response {
  const response = pageResponse(html, HTML, POLICY, status)
  response.headers.set('Cache-Control', 'no-store')
  return response
}
