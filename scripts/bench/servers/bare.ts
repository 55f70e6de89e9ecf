/** The ceiling: `Bun.serve` that answers every request with the bytes and headers of `BENCH_ANSWER`. */
import type { Answer } from '../subjects.ts'

const { status, headers, body } = (await Bun.file(process.env.BENCH_ANSWER ?? '').json()) as Answer

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  development: false,
  reusePort: false,
  fetch: () => new Response(body, { status, headers }),
})
