/** `/lockers/{handle}`, `/shared/packs/{id}` and `/shared/predictions/{matchId}/{handle}`: pages for links, each with a picture. */
import { join } from 'node:path'
import { Elysia } from 'elysia'
import type { Logger } from 'pino'
import type { Database, Reader } from '../../../db/index.ts'
import type { PictureStore } from '../../club/pictures/store.ts'
import { inLanguages } from '../../core/texts.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import type { Config } from '../../platform/config/config.ts'
import { conditionalPage, pageResponse, taggedResponse } from '../../platform/docs/page-response.ts'
import { serveStatic } from '../../platform/docs/static-files.ts'
import { preferredLanguages } from '../../platform/http/edge/accept-language.ts'
import { etagOf, etagOfValue } from '../../platform/http/edge/conditional.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { findPublicLocker } from '../lockers/lockers.ts'
import { findSharedOpening } from '../packs/shared-opening.ts'
import { findSharedPrediction } from '../predictions/shared-prediction.ts'
import { createArtReader } from './art.ts'
import { createPictureDrawer } from './drawing.ts'
import {
  lockerPage,
  missingPage,
  openingPage,
  predictionPage,
  type SharedPage,
  shareAsset,
  sharedPage,
} from './pages.ts'
import { lockerPicture, openingPicture, type Picture, predictionPicture } from './pictures.ts'
import { type Words, wordsFor } from './words.ts'

/**
 * Allows no scripts. Pictures of fans and of the catalogue can have any https origin, and the origin of the provider, which
 * may be http locally. The issuer of some providers is not a URL.
 */
const policyOf = (issuer: string) =>
  `default-src 'none'; style-src 'self'; img-src 'self' https: ${URL.parse(issuer)?.origin ?? ''}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
const HTML = 'text/html; charset=utf-8'

const ours = (name: string) => join(import.meta.dir, 'assets', name)
const docs = (name: string) => join(import.meta.dir, '../../platform/docs/assets', name)

/** Served below `/lockers/-/`, which is no fan's path: no handle has a hyphen. */
const assets = {
  'share.css': { type: 'text/css; charset=utf-8', file: ours('share.css') },
  'matchday.css': { type: 'text/css; charset=utf-8', file: docs('matchday.css') },
  'icon.svg': { type: 'image/svg+xml', file: docs('icon.svg') },
}

/** Something that fans share, found by the parameters of its path. */
interface Share<Found extends object> {
  find(reader: Reader, params: Record<string, string>): Promise<Found | null>
  page(found: Found, words: Words): SharedPage
  picture(found: Found, words: Words): Picture
  /** Where the example app makes the same, and the word for it. */
  make(found: Found): { path: string; kind: keyof Words['makeYours'] }
}

const declareShare = <Found extends object>(share: Share<Found>) => share

const locker = declareShare({
  find: (reader, { handle = '' }) => findPublicLocker(reader, handle),
  page: lockerPage,
  picture: lockerPicture,
  make: () => ({ path: 'locker/edit', kind: 'locker' }),
})

const opening = declareShare({
  find: (reader, { userPackId = '' }) => findSharedOpening(reader, userPackId),
  page: openingPage,
  picture: openingPicture,
  make: ({ packId }) => ({ path: `packs/${encodeURIComponent(packId)}`, kind: 'pack' }),
})

const prediction = declareShare({
  find: (reader, { matchId = '', handle = '' }) => findSharedPrediction(reader, { matchId, handle }),
  page: predictionPage,
  picture: predictionPicture,
  make: () => ({ path: 'matches', kind: 'prediction' }),
})

interface PageDeps {
  db: Pick<Database, 'read'>
  publicReads: PublicReads
  pictureStore: PictureStore | null
  config: Pick<Config, 'docs' | 'identity' | 'production'>
  log: Logger
}

export function sharePages({ db, publicReads, pictureStore, config, log }: PageDeps) {
  const { docs, identity, production } = config
  const { publicUrl, demoFolder } = docs
  const policy = policyOf(identity.issuer)
  const hidden = { detail: { hide: true } }
  const readArt = createArtReader({ read: db.read, pictureStore, demoFolder, publicUrl, production })
  const drawPicture = createPictureDrawer(readArt, log)

  /** The app of the club; in development the example app, at the screen itself. */
  async function appUrl(path: string): Promise<string | null> {
    const { appUrl } = await settingsOf(db.read)
    return appUrl ?? (demoFolder === null ? null : `/demo/${path}`)
  }

  // Accepts any query: social networks add parameters to links.
  const routes = new Elysia({ name: 'matchday/share-pages' })
  const mount = <Found extends object>(template: string, share: Share<Found>) =>
    routes
      .get(
        template,
        async ({ params, request }) => {
          const languages = languagesOf(request)
          const words = wordsFor(languages)
          const found = await publicReads.read(({ read }) => share.find(read, params))
          if (!found) return shortLived(pageResponse(missingPage(words), HTML, policy, 404))
          const path = pathOf(template, params)
          const address = publicUrl && publicUrl + path
          const make = share.make(found)
          const url = await appUrl(make.path)
          const page = sharedPage(share.page(inLanguages(found, languages), words), {
            words,
            address,
            picture: address && `${address}/picture.png?v=${versionOf(found)}&lang=${words.lang}`,
            action: url === null ? null : { url, text: words.makeYours[make.kind] },
            reported: address ?? path,
          })
          return shortLived(await conditionalPage(request, page, HTML, policy))
        },
        hidden,
      )
      .get(
        `${template}/picture.png`,
        async ({ params, request }) => {
          const languages = languagesOf(request)
          const words = wordsFor(languages)
          const found = await publicReads.read(({ read }) => share.find(read, params))
          if (!found) return shortLived(pageResponse(missingPage(words), HTML, policy, 404))
          const picture = await drawPicture(share.picture(inLanguages(found, languages), words))
          const readBody = () => new Blob([picture])
          const tagged = { etag: etagOf(picture), coding: undefined, readBody, type: 'image/png' }
          return shortLived(await taggedResponse(request, tagged))
        },
        hidden,
      )
  mount('/lockers/:handle', locker)
  mount('/shared/packs/:userPackId', opening)
  mount('/shared/predictions/:matchId/:handle', prediction)
  for (const [name, asset] of Object.entries(assets))
    routes.get(shareAsset(name), ({ request }) => serveStatic(request, asset), hidden)
  return routes
}

const pathOf = (template: string, params: Record<string, string>) =>
  template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

/** The app adds its language to the links that it shares, since social networks send none. */
const languagesOf = ({ url, headers }: Request) =>
  preferredLanguages([new URL(url).searchParams.get('lang')], headers.get('accept-language'))

/** For the address of the picture, so that previews load a new one. */
const versionOf = (found: object) => etagOfValue(found).replaceAll('"', '')

/** Caches drop a page within a minute after a fan hides it. */
function shortLived(response: Response): Response {
  response.headers.set('Cache-Control', 'public, max-age=60')
  response.headers.set('Vary', 'Accept-Language, Accept-Encoding')
  return response
}
