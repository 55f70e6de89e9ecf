/**
 * `bun run docs`: writes what is generated from the sources: in docs/, the types of the client, and the version of the API.
 * `bun run docs build`: the site.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Argument } from '@commander-js/extra-typings'
import { CLIENTS, readDocument, renderClientTypes } from './build/client-types.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'
import { API_VERSION, type ApiVersion, versionFor } from './docs/api-version.ts'
import { buildSite } from './docs/build-site.ts'
import { renderFloors } from './docs/floors.ts'
import { renderProblemCodes } from './docs/problem-codes.ts'
import { withKinds, withRoles, withSettings } from './docs/tables.ts'

const CATALOGUE = 'docs/catalogue.md'
const CONSOLE = 'docs/console.md'
const SETTINGS = 'docs/settings.md'

const command = declareCommand({
  name: 'docs',
  summary:
    'Writes the problem codes and the picture of the floors in docs/, the types of the clients, and the version of the API; or the guide as a site.',
  examples: [
    ['', 'after a change of a `problems.ts`, a `schema.ts` or a `routes.ts` in src'],
    ['build --out public/docs', 'writes the guide as static files, for any web server and any path'],
  ],
  notes: 'PUBLIC_URL is the address of the API in the samples of the site, and in its OpenAPI document.',
  database: false,
})
  .addArgument(new Argument('[what]', 'what to write').choices(['sources', 'build']).default('sources'))
  .option('--out <folder>', 'the folder of the site, which is replaced', 'dist/docs')

await runCommand(command, async ({ parameters: [what], options, configuration }) => {
  const root = join(import.meta.dir, '..')
  if (what === 'build') {
    const { publicUrl } = (await configuration()).docs
    const out = resolve(options.out)
    const document = JSON.stringify(await readDocument(root, 'api', publicUrl))
    const servers = publicUrl === null ? undefined : { api: publicUrl }
    const pages = await buildSite(out, document, servers).catch(error => fail(error.message))
    return { json: { out, pages }, text: `wrote ${pages.length} pages: ${join(out, 'index.html')}` }
  }
  const document = await readDocument(root)
  const before: ApiVersion = JSON.parse(readFileSync(join(root, API_VERSION), 'utf8'))
  const files = {
    'docs/problems.md': renderProblemCodes(document),
    'docs/floors.svg': renderFloors(),
    [CATALOGUE]: withKinds(readFileSync(join(root, CATALOGUE), 'utf8')),
    [CONSOLE]: withRoles(readFileSync(join(root, CONSOLE), 'utf8')),
    [SETTINGS]: withSettings(readFileSync(join(root, SETTINGS), 'utf8')),
    [CLIENTS.api.file]: await renderClientTypes(root, 'api', document),
    [CLIENTS.console.file]: await renderClientTypes(root, 'console'),
    [API_VERSION]: `${JSON.stringify(versionFor(document, before), null, 2)}\n`,
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text)
  const wrote = Object.keys(files)
  return { json: { wrote }, text: `wrote: ${wrote.join(', ')}` }
})
