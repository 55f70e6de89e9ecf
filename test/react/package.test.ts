/** @matchday/react as installed from its tarball: its size, what it needs, its types, and that it renders on a server. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import product from '../../package.json'
import { packPackage } from '../../scripts/build/package.ts'
import { root } from '../support/dev.ts'

const LARGEST_GZIP = 4 * 1024

let app: string
let gzip: number
beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'matchday-react-'))
  await Bun.write(join(app, 'package.json'), '{ "type": "module" }')
  for (const name of ['client', 'react'] as const) {
    const built = await packPackage(root, name, join(app, 'packed', name))
    gzip = built.gzip
    const installed = join(app, 'node_modules/@matchday', name)
    await mkdir(installed, { recursive: true })
    await $`tar -xzf ${built.tarball} -C ${installed} --strip-components 1`
  }
  await mkdir(join(app, 'node_modules/@types'))
  for (const name of ['react', 'react-dom', 'scheduler', 'csstype', '@types/react', '@types/react-dom'])
    await symlink(join(root, 'node_modules', name), join(app, 'node_modules', name))
})
afterAll(() => rm(app, { recursive: true }))

test('the package has at most 4 KB with gzip, and needs React and the client', async () => {
  expect(gzip).toBeLessThanOrEqual(LARGEST_GZIP)
  const manifest = await Bun.file(join(app, 'node_modules/@matchday/react/package.json')).json()
  expect(manifest).toMatchObject({ name: '@matchday/react', version: product.version, type: 'module' })
  expect(manifest.peerDependencies).toEqual({ '@matchday/client': '*', react: '>=18' })
  expect(manifest).not.toHaveProperty('dependencies')
  const code = await Bun.file(join(app, 'node_modules/@matchday/react/index.js')).text()
  const imported = new Bun.Transpiler({ loader: 'js' }).scanImports(code).map(({ path }) => path)
  expect([...new Set(imported)].sort()).toEqual(['@matchday/client', 'react'])
})

test('its types follow from the operations: what no operation has does not compile', async () => {
  const lines: [code: string, error: string | null][] = [
    ["const points: number | undefined = useRead('readDashboard').data?.points", null],
    [
      "useRead('listTeams', { lang: 'en' }); useRead('readFan', { handle: 'ada' }); useRead('readFan', null)",
      null,
    ],
    ["useRead('readFan')", 'Expected 2 arguments'],
    ["useRead('readFan', { handel: 'ada' })", 'handel'],
    ["useRead('claimReward', { rewardId: 'scarf' })", '\'"claimReward"\' is not assignable'],
    ["useRead('readDashboard').data.points", 'possibly'],
    ["if (useRead('readFan', null).error?.code === 'fan_not_found') throw 0", null],
    ["if (useRead('readFan', null).error?.code === 'out_of_stock') throw 0", 'no overlap'],
    ["const claim = useWrite('claimReward', { refreshes: ['listRewards'] })", null],
    ["void claim.write({ rewardId: 'scarf' }).then(({ data }) => data?.reward.state)", null],
    ["if (claim.error?.code === 'insufficient_points') claim.error.missingPoints.toFixed()", null],
    ['void claim.write({})', "'rewardId' is missing"],
    ['void claim.write()', 'Expected 1 arguments'],
    ["useWrite('claimReward', { refreshes: ['claimReward'] })", '\'"claimReward"\' is not assignable'],
    ["useWrite('listRewards')", '\'"listRewards"\' is not assignable'],
    ["void useWrite('leaveLeaderboard').write()", null],
    [
      "useStream(['me', 'match:derby'], ({ type, data }) => type === 'points.changed' && data.data.balance)",
      null,
    ],
    ["useStream(['you'])", '\'"you"\' is not assignable'],
    ["const status: 'loading' | 'signed-in' | 'signed-out' = useSession().status", null],
  ]
  const imports = "import { useRead, useSession, useStream, useWrite } from '@matchday/react'\n"
  await Bun.write(join(app, 'uses.ts'), imports + lines.map(([code]) => code).join('\n'))
  const options = {
    ...{ target: 'ES2022', module: 'ESNext', moduleResolution: 'bundler', strict: true, noEmit: true },
    ...{ exactOptionalPropertyTypes: true, skipLibCheck: false, types: [] },
  }
  await Bun.write(
    join(app, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['uses.ts'] }),
  )
  const { stdout } = await $`${join(root, 'node_modules/.bin/tsc')} --project ${app}`.nothrow().quiet()
  const errors = new Map(
    [...stdout.toString().matchAll(/^\S*uses\.ts\((\d+),\d+\): (.*(?:\n .*)*)/gm)].map(
      ([, line, text = '']) => [Number(line) - 2, text],
    ),
  )
  expect(stdout.toString().match(/^\S+\.ts\(/gm)?.length).toBe(errors.size)
  for (const [at, [code, error]] of lines.entries())
    if (error === null) expect([code, errors.get(at)]).toEqual([code, undefined])
    else expect(errors.get(at) ?? `compiles: ${code}`).toContain(error)
})

test('the samples of the documentation compile', async () => {
  const files: string[] = []
  for (const page of ['docs/clients.md', 'src/react/README.md']) {
    const [, code = ''] = /```tsx\n([\s\S]*?)```/.exec(await Bun.file(join(root, page)).text()) ?? []
    expect(code).toContain('createMatchday(')
    const file = `sample-${files.length}.tsx`
    await Bun.write(join(app, file), code)
    files.push(file)
  }
  const options = ['--strict', '--noEmit', '--target', 'ES2022', '--module', 'ESNext', '--jsx', 'react-jsx']
  const { stdout } =
    await $`${join(root, 'node_modules/.bin/tsc')} --ignoreConfig --moduleResolution bundler ${options} ${files}`
      .cwd(app)
      .nothrow()
      .quiet()
  expect(stdout.toString()).toBe('')
})

test('it renders on a server, where nothing is read', async () => {
  await Bun.write(
    join(app, 'server.mjs'),
    `import { createMatchday, MatchdayProvider, useRead, useSession, useStream } from '@matchday/react'
    import { createElement } from 'react'
    import { renderToString } from 'react-dom/server'
    const fetch = async () => { throw new Error('a request was sent') }
    const matchday = createMatchday({ origin: 'http://localhost:3000', fetch })
    const Page = () => {
      const { data, error, isReading } = useRead('readDashboard')
      const skipped = useRead('readFan', null)
      return JSON.stringify([data, error, isReading, skipped.isReading, useSession().status, useStream(['me'])])
    }
    console.log(renderToString(createElement(MatchdayProvider, { matchday }, createElement(Page))).replaceAll('&quot;', '"'))
    try { renderToString(createElement(Page)) } catch (error) { console.log(error.message) }`,
  )
  const { stdout, stderr } = await $`${process.execPath} ${join(app, 'server.mjs')}`.nothrow().quiet()
  expect(stderr.toString()).toBe('')
  expect(stdout.toString().trim().split('\n')).toEqual([
    '[null,null,true,false,"loading",false]',
    'Render this component below a MatchdayProvider.',
  ])
})
