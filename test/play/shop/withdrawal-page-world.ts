/** Fans with e-mail addresses, and the page of withdrawals as a browser sends its forms. */
import { expect } from 'bun:test'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import type { Fan, World } from '../../support/world.ts'
import { patientFan } from '../packs/packs-world.ts'

let addresses = 0

/** The provider states the address of a fan. */
export async function stateEmail(world: World, { subject }: Fan, email: string, verified = true) {
  const claims = { email, email_verified: verified, updated_at: world.clock.ms / 1000 }
  expect((await deliver(world, updated(world, subject, claims))).status).toBe(204)
}

/** A fan with a verified address of their own. */
export async function fanWithEmail(world: World, points = 0) {
  const fan = await patientFan(world, points)
  // The provider's statements about fans without a record are ignored.
  await fan.post('/api/user/profile', {})
  const email = `fan-${++addresses}@example.com`
  await stateEmail(world, fan, email)
  return { fan, email }
}

export type Form = Record<string, string | string[]>

export async function sendForm(world: World, path: string, form: Form, headers: Record<string, string> = {}) {
  const body = new URLSearchParams(
    Object.entries(form).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    ),
  )
  const request = new Request(`http://localhost${path}`, { method: 'POST', body: body.toString(), headers })
  request.headers.set('content-type', 'application/x-www-form-urlencoded')
  const response = await world.app.handle(request)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Of a page: the lines that are ticked. */
export const tickedIn = (html: string) =>
  [...html.matchAll(/name="lines" value="(\d+)"/g)].map(([, n]) => Number(n))

export const find = (world: World, order: string, email: string, more: Form = {}) =>
  sendForm(world, '/withdraw', { order, email, ...more })

export const confirm = (world: World, order: string, email: string, lines: number[], more: Form = {}) =>
  sendForm(world, '/withdraw/confirm', { order, email, lines: lines.map(String), ...more })

/** The text of a page, without its tags. */
export const textOf = (html: string) =>
  html
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
