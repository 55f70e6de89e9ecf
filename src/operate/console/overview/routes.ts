/** The overview: figures by day, and current figures. */
import { findSession } from '../../../identity/staff/sessions/sessions.ts'
import { consoleOperation } from '../contract/operation.ts'
import { consoleConfigOf } from '../contract/settings.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { cookieName, readCookie } from '../sessions/cookie.ts'
import { createLive, type LiveDeps } from './live.ts'
import { readOverview } from './read-overview.ts'
import { LiveFigures, Overview, OverviewQuery, PERIODS } from './schema.ts'

type OverviewDeps = StaffDeps & LiveDeps

const STREAM = 'text/event-stream'

export function overviewRoutes(deps: OverviewDeps) {
  const live = createLive(deps)
  const roleOf = async (request: Request) => {
    const token = readCookie(request.headers, cookieName(consoleConfigOf(deps).secure))
    const session = token === undefined ? null : await findSession(deps.db.read, token)
    return session?.staff.role ?? null
  }
  return staff(deps, { prefix: '/api/overview', tag: 'Overview' })
    .get(
      '',
      async ({ query, staff: { role } }) =>
        readOverview(deps.db.read, await live.read(role), Number(query.days ?? PERIODS[1])),
      consoleOperation({
        id: 'readOverview',
        summary: 'Read the figures of the club by day',
        description: 'Days are in UTC. The figures of today can be some seconds old.',
        permission: 'overview.read',
        query: OverviewQuery,
        responses: { 200: Overview },
      }),
    )
    .get(
      '/live',
      ({ request, staff: { role } }) =>
        request.headers.get('accept')?.includes(STREAM) && request.method === 'GET'
          ? eventStream(live.open(() => roleOf(request)))
          : live.read(role),
      consoleOperation({
        id: 'readLiveFigures',
        summary: 'Read the current figures, or follow them',
        description: `With \`Accept: ${STREAM}\`: server-sent events named \`figures\`: one at the start, then one after each change, until the session ends.`,
        permission: 'overview.read',
        responses: { 200: LiveFigures },
      }),
    )
}

/** Guarantee of the cast: the type is of the data of an event; a Response is sent as it is. */
const eventStream = (body: ReadableStream<Uint8Array>) =>
  new Response(body, {
    headers: {
      'Content-Type': STREAM,
      'Cache-Control': 'no-store',
      // Otherwise nginx would buffer events.
      'X-Accel-Buffering': 'no',
    },
  }) as unknown as LiveFigures
