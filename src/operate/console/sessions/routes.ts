/** Sign-in by a link, the session, sign-out. */
import { Elysia } from 'elysia'
import { Closed } from '../../../core/schemas.ts'
import { recordAction } from '../../../identity/staff/audit/record.ts'
import { sessionOf } from '../../../identity/staff/call.ts'
import { permissionsOf } from '../../../identity/staff/roles.ts'
import { requireSameOrigin } from '../../../identity/staff/same-origin.ts'
import { readLink, useLink } from '../../../identity/staff/sessions/links.ts'
import { csrfTokenOf } from '../../../identity/staff/sessions/secrets.ts'
import {
  endSession,
  endSessionOfToken,
  SESSION_MS,
  type StaffSession,
} from '../../../identity/staff/sessions/sessions.ts'
import { anyone } from '../../../platform/http/contract/group.ts'
import { operation } from '../../../platform/http/contract/operation.ts'
import { uncachedInGroup } from '../../../platform/http/edge/server-hooks.ts'
import { settingsOf } from '../../../platform/settings/settings.ts'
import { consoleOperation } from '../contract/operation.ts'
import { apiOriginOf, consoleConfigOf } from '../contract/settings.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { cookieName, readCookie, sessionCookie } from './cookie.ts'
import { thrownBy } from './problems.generated.ts'
import { CurrentSession, LinkOwner, LinkSecret } from './schema.ts'

const group = { prefix: '/api/session', tag: 'Session' } as const
const Done = Closed({ ended: CurrentSession.properties.production })

async function presentSession(
  { staff, expiresAt, csrfToken }: StaffSession & { csrfToken: string },
  { config, db }: StaffDeps,
) {
  const { production, docs } = config
  const { timeZone, currency } = await settingsOf(db.read)
  return {
    staff,
    permissions: permissionsOf(staff.role),
    csrfToken,
    expiresAt: expiresAt.toISOString(),
    production,
    club: { timeZone, currency },
    apiOrigin: apiOriginOf(config),
    ...(docs.publicUrl === null ? {} : { publicUrl: docs.publicUrl }),
  }
}

/** Routes without a session. The rate limit per address is low, since a request could guess a secret. */
const signIn = (deps: StaffDeps) =>
  anyone(group)
    .use(uncachedInGroup())
    // Another site must not sign a browser in as someone else.
    .derive(({ request }) => {
      requireSameOrigin(consoleConfigOf(deps), request)
      return {}
    })
    .post(
      '/link',
      async ({ body }) => {
        const { name, role } = await readLink(deps.db.read, body.secret)
        return { name, role }
      },
      operation({
        id: 'readLink',
        summary: 'Show the person of a link',
        description: 'Reading does not use up the link, so that previews of chat programs do not.',
        body: LinkSecret,
        responses: { 200: LinkOwner },
        problems: thrownBy.readLink,
        data: 'read',
        limit: 'tokens',
        idempotencyKey: 'none',
      }),
    )
    .post(
      '/sign-in',
      async ({ body, request, set }) => {
        const console = consoleConfigOf(deps)
        const replaced = readCookie(request.headers, cookieName(console.secure))
        const session = await deps.db.write(async tx => {
          if (replaced !== undefined) await endSessionOfToken(tx, replaced)
          const created = await useLink(tx, body.secret)
          const { staff, id } = created
          await recordAction(tx, { staff, operation: 'signIn', subject: { kind: 'session', id } })
          return created
        })
        set.headers['Set-Cookie'] = sessionCookie(console, session.token, SESSION_MS / 1_000)
        return presentSession({ ...session, csrfToken: csrfTokenOf(session.token) }, deps)
      },
      operation({
        id: 'signIn',
        summary: 'Sign in with a link, once',
        body: LinkSecret,
        responses: { 200: CurrentSession },
        problems: thrownBy.signIn,
        limit: 'tokens',
        idempotencyKey: 'none',
      }),
    )

const current = (deps: StaffDeps) =>
  staff(deps, group)
    .get(
      '',
      ({ request }) => presentSession(sessionOf(request), deps),
      consoleOperation({
        id: 'readSession',
        summary: 'Read the signed-in person and their permissions',
        permission: 'session.own',
        responses: { 200: CurrentSession },
      }),
    )
    .post(
      '/end',
      async ({ act, request, set }) => {
        set.headers['Set-Cookie'] = sessionCookie(consoleConfigOf(deps), '', 0)
        const { id } = sessionOf(request)
        return { ended: await act({ kind: 'session', id }, undefined, tx => endSession(tx, id)) }
      },
      consoleOperation({
        id: 'endSession',
        summary: 'Sign out',
        permission: 'session.own',
        reversible: 'sign in again',
        body: Closed({}),
        responses: { 200: Done },
        examples: { body: {} },
      }),
    )

export const sessionRoutes = (deps: StaffDeps) =>
  new Elysia({ name: 'console/sessions', normalize: false }).use(signIn(deps)).use(current(deps))
