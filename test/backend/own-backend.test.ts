/** @matchday/backend as installed from its tarball, and the backend of docs/own-backend.md, run as it stands there. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VerificationError } from '@matchday/backend'
import { $ } from 'bun'
import product from '../../package.json'
import { packPackage } from '../../scripts/build/package.ts'
import { exampleMessage } from '../../src/delivery/webhooks/describe.ts'
import { addEndpoint } from '../../src/delivery/webhooks/endpoints.ts'
import { dispatcherOf, drain, removeEndpoints } from '../delivery/webhooks/webhooks-world.ts'
import { root } from '../support/dev.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

const page = await Bun.file(join(root, 'docs/own-backend.md')).text()
const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []

let app: string
beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'matchday-backend-'))
  await Bun.write(join(app, 'package.json'), '{ "type": "module" }')
  await Bun.write(
    join(app, 'server.ts'),
    program.replace('port: Number', "hostname: '127.0.0.1', port: Number"),
  )
  for (const name of ['client', 'backend'] as const) {
    const { tarball } = await packPackage(root, name, join(app, 'packed', name))
    const installed = join(app, 'node_modules/@matchday', name)
    await mkdir(installed, { recursive: true })
    await $`tar -xzf ${tarball} -C ${installed} --strip-components 1`
  }
  await symlink(join(root, 'node_modules/jose'), join(app, 'node_modules/jose'))
})
afterAll(() => rm(app, { recursive: true }))

test('the package depends only on jose, and on the client for its types', async () => {
  const manifest = await Bun.file(join(app, 'node_modules/@matchday/backend/package.json')).json()
  expect(manifest).toMatchObject({ name: '@matchday/backend', version: product.version, type: 'module' })
  expect(Object.keys(manifest.dependencies)).toEqual(['jose'])
  expect(manifest.dependencies.jose).toBe(product.dependencies.jose)
  expect(Object.keys(manifest.peerDependencies)).toEqual(['@matchday/client'])
  const code = await Bun.file(join(app, 'node_modules/@matchday/backend/index.js')).text()
  const imported = new Bun.Transpiler({ loader: 'js' }).scanImports(code).map(({ path }) => path)
  expect(imported).toEqual(['jose'])
})

test('the backend on the documentation page compiles with the package, and narrows messages', async () => {
  const wrong =
    "\nasync (m: import('@matchday/backend').WebhookMessage) => m.kind === 'event' && m.type === 'reward.claimed' && m.data.packId\n"
  await Bun.write(join(app, 'wrong.ts'), `${program}${wrong}`)
  await Bun.write(
    join(app, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        ...{ target: 'ESNext', module: 'ESNext', moduleResolution: 'bundler', strict: true, noEmit: true },
        ...{ types: ['bun'], typeRoots: [join(root, 'node_modules/@types')], skipLibCheck: true },
      },
      files: ['server.ts', 'wrong.ts'],
    }),
  )
  const { stdout } = await $`${join(root, 'node_modules/.bin/tsc')} --project ${app}`.nothrow().quiet()
  const errors = stdout.toString().trim().split('\n')
  expect(errors).toHaveLength(1)
  expect(errors[0]).toContain("Property 'packId' does not exist")
})

const node = Bun.which('node')
test.skipIf(node === null)(
  `verifies a webhook in Node.js${node ? '' : ' (skipped: no Node.js is installed)'}`,
  async () => {
    await Bun.write(
      join(app, 'verify.mjs'),
      `import { createHmac } from 'node:crypto'
      import { verifyWebhook } from '@matchday/backend'
      const [body] = process.argv.slice(2)
      const seconds = Math.floor(Date.now() / 1000)
      const key = Buffer.alloc(32, 1)
      const signature = createHmac('sha256', key).update('evt_1.' + seconds + '.' + body).digest('base64')
      const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(seconds), 'webhook-signature': 'v1,' + signature }
      const secret = 'whsec_' + key.toString('base64')
      const { kind, type } = await verifyWebhook(body, headers, secret)
      const refused = await verifyWebhook(body + ' ', headers, secret).catch(error => error.code)
      console.log(kind, type, refused)`,
    )
    const body = JSON.stringify(exampleMessage('quest.completed'))
    const { stdout, stderr } = await $`${node} ${join(app, 'verify.mjs')} ${body}`.nothrow().quiet()
    expect([stdout.toString(), stderr.toString()]).toEqual(['event quest.completed signature_mismatch\n', ''])
  },
)

onEngine(sqliteEngine, 'The backend of docs/own-backend.md', world => {
  test('receives the webhook of a claim, and shows it only to its fan', async () => {
    world.clock.ms = Date.now()
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    const url = `http://127.0.0.1:${world.app.server?.port}`
    // Its address is known once it runs, its secret before: a port that was free a moment ago.
    const probe = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    const origin = probe.url.origin
    await probe.stop(true)
    const { secret } = await world.db.write(tx =>
      addEndpoint(tx, world.deps.webhookSecrets, { url: `${origin}/hooks`, types: ['reward.claimed'] }),
    )
    const backend = Bun.spawn([process.execPath, join(app, 'server.ts')], {
      env: {
        ...{ PATH: process.env.PATH ?? '', PORT: new URL(origin).port, MATCHDAY_URL: url },
        ...{ WEBHOOK_SECRETS: secret, MATCHDAY_KEY: await world.serverKey(['fans:read']) },
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const dispatcher = dispatcherOf(world)
    try {
      const { value: line } = await backend.stdout.getReader().read()
      expect(new TextDecoder().decode(line)).toContain(origin)
      const tokenOf = async (fan: Awaited<ReturnType<typeof world.fan>>) =>
        (await fan.post('/api/auth/native-token', {})).body.token
      const couponsOf = async (token: string) => {
        const response = await fetch(`${origin}/coupons`, { headers: { authorization: `Bearer ${token}` } })
        return [response.status, await response.json()]
      }
      const [fan, stranger] = [await world.fan(), await world.fan()]
      const rewardId = await world.reward({ pointsRequired: 0 })
      expect((await fan.post('/api/rewards/claim', { rewardId })).status).toBe(200)
      await drain(world, dispatcher)
      expect(await couponsOf(await tokenOf(fan))).toEqual([200, [rewardId]])
      expect(await couponsOf(await tokenOf(stranger))).toEqual([200, []])
      expect(await couponsOf(fan.token)).toEqual([401, { code: 'token_refused' }])
      expect(await couponsOf('')).toEqual([401, { code: 'token_missing' }])
      const forged = await fetch(`${origin}/hooks`, { method: 'POST', body: '{}' })
      expect([forged.status, await forged.json()]).toEqual([400, { code: 'headers_missing' }])
    } finally {
      await dispatcher.stop()
      backend.kill()
      await backend.exited
      await removeEndpoints(world)
    }
    expect(await new Response(backend.stderr).text()).toBe('')
  })
})

test('the documentation page lists the code and status of each error', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (4\d\d|503) \|/gm)]
  expect(rows).toHaveLength(8)
  // Guarantee: an unknown code would have no status.
  for (const [, code = '', status] of rows)
    expect(String(new VerificationError(code as 'token_missing', '').status), code).toBe(status ?? '')
})
