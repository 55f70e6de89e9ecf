/** Uploads through the API, for tests. */
import { hash } from 'node:crypto'
import type { Answer, Client } from '../../support/client.ts'
import type { World } from '../../support/world.ts'
import { png } from './picture-bytes.ts'

let shades = 0

/** A picture with different content at each call, and so another file, unless `shade` is given. */
export const newPng = () => {
  shades++
  return png({ width: 8 + (shades % 50), height: 6 + Math.floor(shades / 50), shade: shades % 250 })
}

export const upload = (
  client: Client,
  body: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  client.send('/api/uploads', { method: 'POST', body, headers: { 'content-type': 'image/png', ...headers } })

/** As anyone gets it. */
export const fetchPicture = ({ app }: Pick<World, 'app'>, url: string, init: RequestInit = {}) =>
  app.handle(new Request(`http://localhost${url}`, init))

export const hashOf = (bytes: Uint8Array) => hash('sha256', bytes, 'hex')
