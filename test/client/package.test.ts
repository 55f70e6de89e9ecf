/** The npm package of the client: what is in it, and that apps compile and run with it as installed from its tarball. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $, Glob } from 'bun'
import product from '../../package.json'
import { CLIENTS, renderClientTypes } from '../../scripts/build/client-types.ts'
import { packPackage } from '../../scripts/build/package.ts'
import { addPack } from '../play/packs/packs-world.ts'
import { BROWSER_TIMEOUT_MS, noChromium, openBrowser } from '../support/browser.ts'
import { root } from '../support/dev.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { SESSION } from './session-log.ts'

const LARGEST_GZIP = 15 * 1024

let folder: string
let app: string
let built: Awaited<ReturnType<typeof packPackage>>

/** An app with the package, unpacked as npm does, and with what its code is. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'matchday-client-'))
  built = await packPackage(root, 'client', join(folder, 'client'))
  app = join(folder, 'app')
  const installed = join(app, 'node_modules/@matchday/client')
  await mkdir(installed, { recursive: true })
  await $`tar -xzf ${built.tarball} -C ${installed} --strip-components 1`
  await Bun.write(join(app, 'package.json'), '{ "type": "module" }')
  for (const name of ['fan-session.ts', 'react-native.d.ts'])
    await Bun.write(join(app, name), Bun.file(join(import.meta.dir, 'consumer', name)))
})
afterAll(() => rm(folder, { recursive: true }))

const installedFile = (name: string) => Bun.file(join(app, 'node_modules/@matchday/client', name))

describe('the package', () => {
  test('is an ES module of at most 15 KB with gzip, without dependencies', async () => {
    expect(built.gzip).toBeLessThanOrEqual(LARGEST_GZIP)
    const manifest = await installedFile('package.json').json()
    expect(manifest).toMatchObject({ name: '@matchday/client', version: product.version, type: 'module' })
    for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies', 'private', 'scripts'])
      expect(manifest).not.toHaveProperty(field)
    const code = await installedFile('index.js').text()
    expect(new Bun.Transpiler({ loader: 'js' }).scanImports(code)).toEqual([])
  })

  test('has types and no sources, and none of the server’s types', async () => {
    const files = [...new Glob('**/*').scanSync(join(app, 'node_modules/@matchday/client'))].sort()
    expect(files.filter(name => !/\.d\.ts$/.test(name))).toEqual([
      'LICENSE',
      'README.md',
      'index.js',
      'package.json',
    ])
    for (const name of files.filter(file => file.endsWith('.d.ts'))) {
      const text = await installedFile(name).text()
      const imported = [...text.matchAll(/(?:from |import\()'([^']+)'/g)].map(([, module]) => module ?? '')
      for (const module of imported) {
        expect(module).toMatch(/^\.\/[\w-]+\.js$/)
        expect(files).toContain(module.slice(2).replace(/\.js$/, '.d.ts'))
      }
    }
  })

  test('has the types of the OpenAPI document of today: `bun run docs` writes them', async () => {
    // Descriptions may differ: a build writes them again, and they break nothing.
    const withoutWords = (text: string) => text.replace(/\/\*\*.*?\*\//gs, '').replace(/\s+/g, ' ')
    const committed = await Bun.file(join(root, CLIENTS.api.file)).text()
    expect(withoutWords(committed)).toBe(withoutWords(await renderClientTypes(root, 'api')))
    expect(withoutWords(committed)).toContain("claimReward: { method: 'POST'")
  })
})

describe('an app compiles with it', () => {
  // The compiler of this repository. `bun run clients` compiles with the older TypeScript that many apps have.
  const compiler = join(root, 'node_modules/.bin/tsc')
  const bundled = { module: 'ESNext', moduleResolution: 'bundler' }
  const projects: [string, object, string[]][] = [
    ['under strict, with the default lib', bundled, []],
    [
      'under every strict option',
      {
        ...bundled,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noPropertyAccessFromIndexSignature: true,
        verbatimModuleSyntax: true,
        isolatedModules: true,
      },
      [],
    ],
    [
      'for Node.js, without the DOM',
      { module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2023'], types: ['node'] },
      [],
    ],
    [
      'for React Native, with its conditions and globals',
      { ...bundled, lib: ['ES2019'], customConditions: ['react-native'] },
      ['react-native.d.ts'],
    ],
  ]
  test.each(projects)('%s', async (title, options, files) => {
    const project = join(app, `tsconfig.${Bun.hash(title).toString(36)}.json`)
    const strict = { target: 'ES2022', strict: true, noEmit: true, skipLibCheck: false, types: [] }
    const typeRoots = [join(root, 'node_modules/@types')]
    await Bun.write(
      project,
      JSON.stringify({
        compilerOptions: { ...strict, typeRoots, ...options },
        files: ['fan-session.ts', ...files],
      }),
    )
    const { stdout, exitCode } = await $`${compiler} --project ${project}`.nothrow().quiet()
    expect(stdout.toString()).toBe('')
    expect(exitCode).toBe(0)
  })

  test('and is refused where it uses what no operation has', async () => {
    const wrong = join(app, 'wrong.ts')
    await Bun.write(
      wrong,
      `import { createClient } from '@matchday/client'
      const { api } = createClient({ origin: '' })
      await api.claimReward({ rewardID: 'x' })
      const { error } = await api.listTeams()
      if (error?.code === 'handle_taken') throw error`,
    )
    const options = ['--strict', '--noEmit', '--target', 'ES2022', '--module', 'ESNext', '--types', '']
    const { stdout } = await $`${compiler} --ignoreConfig --moduleResolution bundler ${options} ${wrong}`
      .nothrow()
      .quiet()
    expect([...stdout.toString().matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => line)).toEqual(['3', '5'])
  })
})

onEngine(
  sqliteEngine,
  'The package at work',
  world => {
    let origin: string
    let bundle: string

    beforeAll(async () => {
      world.app.listen({ hostname: '127.0.0.1', port: 0 })
      origin = `http://127.0.0.1:${world.app.server?.port}`
      await world.reward({ id: 'scarf', pointsRequired: 100 })
      await world.reward({ id: 'shirt', pointsRequired: 5000 })
      await addPack(world, { id: 'starter', price: { amount: 50, currency: 'POINTS' } })
      const { outputs } = await Bun.build({
        entrypoints: [join(app, 'fan-session.ts')],
        target: 'browser',
        minify: true,
      })
      bundle = (await outputs[0]?.text()) ?? ''
    })
    const signIn = async () => world.idp.issueToken((await world.fan()).subject)

    const node = Bun.which('node')
    test.skipIf(node === null)(
      `a fan session in Node.js${node ? '' : ' (skipped: no Node.js is installed)'}`,
      async () => {
        const script = join(app, 'main.mjs')
        await Bun.write(
          join(app, 'fan-session.js'),
          new Bun.Transpiler({ loader: 'ts' }).transformSync(
            await Bun.file(join(app, 'fan-session.ts')).text(),
          ),
        )
        await Bun.write(
          script,
          `import { runFanSession } from './fan-session.js'
        console.log(JSON.stringify(await runFanSession(...process.argv.slice(2))))`,
        )
        const run = Bun.spawn([node ?? '', script, origin, await signIn()], {
          stdout: 'pipe',
          stderr: 'pipe',
        })
        const [printed, errors] = await Promise.all([
          new Response(run.stdout).text(),
          new Response(run.stderr).text(),
        ])
        expect(errors).toBe('')
        expect(JSON.parse(printed)).toEqual(SESSION)
      },
    )

    test.skipIf(noChromium !== null)(
      `a fan session in a browser, bundled${noChromium ? ` (skipped: ${noChromium})` : ''}`,
      async () => {
        const page = Bun.serve({
          hostname: '127.0.0.1',
          port: 0,
          fetch: ({ url }) =>
            url.endsWith('.js')
              ? new Response(bundle, { headers: { 'content-type': 'text/javascript' } })
              : new Response('<!doctype html><link rel="icon" href="data:,">', {
                  headers: { 'content-type': 'text/html' },
                }),
        })
        const browser = await openBrowser()
        try {
          const tab = await browser.context.newPage()
          await tab.goto(`http://127.0.0.1:${page.port}/`)
          const parameters = JSON.stringify([origin, await signIn()]).slice(1, -1)
          const log = await tab.evaluate(`import('/app.js').then(app => app.runFanSession(${parameters}))`)
          expect(log).toEqual(SESSION)
        } finally {
          await browser.close()
          await page.stop(true)
        }
      },
      BROWSER_TIMEOUT_MS,
    )
  },
  { env: { NODE_ENV: 'development' } },
)
