/** The typed client of this API, for TypeScript: `import { createClient } from 'matchday/client'`. */
import { type Treaty, treaty } from '@elysiajs/eden'
import type { App } from './app.ts'
import type { ProblemCode, ProblemOf } from './core/problems.ts'

export type { App, ProblemCode, ProblemOf }

/**
 * `origin`: such as `http://localhost:3000`. Instants stay RFC 3339 strings, as the types say: Eden alone would make Dates of
 * them. `data` is the response of a success; `error` narrows by `status` and then by `value.code`.
 */
export const createClient = (origin: string, config: Omit<Treaty.Config, 'parseDate'> = {}) =>
  treaty<App>(origin, { ...config, parseDate: false })
