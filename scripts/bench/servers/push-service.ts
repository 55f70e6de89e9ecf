/**
 * A push service. `GET /` returns how many pushes it got, when the first and the last came, and the times of the paths that the
 * query names; it forgets nothing. With `HANG` it answers no push.
 */
import { serve } from './serve.ts'

const times = new Map<string, number>()
let [first, last] = [0, 0]

serve(async request => {
  const { pathname, searchParams } = new URL(request.url)
  if (request.method === 'GET') {
    const wanted = searchParams.get('paths')?.split(',') ?? []
    return Response.json({
      received: times.size,
      first,
      last,
      times: wanted.map(path => times.get(path) ?? null),
    })
  }
  await request.arrayBuffer()
  if (process.env.HANG) return new Promise<Response>(() => {})
  last = Date.now()
  if (times.size === 0) first = last
  times.set(pathname, last)
  return new Response(null, { status: 201 })
})
