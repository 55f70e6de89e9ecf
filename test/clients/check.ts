/**
 * Lints the OpenAPI document, and compiles the clients that three generators make of it and the snippets of the documentation.
 * Run by `.ci/run`.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'
import { parseSnippets, writeTypeScript } from './snippets.ts'

const here = import.meta.dir
const bin = join(here, 'node_modules', '.bin')
const document = './generated/openapi.json'

await rm(join(here, 'generated'), { recursive: true, force: true })
await $`bun run --silent openapi --out ${join(here, document)}`.cwd(join(here, '..', '..'))

$.cwd(here)
// The linter reports its use to nobody, and looks for no newer version of itself.
$.env({ ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' })
await $`${bin}/redocly lint ${document} --config redocly.yaml`
await $`${bin}/spectral lint ${document} --ruleset spectral.yaml --fail-severity=hint`
await $`${bin}/openapi-typescript ${document} --output generated/openapi-typescript.d.ts`
await $`${bin}/openapi-ts --input ${document} --output generated/hey-api --client @hey-api/client-fetch`
await $`${bin}/orval --config orval.config.mjs`

await writeTypeScript(join(here, 'generated/app'), join(here, 'generated/docs'))
await Bun.write(join(here, 'generated/docs/matchday.ts'), "export type * from '../openapi-typescript.d.ts'\n")
await $`${bin}/tsc --project .`
// The types of the application are those of its own compiler.
await $`${join(here, '../../node_modules/.bin/tsc')} --project tsconfig.app.json`
for (const language of ['swift', 'kotlin'] as const) await parseSnippets(language)
