/**
 * Lints the OpenAPI document and its variant with open enums, and compiles the clients that three generators make of them and
 * the snippets of the documentation. Decodes what a later release adds.
 * Run by `.ci/run`.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'
import { installClient } from './installed-client.ts'
import { parseSnippets, writeTypeScript } from './snippets.ts'

const here = import.meta.dir
const bin = join(here, 'node_modules', '.bin')
const document = './generated/openapi.json'
/** For clients that decode strictly. */
const variant = './generated/openapi-open.json'

await rm(join(here, 'generated'), { recursive: true, force: true })
const root = join(here, '..', '..')
await $`bun run --silent openapi --out ${join(here, document)}`.cwd(root)
await $`bun run --silent openapi --open-enums --out ${join(here, variant)}`.cwd(root)

$.cwd(here)
// The linter reports its use to nobody, and looks for no newer version of itself.
$.env({ ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' })
await $`${bin}/redocly lint ${document} ${variant} --config redocly.yaml`
await $`${bin}/spectral lint ${document} ${variant} --ruleset spectral.yaml --fail-severity=hint`
await $`${bin}/openapi-typescript ${document} --output generated/openapi-typescript.d.ts`
await $`${bin}/openapi-typescript ${variant} --output generated/openapi-open.d.ts`
await $`${bin}/openapi-ts --input ${document} --output generated/hey-api --client @hey-api/client-fetch`
await $`${bin}/orval --config orval.config.mjs`

await installClient(join(here, 'generated'))
await writeTypeScript(join(here, 'generated/app'), join(here, 'generated/docs'))
await Bun.write(join(here, 'generated/docs/matchday.ts'), "export type * from '../openapi-typescript.d.ts'\n")
await $`${bin}/tsc --project .`
await $`bun uses/open-enums.ts`
// The types of the application are those of its own compiler.
await $`${join(here, '../../node_modules/.bin/tsc')} --project tsconfig.app.json`
for (const language of ['swift', 'kotlin'] as const) await parseSnippets(language)
