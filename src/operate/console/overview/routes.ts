/** The overview: figures by day, and current figures. */

import { consoleOperation } from '../contract/operation.ts'
import { consoleConfigOf } from '../contract/settings.ts'
import { staff } from '../contract/staff.ts'
import type { ConsoleDeps } from '../deps.ts'
import { cookieName, readCookie } from '../sessions/cookie.ts'
import { findSession } from '../sessions/sessions.ts'
import { createLive } from './live.ts'
import { readOverview } from './read-overview.ts'
import { LiveFigures, Overview, OverviewQuery, PERIODS } from './schema.ts'

const STREAM = 'text/event-stream'

export function overviewRoutes(deps: ConsoleDeps) {
  const live = createLive(deps)
  const isOpen = async (request: Request) => {
    const token = readCookie(request.headers, cookieName(consoleConfigOf(deps).secure))
    return token !== undefined && (await findSession(deps.db.read, token)) !== null
  }
  return staff(deps, { prefix: '/api/overview', tag: 'Overview' })
    .get(
      '',
      async ({ query }) => readOverview(deps.db.read, await live.read(), Number(query.days ?? PERIODS[1])),
      consoleOperation({
        id: 'readOverview',
        summary: 'Read the figures of the club by day',
        description: 'Days are those of UTC. Figures of today are of a moment ago.',
        permission: 'overview.read',
        query: OverviewQuery,
        responses: { 200: Overview },
      }),
    )
    .get(
      '/live',
      ({ request }) =>
        request.headers.get('accept')?.includes(STREAM) && request.method === 'GET'
          ? eventStream(live.open(() => isOpen(request)))
          : live.read(),
      consoleOperation({
        id: 'readLiveFigures',
        summary: 'Read the figures as they are now, or follow them',
        description: `With \`Accept: ${STREAM}\`: server-sent events \`figures\`, one when it opens and one after each change, until the session ends.`,
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
