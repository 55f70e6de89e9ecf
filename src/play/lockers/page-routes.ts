import { hash } from 'node:crypto'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import { renderIn } from '../../core/texts.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import type { Config } from '../../platform/config/config.ts'
import { pageResponse } from '../../platform/docs/page-response.ts'
import { preferredLanguages } from '../../platform/http/edge/accept-language.ts'
import { findPublicLocker } from './lockers.ts'
import { lockerPage, missingPage } from './page.ts'
import { createPictureDrawer } from './picture.ts'
import type { ShownLocker } from './schema.ts'

/**
 * Allows no scripts. Pictures of fans and of the catalogue can have any https origin, and the origin of the provider, which
 * may be http locally. The issuer of some providers is not a URL.
 */
const policyOf = (issuer: string) =>
  `default-src 'none'; style-src 'self'; img-src 'self' https: ${URL.parse(issuer)?.origin ?? ''}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
const HTML = 'text/html; charset=utf-8'

/** Caches drop a locker within a minute after a fan hides it. */
const SHORT = 'public, max-age=60'

const ours = (name: string) => join(import.meta.dir, 'assets', name)
const docs = (name: string) => join(import.meta.dir, '../../platform/docs/assets', name)

/** Served below `/lockers/-/`, which is no fan's path: no handle has a hyphen. */
const assets = {
  'locker.css': { type: 'text/css; charset=utf-8', file: ours('locker.css') },
  'matchday.css': { type: 'text/css; charset=utf-8', file: docs('matchday.css') },
  'icon.svg': { type: 'image/svg+xml', file: docs('icon.svg') },
}

interface PageDeps {
  publicReads: PublicReads
  config: Pick<Config, 'docs' | 'identity'>
}

export function lockerPages({ publicReads, config: { docs, identity } }: PageDeps) {
  const policy = policyOf(identity.issuer)
  const hidden = { detail: { hide: true } }
  const drawPicture = createPictureDrawer()
  const find = (handle: string) => publicReads.read(({ read }) => findPublicLocker(read, handle))
  const missing = () => withCaching(pageResponse(missingPage, HTML, policy), 404)

  // Accepts any query: social networks add parameters to links.
  const routes = new Elysia({ name: 'matchday/locker-pages', prefix: '/lockers' })
    .get(
      '/:handle',
      async ({ params: { handle }, request }) => {
        const found = await find(handle)
        if (!found) return missing()
        const locker = inLanguageOf(found, request)
        const address = docs.publicUrl === null ? null : `${docs.publicUrl}/lockers/${handle}`
        const page = lockerPage(locker, { address, picture: etagOf(JSON.stringify(found)) })
        return conditional(request, etagOf(page), () => pageResponse(page, HTML, policy))
      },
      hidden,
    )
    .get(
      '/:handle/picture.png',
      async ({ params: { handle }, request }) => {
        const found = await find(handle)
        if (!found) return missing()
        const picture = await drawPicture(found)
        return conditional(request, etagOf(picture), () => pageResponse(new Blob([picture]), 'image/png'))
      },
      hidden,
    )
  for (const [name, { type, file }] of Object.entries(assets))
    routes.get(`/-/${name}`, () => pageResponse(Bun.file(file), type), hidden)
  return routes
}

/** Translates the names of items into the language of the client. */
function inLanguageOf(locker: ShownLocker, request: Request): ShownLocker {
  const languages = preferredLanguages([], request.headers.get('accept-language'))
  // Guarantee of the cast: JSON of the same members, with each text in one language.
  return renderIn(languages, () => JSON.parse(JSON.stringify(locker)) as ShownLocker).value
}

const etagOf = (body: string | Uint8Array) => hash('sha256', body, 'base64url').slice(0, 27)

function conditional(request: Request, etag: string, respond: () => Response): Response {
  const isKnown = request.headers.get('if-none-match')?.includes(`"${etag}"`) ?? false
  const response = isKnown ? new Response(null) : respond()
  response.headers.set('ETag', `"${etag}"`)
  return withCaching(response, isKnown ? 304 : 200)
}

function withCaching({ body, headers }: Response, status: number): Response {
  headers.set('Cache-Control', SHORT)
  headers.set('Vary', 'Accept-Language')
  return new Response(body, { status, headers })
}
