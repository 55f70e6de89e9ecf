import { join } from 'node:path'
import { Elysia } from 'elysia'
import type { Provider } from '../provider.ts'
import { drawAvatar } from './avatar.ts'
import { landingPage } from './landing-page.ts'

const assets = {
  'base.css': 'text/css; charset=utf-8',
  'parts.css': 'text/css; charset=utf-8',
  'controls.js': 'text/javascript; charset=utf-8',
  'sign-in.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const

/** The start page, the avatars and the static files of the pages. */
export function pageRoutes({ issuer, users }: Provider) {
  const app = new Elysia({ name: 'mock-idp/pages' })
    .get('/', () => landingPage({ issuer, fans: users.size }))
    .get('/avatars/:file', ({ params: { file } }) => {
      const { sub } = users.get(file.replace(/\.png$/, ''))
      return respond(drawAvatar(sub), 'image/png')
    })
  for (const [file, type] of Object.entries(assets)) {
    app.get(`/assets/${file}`, async () => respond(await Bun.file(join(import.meta.dir, file)).text(), type))
  }
  return app
}

function respond(body: string | Buffer<ArrayBuffer>, type: string): Response {
  return new Response(body, {
    headers: {
      'content-type': type,
      'cache-control': 'no-cache',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
    },
  })
}
