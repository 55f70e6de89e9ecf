/** The upper bound: `Bun.serve` that returns the response of the file `BENCH_RESPONSE` to every request. */
import type { CapturedResponse } from '../subjects.ts'
import { serve } from './serve.ts'

const { status, headers, body } = (await Bun.file(
  process.env.BENCH_RESPONSE ?? '',
).json()) as CapturedResponse

serve(() => new Response(body, { status, headers }))
