/** A receiver of webhooks. `GET /` returns the number of received webhooks and their ages, and resets both. */
import { serve } from './serve.ts'

let ages: number[] = []

serve(async request => {
  if (request.method === 'GET') {
    const sorted = ages.toSorted((a, b) => a - b)
    ages = []
    const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? null
    return Response.json({
      received: sorted.length,
      p50: quantile(0.5),
      p95: quantile(0.95),
      p99: quantile(0.99),
    })
  }
  const { timestamp } = (await request.json()) as { timestamp: string }
  ages.push(Date.now() - Date.parse(timestamp))
  return new Response(null, { status: 204 })
})
