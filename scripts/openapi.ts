/** `bun run openapi`: the OpenAPI document of this configuration, without a server, a database or a provider. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { openDatabase } from '../db/index.ts'
import product from '../package.json'
import { createApi } from '../src/app/app.ts'
import { createDeps } from '../src/app/deps.ts'
import { createSpine } from '../src/app/spine.ts'
import { realSources } from '../src/core/sources.ts'
import { describeMessages } from '../src/delivery/webhooks/describe.ts'
import { createConsoleApi } from '../src/operate/console/app.ts'
import { generateOpenApi } from '../src/platform/docs/openapi.ts'
import { declareCommand, runCommand } from './command/command.ts'

const command = declareCommand({
  name: 'openapi',
  summary: 'Prints the OpenAPI document, for generators of clients.',
  examples: [
    ['', 'to standard output'],
    ['--out openapi.json', 'to a file'],
    ['--open-enums --out openapi.json', 'for generators for Swift and Kotlin'],
  ],
  notes:
    'Served at /docs/json, the document also offers the sign-in of the identity provider. PUBLIC_URL sets `servers`.',
  database: false,
})
  .option('--out <file>', 'write to this file instead of standard output')
  .option('--console', 'the operations of the console instead of the API')
  .option(
    '--open-enums',
    'take other values in enums and problems of responses, for clients that decode strictly',
  )

await runCommand(command, async ({ options, configuration, closeAtEnd }) => {
  const config = await configuration()
  // The application needs a database to start, but reads nothing from it here.
  const folder = await mkdtemp(join(tmpdir(), 'matchday-openapi-'))
  closeAtEnd({ close: () => rm(folder, { recursive: true }) })
  const db = closeAtEnd(
    openDatabase(`sqlite:${join(folder, 'empty.db')}`, realSources, { spine: createSpine() }),
  )
  const fetch = () => Promise.reject(new Error('the provider is not asked'))
  const log = pino({ level: 'silent' })
  const deps = await createDeps({ config, db, log, sources: realSources, fetch })
  const { publicUrl } = config.docs
  const document = await generateOpenApi(options.console ? createConsoleApi(deps) : createApi(deps), {
    publicUrl,
    endpoints: null,
    messages: options.console ? [] : describeMessages(),
    enums: options.openEnums ? 'open' : 'closed',
  })
  if (options.console) document.info = { title: 'The console of Matchday', version: product.version }
  const text = JSON.stringify(document, null, 2)
  if (options.out === undefined) return { json: document, text }
  await Bun.write(options.out, `${text}\n`)
  return { json: { out: options.out }, text: '' }
})
